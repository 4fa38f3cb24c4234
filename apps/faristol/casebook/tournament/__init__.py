"""Cases of tournaments: entries, pairings, results."""
