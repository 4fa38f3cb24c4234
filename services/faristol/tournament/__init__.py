"""The service ``pairing``: tournaments, players, rounds, results. Owner of the streams ``tournament-…``.

``administration``, ``players``, ``byes``, ``results``, ``rounds``, ``teams`` and ``discipline`` contain the commands by
topic: each file has its decisions and their undo. ``command_handling`` lists and handles all of them, ``queries``
answers queries. ``state`` folds a tournament from its events; ``engines`` pair without knowing tournaments, and
``pairing_explanations`` explains why two meet.
"""
