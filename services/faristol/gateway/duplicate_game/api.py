"""JSON of duplicate games, under ``/api/v1/duplicate``."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from faristol.gateway.api.parameters import KNOWN, TAGGED, MinPosition, TournamentId
from faristol.gateway.duplicate_game.answers import build_game, build_sheets, build_standings, build_totals
from faristol.gateway.duplicate_game.names import names_in, names_of
from faristol.gateway.duplicate_game.service import DuplicateReader, Duplicates
from faristol.gateway.http.responses import answers, to_tagged_response
from faristol.gateway.pages.alternatives import check_has_duplicate_games
from faristol.gateway.rpc.results import Moment, Reader, Results
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.api.v1 import answers_pb2 as api
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results_pb

GameId = Annotated[str, Path(description="Id of the game, such as `TOURNAMENT-rROUND`.", examples=["demo-r1"])]

routes = APIRouter(prefix="/api/v1/duplicate", tags=["results"], dependencies=[KNOWN, TAGGED])
sums = APIRouter(prefix="/api/v1/tournaments", tags=["results"], dependencies=[KNOWN, TAGGED])


@routes.get("/{game_id}", responses=answers(pb.GetDuplicateResponse))
async def get_duplicate(
    results: Reader, games: DuplicateReader, game_id: GameId, min_position: MinPosition = 0
) -> Response:
    """Return a duplicate game: racks and their times, the board, and master play and top of scored turns."""
    position = (await head_of(results, games, game_id, min_position)).position
    return to_tagged_response(build_game(await games.game(game_id), position))


@routes.get("/{game_id}/standings", responses=answers(api.DuplicateStandings))
async def get_duplicate_standings(
    results: Reader, games: DuplicateReader, game_id: GameId, min_position: MinPosition = 0
) -> Response:
    """Return the standings of a duplicate game after the scored turns."""
    listed = await listed_of(results, games, game_id, min_position)
    found = await games.standings(game_id)
    names = await names_in(results, game_id, found, names_of(listed))
    answer = await asyncio.to_thread(build_standings, game_id, found, names, listed.position)
    return await asyncio.to_thread(to_tagged_response, answer)


@routes.get("/{game_id}/sheets", responses=answers(api.DuplicateSheets))
async def list_duplicate_sheets(
    results: Reader,
    games: DuplicateReader,
    game_id: GameId,
    player: Annotated[str, Query(max_length=64, description="Return only the sheet of this player.")] = "",
    hall: Annotated[
        str, Query(max_length=200, description="Return only the sheets of this hall; empty for all halls.")
    ] = "",
    min_position: MinPosition = 0,
) -> Response:
    """List the sheets of players: slips with their points, turn by turn, for scored turns only."""
    listed = await listed_of(results, games, game_id, min_position)
    if player or hall:
        sheets = [await games.sheet(game_id, hall, player)]
    else:
        sheets = list(await games.sheets(await games.game(game_id)))
    answer = await asyncio.to_thread(build_sheets, game_id, sheets, names_of(listed), listed.position)
    return await asyncio.to_thread(to_tagged_response, answer)


@sums.get("/{tournament_id}/duplicate-standings", responses=answers(api.DuplicateTotals))
async def get_duplicate_totals(
    results: Reader,
    games: DuplicateReader,
    tournament_id: TournamentId,
    category: Annotated[str, Query(max_length=200, description="Return only players of this category.")] = "",
    min_position: MinPosition = 0,
) -> Response:
    """Return the summed standings of all duplicate games of a tournament. A game missed counts as 0."""
    head = await results.tournament(tournament_id, Moment(min_position))
    check_has_duplicate_games(head)
    listed = await results.players(tournament_id, Moment(min_position))
    found = await games.totals(tournament_id)
    answer = await asyncio.to_thread(build_totals, tournament_id, found, listed, category)
    return await asyncio.to_thread(to_tagged_response, answer)


async def head_of(
    results: Results, games: Duplicates, game_id: str, min_position: int = 0
) -> results_pb.GetTournamentResponse:
    """Return the tournament of a game. Later calls are valid at least up to its position.

    Raises ``grpc.aio.AioRpcError``; for an invalid id, the one of an unknown game.
    """
    return await results.tournament(await _tournament_of(games, game_id), Moment(min_position))


async def listed_of(
    results: Results, games: Duplicates, game_id: str, min_position: int = 0
) -> results_pb.ListPlayersResponse:
    """Return the players of the tournament of a game. Raises the errors of ``head_of``."""
    return await results.players(await _tournament_of(games, game_id), Moment(min_position))


async def _tournament_of(games: Duplicates, game_id: str) -> str:
    """Return the tournament id of a game. For an invalid id, the service raises the error."""
    tournament_id, _ = place_of_duplicate(game_id)
    return tournament_id or (await games.game(game_id)).tournament_id
