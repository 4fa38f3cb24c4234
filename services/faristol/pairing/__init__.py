"""The pairing service: tournaments, players, rounds and pairings. Owner of the streams ``tournament-…``.

``administration``, ``discipline``, ``teams`` and ``rounds`` hold the commands by feature: each file has its decisions
and their undo. ``commands`` lists all of them. ``model`` folds a tournament from its events; ``engines`` pair without
knowing tournaments. ``office`` handles commands, ``questions`` answers queries.
"""
