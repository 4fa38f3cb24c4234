"""Rounds in a hall with its own cell, while the line fails and processes are killed."""
