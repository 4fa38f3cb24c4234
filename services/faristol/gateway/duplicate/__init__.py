"""Duplicate games: JSON and pages."""
