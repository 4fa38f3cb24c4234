"""The rating service: rating lists. Owner of the streams ``ratings-…``.

The service publishes a list after the last round of a tournament. ``elo`` and ``glicko`` compute ratings, ``model``
folds the events that they depend on, and ``decide`` makes the list. ``reactions`` subscribes to closed rounds, and
``service`` answers queries.
"""
