"""A game at a table: its state, and how its events change it. Pure."""
