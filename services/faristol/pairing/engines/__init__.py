"""Engines of pairing: who meets whom, from scores, ratings and who met before. They know no tournaments."""
