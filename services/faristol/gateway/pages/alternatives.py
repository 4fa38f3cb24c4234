"""Alternative addresses for tournaments and games of the other mode.

A tournament of duplicate games has no tables, and a tournament of tables has no duplicate games. Such a request is
refused with 409, the reason, and the address of the corresponding content.
"""

from __future__ import annotations

from collections.abc import Mapping

import grpc
from starlette.requests import Request

from faristol.gateway.duplicate_game.service import Duplicates, is_duplicate
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.ruleset_lookup import is_of_duplicate_games
from faristol.rules.ruleset.modes import refuse_without_tables

REASONS = frozenset(
    ("DUPLICATE_GAMES", "NO_DUPLICATE_GAMES", "DUPLICATE_GAME", "GCG_OF_TWO", "NOT_PAIRS", "NOT_BY_POINTS")
)
"""Reasons of refusals that depend on the mode."""

_API = "/api/v1/tournaments/{tournament_id}"
_DUPLICATE_PATH = "/api/v1/duplicate/{game_id}"
_CONSOLE = "/tournaments/{tournament_id}/duplicate"

ALTERNATIVE_PATHS: Mapping[str, str] = {
    f"{_API}/standings": f"{_API}/duplicate-standings",
    f"{_API}/standings.csv": f"{_API}/duplicate-standings",
    f"{_API}/crosstable": f"{_API}/duplicate-standings",
    f"{_API}/crosstable.csv": f"{_API}/duplicate-standings",
    f"{_API}/prospects": f"{_API}/duplicate-standings",
    f"{_API}/stages": f"{_API}/duplicate-standings",
    f"{_API}/rounds/{{number}}/pairings": "/api/v1/duplicate/{tournament_id}-r{number}",
    f"{_API}/rounds/{{number}}/pairings.csv": "/api/v1/duplicate/{tournament_id}-r{number}",
    f"{_API}/prizes": f"{_API}/duplicate-standings",
    f"{_API}/awards": f"{_API}/duplicate-standings",
    f"{_API}/report.trf": f"{_API}/duplicate-standings",
    f"{_API}/tsh.zip": f"{_API}/duplicate-standings",
    f"{_API}/results.tou": f"{_API}/duplicate-standings",
    f"{_API}/crosstable.txt": f"{_API}/duplicate-standings",
    f"{_API}/ratings": f"{_API}/players",
    f"{_API}/ratings.csv": f"{_API}/players",
    f"{_API}/rulings": _API,
    f"{_API}/games": _API,
    f"{_API}/games.zip": _API,
    f"{_API}/duplicate-standings": f"{_API}/standings",
    "/tournaments/{tournament_id}/standings/{player_id}": "/players/{player_id}",
    "/tournaments/{tournament_id}/crosstable": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/prospects": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/stages": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/prizes": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/seal": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/ceremony": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/rulings": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/slots": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/fair-play": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/slots/{slot}/{content}": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/teams": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/teams/{team_id}": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/duplicate": "/tournaments/{tournament_id}",
    "/tournaments/{tournament_id}/print/{kind}": "/tournaments/{tournament_id}/print",
    "/tournaments/{tournament_id}/print/round/{number}/{kind}": "/tournaments/{tournament_id}/print",
    "/api/v1/games/{game_id}": _DUPLICATE_PATH,
    "/api/v1/games/{game_id}/racks": _DUPLICATE_PATH,
    "/api/v1/games/{game_id}.gcg": _DUPLICATE_PATH,
    "/games/{game_id}": "/duplicate/{game_id}",
    "/games/{game_id}/replay": "/duplicate/{game_id}",
    "/games/{game_id}/embed": "/duplicate/{game_id}",
    "/games/{game_id}/overlay": "/duplicate/{game_id}/screen",
    "/games/{game_id}/board.png": "/duplicate/{game_id}",
    "/games/{game_id}/keep": "/duplicate/{game_id}",
    "/games/{game_id}/fair-play": "/duplicate/{game_id}",
    "/games/{game_id}/clock": "/duplicate/{game_id}/screen",
    "/tournaments/{tournament_id}/arbiter/{game_id}": f"{_CONSOLE}/{{game_id}}/judge",
    "/tournaments/{tournament_id}/round/{number}/results": f"{_CONSOLE}/{{tournament_id}}-r{{number}}/slips",
    "/tournaments/{tournament_id}/round/{number}/results/{table}": f"{_CONSOLE}/{{tournament_id}}-r{{number}}/slips",
}
"""Corresponding paths in the other mode, by route path. Both have the same parameters."""

_OF_SEVERAL: Mapping[str, str] = {
    "GCG_OF_TWO": "/api/v1/games/{game_id}",
    "NOT_PAIRS": f"{_API}/crosstable",
}
"""Paths for games of more than two players, by the reason of the refusal of a file."""

_NOT_BY_POINTS: Mapping[str, str] = {f"{_API}/prospects": f"{_API}/standings"}
"""Paths for tournaments whose places other figures than points decide, by route path."""


def address_instead(request: Request, reason: str = "") -> str:
    """Return the alternative address for a request refused for ``reason``; empty without one.

    A method of the contract, such as ``/api/v1/results/GetReport``, has none: its path names no tournament or game.
    """
    route = getattr(request.scope.get("route"), "path", "")
    by_points = _NOT_BY_POINTS.get(route) if reason == "NOT_BY_POINTS" else None
    path = _OF_SEVERAL.get(reason) or by_points or ALTERNATIVE_PATHS.get(route, "")
    try:
        return path.format_map(request.path_params)
    except KeyError:
        return ""


async def find_open_address(request: Request, address: str) -> str:
    """Return an alternative address; that of the tournament instead of a duplicate game that is not open yet."""
    if not (address.startswith(_DUPLICATE_PATH.partition("{")[0]) and "tournament_id" in request.path_params):
        return address
    try:
        games = await Duplicates.for_visitor(request)
        is_open = await is_duplicate(games, address.rpartition("/")[2])
    except grpc.aio.AioRpcError:
        is_open = False
    return address if is_open else _API.format_map(request.path_params)


def check_has_tables(head: pb.GetTournamentResponse) -> None:
    """Raise ``Refusal`` for a tournament of duplicate games, which has no tables."""
    if is_of_duplicate_games(head.tournament):
        refuse_without_tables("duplicate", head.tournament.tournament_id)


def check_has_duplicate_games(head: pb.GetTournamentResponse) -> None:
    """Raise ``Refusal`` for a tournament of tables, which has no duplicate games."""
    if not is_of_duplicate_games(head.tournament):
        raise Refusal(
            "NO_DUPLICATE_GAMES",
            N_("{tournament} is played at tables: it has no duplicate games or duplicate standings."),
            {"tournament": head.tournament.tournament_id},
        )


async def refusal_of_duplicate(request: Request, error: grpc.aio.AioRpcError) -> Refusal | None:
    """Return the refusal if a game was not found because it is a duplicate game, else None."""
    game_id = request.path_params.get("game_id")
    if error.code() is not grpc.StatusCode.NOT_FOUND or not game_id or not address_instead(request):
        return None
    games = await Duplicates.for_visitor(request)
    try:
        found = await is_duplicate(games, game_id)
    except grpc.aio.AioRpcError:
        return None
    if not found:
        return None
    return Refusal(
        "DUPLICATE_GAME",
        N_("{game} is a duplicate game: all players play the same racks, and it has no tables."),
        {"game": game_id},
    )
