"""Director's console: a tournament from its rules to its final standings. Arbiters see it and may use a part of it."""

from faristol.gateway.consoles.director import (
    conclusion,
    creation,
    discipline,
    first_tournament,
    halls,
    history,
    judges,
    known_players,
    overview,
    players,
    registration,
    restore,
    rounds,
    settings,
    stages,
    teams,
)

ROUTES = tuple(
    page.routes
    for page in (
        first_tournament,
        restore,
        creation,
        overview,
        players,
        known_players,
        registration,
        teams,
        rounds,
        stages,
        halls,
        discipline,
        judges,
        conclusion,
        history,
        settings,
    )
)
"""Routes of its pages."""
