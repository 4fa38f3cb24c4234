"""The demonstration of duplicate games: halls, collectors, phones, a judge."""
