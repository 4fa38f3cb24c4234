"""The director's console: a tournament from its rules to its final standings. Arbiters see it, and do what they may."""

from faristol.gateway.consoles.director import (
    conclusion,
    creation,
    discipline,
    halls,
    history,
    judges,
    known_players,
    overview,
    players,
    rounds,
    settings,
    teams,
)

ROUTES = tuple(
    page.routes
    for page in (
        creation,
        overview,
        players,
        known_players,
        teams,
        rounds,
        halls,
        discipline,
        judges,
        conclusion,
        history,
        settings,
    )
)
"""The routes of its pages."""
