"""Consoles of officials and players. Every action is a call with the credential of the user."""
