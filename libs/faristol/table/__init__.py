"""A table: its game, its clock, and what follows from both. Pure; two services offer it."""
