"""The administration of a tournament: players, divisions, halls, results, standings. Pure."""
