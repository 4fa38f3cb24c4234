"""Rulebook cases: situations written down by arbiters, run on the real services, in memory by default."""
