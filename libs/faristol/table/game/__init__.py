"""A game at a table: what it is, and how its facts change it. Pure."""
