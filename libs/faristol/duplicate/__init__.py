"""Duplicate games: what is shared, what each hall hands in, every decision and what follows by itself. Pure.

The services of games and of clocks share this room, as they share that of tables.
"""
