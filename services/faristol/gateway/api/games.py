"""Games of a tournament: a list with filters, and their GCG files in an archive."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from io import RawIOBase
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Query
from fastapi.responses import StreamingResponse
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.api.contract_json import words_of
from faristol.gateway.api.gcg import gcg_of
from faristol.gateway.api.openapi.document import build_enum_schema
from faristol.gateway.api.parameters import (
    DEFAULT_PAGE_COUNT,
    DIGITS,
    KNOWN,
    TAGGED,
    PageSize,
    PageToken,
    TournamentId,
    When,
)
from faristol.gateway.api.racks import GameService, RackReader
from faristol.gateway.http.language import language_of
from faristol.gateway.http.responses import ERRORS, answers, to_tagged_response
from faristol.gateway.pages.alternatives import check_has_tables
from faristol.gateway.rpc.results import Moment, Reader, Results
from faristol.kernel.errors import NotFound
from faristol.kernel.refusal import Refusal
from faristol.pb.api.v1 import answers_pb2 as api
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules.gcg import write_gcg
from faristol.text import render

State = Annotated[
    Literal["paired", "playing", "postponed", "final"],
    build_enum_schema("GameState", ("paired", "playing", "postponed", "final")),
]

STATE_WORDS = words_of(pb.GameState.DESCRIPTOR)

ARCHIVE_CALL_LIMIT = 4
"""Limit of concurrent calls for an archive."""

routes = APIRouter(prefix="/api/v1", tags=["results"], dependencies=[KNOWN])


class Filters(NamedTuple):
    """Filters of games; None, 0 and empty match every game."""

    round: int
    table: int
    player: str
    state: State | None

    def has(self, game: pb.Table) -> bool:
        """Check whether a game matches."""
        return (
            self.round in (0, game.round)
            and self.table in (0, game.table)
            and (not self.player or any(seat.player_id == self.player for seat in game.seats))
            and self.state in (None, STATE_WORDS[game.state])
        )


InRound = Annotated[
    int, Query(ge=0, le=10_000, description="Return only games of this round; 0 for all rounds."), DIGITS
]
AtTable = Annotated[
    int, Query(ge=0, le=1_000_000, description="Return only games at this table; 0 for all tables."), DIGITS
]
OfPlayer = Annotated[str, Query(max_length=64, description="Return only games of this player.")]
WithRacks = Annotated[bool, Query(description="Include racks if they are public, that is, if the result is final.")]
InState = Annotated[State | None, Query(description="Return only games in this state.")]


@routes.get("/tournaments/{tournament_id}/games", responses=answers(api.Games), dependencies=[TAGGED])
async def list_games(
    results: Reader,
    tournament_id: TournamentId,
    when: When,
    round: InRound = 0,
    table: AtTable = 0,
    player: OfPlayer = "",
    state: InState = None,
    page_size: PageSize = DEFAULT_PAGE_COUNT,
    page_token: PageToken = "",
) -> Response:
    """List the games of a tournament with current scores, page by page."""
    found, position = await _find_games(results, tournament_id, when, Filters(round, table, player, state))
    await _check_player(results, tournament_id, player, found, when)
    start = int(page_token) if page_token.isascii() and page_token.isdigit() else 0
    end = start + page_size if page_size else len(found)
    following = str(end) if end < len(found) else ""
    answer = api.Games(position=position, games=found[start:end], next_page_token=following, total=len(found))
    return to_tagged_response(answer)


@routes.get(
    "/tournaments/{tournament_id}/games.zip",
    responses={
        **{status: ERRORS[status] for status in (400, 404, 409, 503, 504)},
        200: {
            "description": "A ZIP archive: `GAME.gcg` for each game, and `left-out.txt` for games without one.",
            "content": {"application/zip": {"schema": {"type": "string", "format": "binary"}}},
        },
    },
    response_class=StreamingResponse,
    tags=["files"],
)
async def get_games_zip(
    request: Request,
    results: Reader,
    drawn: RackReader,
    tournament_id: TournamentId,
    when: When,
    round: InRound = 0,
    table: AtTable = 0,
    player: OfPlayer = "",
    racks: WithRacks = False,
) -> Response:
    """Return the GCG files of all games with a final result, streamed while they are made."""
    wanted = Filters(round, table, player, "final")
    found, _ = await _find_games(results, tournament_id, when, wanted)
    await _check_player(results, tournament_id, player, found, when)
    named = {"Content-Disposition": f'attachment; filename="{tournament_id}.zip"', "Cache-Control": "no-cache"}
    ids = [game.game_id for game in found]
    archive = _archive(results, drawn if racks else None, ids, replace(when, min_position=0), language_of(request))
    return StreamingResponse(archive, media_type="application/zip", headers=named)


async def _find_games(
    results: Results, tournament_id: str, when: Moment, filters: Filters
) -> tuple[list[pb.Table], int]:
    """Return the matching games and the position of the answer."""
    head = await results.tournament(tournament_id, when)
    check_has_tables(head)
    numbers = [played.round for played in head.tournament.played if filters.round in (0, played.round)]
    then = replace(when, min_position=0)
    found = await asyncio.gather(*(results.pairings(tournament_id, number, then) for number in numbers))
    position = min([head.position, *(answer.position for answer in found)])
    return [game for answer in found for game in answer.tables if filters.has(game)], position


async def _check_player(
    results: Results, tournament_id: str, player: str, found: Sequence[pb.Table], when: Moment
) -> None:
    """Raise ``NotFound`` for an unknown player, since an empty list would mean a player without games."""
    if player and not found:
        listed = await results.players(tournament_id, replace(when, min_position=0))
        if all(each.player_id != player for each in listed.players):
            raise NotFound("player", player)


class _ArchiveBuffer(RawIOBase):
    """Write-only file that buffers the parts of an archive."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        """Return True. It is not seekable, so that an archive is written sequentially."""
        return True

    def write(self, part: Any) -> int:
        """Append a part."""
        self._parts.append(bytes(part))
        return len(part)

    def take_parts(self) -> bytes:
        """Return the parts since the last call."""
        taken, self._parts = b"".join(self._parts), []
        return taken


async def _archive(
    results: Results, drawn: GameService | None, game_ids: Sequence[str], when: Moment, language: str
) -> AsyncIterator[bytes]:
    """Yield an archive of the games as GCG, with the racks of ``drawn`` if given.

    A further file names the games without a GCG file and the reasons.
    """
    sink, left_out = _ArchiveBuffer(), []

    async def format_game(game_id: str) -> tuple[str, str, bool]:
        game = await results.game(game_id, when)
        held = await drawn.racks(game) if drawn else None
        try:
            return game_id, await asyncio.to_thread(lambda: write_gcg(gcg_of(game, racks=held))), True
        except Refusal as refusal:
            return game_id, render(refusal, language), False

    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for start in range(0, len(game_ids), ARCHIVE_CALL_LIMIT):
            for game_id, text, is_gcg in await asyncio.gather(
                *map(format_game, game_ids[start : start + ARCHIVE_CALL_LIMIT])
            ):
                if is_gcg:
                    archive.writestr(f"{game_id}.gcg", text)
                else:
                    left_out.append(f"{game_id}: {text}\n")
            if part := sink.take_parts():
                yield part
        if left_out:
            archive.writestr("left-out.txt", "".join(left_out))
    yield sink.take_parts()
