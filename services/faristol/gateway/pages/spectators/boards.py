"""Template values of a game's page, its frame on other sites, and its video overlay."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from faristol.gateway.http.language import language_of
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import game_view, outcome


def build_game_values(request: Request, played: pb.GetGameResponse) -> dict[str, Any]:
    """Return the template values of a game."""
    sides = game_view.sheet(played)
    return {
        "game": played,
        "board": game_view.board(played),
        "words": game_view.words(played.board),
        "lines": game_view.lines(played),
        "sides": sides,
        "rows": game_view.rows(sides),
        "clocks": game_view.clocks(played),
        "names": {seat.player_id: seat.name for seat in played.seats},
        "kept": outcome.is_kept(played),
        "outcome": list(outcome.outcome(played, language_of(request))),
        "how_lost": outcome.how_lost,
        "position": played.position,
    }
