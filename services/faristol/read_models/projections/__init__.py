"""Projections: how each event changes the rows of the read models, and their storage."""
