"""Integrity: hashes, seals, their keys, and verification."""
