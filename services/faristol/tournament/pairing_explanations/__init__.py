"""Explanations of pairings: why two players or teams meet in a round or do not. Pure.

``player_pairs`` explains every system of pairing, with ``dutch`` for the Dutch system. ``team_pairs`` explains the
pairings of teams.
"""
