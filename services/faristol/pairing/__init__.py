"""Tournaments: players, rounds and pairings. Owns the streams ``tournament-…``.

``administration``, ``discipline``, ``teams`` and ``rounds`` hold the commands by feature: each file its decisions and
what undoes them. ``commands`` is their table of contents. ``model`` folds a tournament from its facts; ``engines`` pair
and know no tournaments. ``office`` carries commands out, ``questions`` answers.
"""
