"""Rounds: who meets whom and at which table, from the pairing to the close. Pure."""
