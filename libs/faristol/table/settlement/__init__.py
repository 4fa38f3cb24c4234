"""Automatic events of a table: the next missing one of its game, and of its clock."""
