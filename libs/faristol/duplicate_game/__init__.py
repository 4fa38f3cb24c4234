"""Duplicate games: shared state, the slips of each hall, decisions, and automatic events. Pure.

The services of games and of clocks share this package, as they share that of tables.
"""
