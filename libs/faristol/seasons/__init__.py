"""Seasons of a federation: their state, and the rankings of their circuits. Pure.

The rating service decides on seasons, and the results service ranks their circuits, so both share this package.
"""
