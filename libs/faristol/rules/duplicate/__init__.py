"""Duplicate games, pure: racks, slips and what they are worth, master plays, ranking (FISC part II)."""
