"""The pairing engines: pairs from scores, ratings and past opponents. They do not know tournaments."""
