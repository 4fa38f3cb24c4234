"""Lexicons: installation, building, lookup and pins."""
