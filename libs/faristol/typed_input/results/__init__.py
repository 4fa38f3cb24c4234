"""Typed results of a round: parsing, plausibility and display."""
