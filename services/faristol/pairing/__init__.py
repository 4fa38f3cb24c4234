"""The pairing service: tournaments, players, rounds and pairings. Owner of the streams ``tournament-…``.

``tournament``, ``players``, ``results``, ``rounds``, ``teams`` and ``discipline`` contain the commands by topic: each
file has its decisions and their undo. ``commands`` lists and handles all of them, ``queries`` answers queries.
``state`` folds a tournament from its events; ``engines`` pair without knowing tournaments.
"""
