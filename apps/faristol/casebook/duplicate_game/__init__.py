"""Cases of duplicate games."""
