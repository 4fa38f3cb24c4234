"""Pages of officials on fair play: a tournament, a game, a player. No page here is public or cached."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Annotated, Any

import grpc
from fastapi import APIRouter, Path, Query
from google.protobuf.message import Message
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.gateway.consoles.commands import hide_errors, to_problem
from faristol.gateway.consoles.frame import Console, ConsoleDep, GameId, TournamentId
from faristol.gateway.consoles.navigation import may
from faristol.gateway.pages.alternatives import check_has_tables
from faristol.gateway.rpc.results import OwnReader
from faristol.kernel.spellings import labels_of
from faristol.pb.results.v1 import fair_play_pb2 as pb

PlayerId = Annotated[str, Path(max_length=64)]

FAIR_PLAY_LABELS: Mapping[str, Any] = {
    "measures": labels_of(pb.FairPlayMeasure.DESCRIPTOR),
    "phases": labels_of(pb.FairPlayPhase.DESCRIPTOR),
    "kinds": labels_of(pb.FairPlayOverlapKind.DESCRIPTOR),
}
"""Labels of the enumerations, for templates."""

CONSOLE_NAME = "fair-play"
"""Console of the pages."""

routes = APIRouter(include_in_schema=False)


@routes.get("/tournaments/{tournament_id}/fair-play")
async def show_tournament(console: ConsoleDep, results: OwnReader, tournament_id: TournamentId) -> Response:
    """Show the players of a tournament, the most unusual first, and the overlaps of its tables."""
    request = pb.GetTournamentFairPlayRequest(tournament_id=tournament_id)
    found = await _ask(console, request)
    head = await results.tournament(tournament_id)
    check_has_tables(head)
    return console.page("fair_play/tournament.html", head, console_name=CONSOLE_NAME, answer=found, **FAIR_PLAY_LABELS)


@routes.get("/games/{game_id}/fair-play")
async def show_game(console: ConsoleDep, results: OwnReader, game_id: GameId) -> Response:
    """Show the turns of a game beside the best plays; the refusal before its result is final."""
    _check(console, pb.GetGameFairPlayRequest)
    game = await results.game(game_id)
    head = await results.tournament(game.tournament_id)
    answer, refused = pb.GetGameFairPlayResponse(game_id=game_id), ""
    try:
        answer = await _ask(console, pb.GetGameFairPlayRequest(game_id=game_id))
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
            raise
        refused = to_problem(error, console.language).detail
    return console.page(
        "fair_play/game.html",
        head,
        console_name=CONSOLE_NAME,
        refused=refused,
        answer=answer,
        game=game,
        **FAIR_PLAY_LABELS,
    )


@routes.get("/players/{player_id}/fair-play")
async def show_player(
    console: ConsoleDep,
    player_id: PlayerId,
    tournament: Annotated[list[str] | None, Query(max_length=100)] = None,
) -> Response:
    """Show a player over all tournaments, or over some: those of the query, or else those of the credential."""
    chosen = tournament or list(console.session.credential.scope.tournament_ids)
    answer = await _ask(console, pb.GetPlayerFairPlayRequest(player_id=player_id, tournament_ids=chosen))
    return console.page(
        "fair_play/player.html", None, console_name=CONSOLE_NAME, answer=answer, player_id=player_id, **FAIR_PLAY_LABELS
    )


async def _ask(console: Console, request: Message) -> Any:
    """Return the answer. Raises ``HTTPException`` (404) if the user may not see it."""
    _check(console, type(request))
    with hide_errors(grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.INVALID_ARGUMENT):
        return await console.calls.ask(request)


def _check(console: Console, request: type[Message]) -> None:
    if not may(console.session, request):
        raise HTTPException(HTTPStatus.NOT_FOUND)  # forbidden pages look missing
