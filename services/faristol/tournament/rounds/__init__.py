"""Rounds: pairings and tables, from the pairing to the close. Pure."""
