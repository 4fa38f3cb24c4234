"""Keeping a table at a terminal, in the words of the rulebook cases: `faristol table keep`."""
