"""Rating lists. Owns the streams ``ratings-…``.

A list follows the last round of a tournament: ``elo`` calculates, ``model`` folds what it needs from the facts of
the tournament, ``decide`` makes the list, ``reactions`` notices that the round was closed, and ``service`` shows it.
"""
