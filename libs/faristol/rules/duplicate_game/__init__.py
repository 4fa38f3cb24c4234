"""Duplicate games, pure: racks, slips and their points, master plays, ranking (FISC part II)."""
