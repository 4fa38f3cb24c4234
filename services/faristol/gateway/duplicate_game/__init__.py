"""Duplicate games as JSON and pages."""
