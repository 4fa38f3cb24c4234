"""Keeping a table at a terminal, in the language of the rulebook cases: `faristol table keep`."""
