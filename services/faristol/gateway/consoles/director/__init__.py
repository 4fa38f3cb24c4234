"""The director's console: a tournament from its rules to its final standings. Arbiters see it, and do what they may."""

from faristol.gateway.consoles.director import (
    conclusion,
    creation,
    discipline,
    halls,
    history,
    overview,
    players,
    rounds,
)

ROUTES = tuple(page.routes for page in (creation, overview, players, rounds, halls, discipline, conclusion, history))
"""The routes of its pages."""
