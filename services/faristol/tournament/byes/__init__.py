"""Byes: those that players ask for, and that of the player without an opponent. Pure."""
