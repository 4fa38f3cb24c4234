"""Adjudication: the calls of judges and directors, and reactions to games."""
