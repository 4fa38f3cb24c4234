"""Template values of a game's page, its frame on other sites, and its video overlay."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from faristol.gateway import outcome, table
from faristol.gateway.language import language_of
from faristol.pb.results.v1 import results_pb2 as pb


def shown(request: Request, played: pb.GetGameResponse) -> dict[str, Any]:
    """Return the template values of a game."""
    sides = table.sheet(played)
    return {
        "game": played,
        "board": table.board(played),
        "words": table.words(played.board),
        "lines": table.lines(played),
        "sides": sides,
        "rows": table.rows(sides),
        "clocks": table.clocks(played),
        "names": {seat.player_id: seat.name for seat in played.seats},
        "kept": outcome.is_kept(played),
        "outcome": list(outcome.outcome(played, language_of(request))),
        "how_lost": outcome.how_lost,
        "position": played.position,
    }
