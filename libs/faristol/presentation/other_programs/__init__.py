"""Tournaments of other programs: written for them, and taken over from them."""
