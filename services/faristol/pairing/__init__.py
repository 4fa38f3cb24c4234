"""Tournaments: players, rounds and pairings. Owns the streams ``tournament-…``.

``swiss`` pairs, ``model`` folds a tournament from its facts, ``decide`` is the law of a tournament, and
``service`` and ``reactions`` bring in what directors ask for and what tables report.
"""
