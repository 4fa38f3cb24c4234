"""Files for other programs: standings, pairings and crosstables as CSV, a tournament as TRF, a game as GCG.

``docs/files.md`` describes them. Their routes precede those of ids, since an id may contain a dot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from starlette.responses import PlainTextResponse, Response

from faristol.gateway.api import comma_separated
from faristol.gateway.api.contract_json import to_json
from faristol.gateway.api.games import WithRacks
from faristol.gateway.api.gcg import gcg_of
from faristol.gateway.api.parameters import (
    DIGITS,
    KNOWN,
    TAGGED,
    MinPosition,
    RoundNumber,
    TournamentId,
    UpToRound,
    When,
)
from faristol.gateway.api.racks import RackReader
from faristol.gateway.api.ratings import RatingReader, join_ratings
from faristol.gateway.http.responses import ERRORS, TaggedResponse
from faristol.gateway.rpc.results import Moment, Reader
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules.gcg import write_gcg

CSV = "text/csv; charset=utf-8"
TRF = "text/plain; charset=utf-8"

EditionName = Literal["TRF16", "TRF26"]
EDITIONS: dict[EditionName, pb.ReportEdition.ValueType] = {
    "TRF16": pb.REPORT_EDITION_TRF16,
    "TRF26": pb.REPORT_EDITION_TRF26,
}


GCG_ERRORS: dict[int | str, dict[str, Any]] = {
    409: {
        **ERRORS[409],
        "description": "The game is not of two players, or its rules are not installed; `detail` gives the reason.",
    }
}


def _of(media_type: str, what: str) -> dict[int | str, dict[str, Any]]:
    content = {media_type.partition(";")[0]: {"schema": {"type": "string"}}}
    return {**ERRORS, 200: {"description": what, "content": content}}


async def _to_csv(write: Callable[[comma_separated.Json], str], answer: Any, name: str) -> Response:
    """Return a CSV to download, with the byte order mark that tells a spreadsheet its encoding."""
    text = await asyncio.to_thread(lambda: write(to_json(answer)))
    return TaggedResponse(f"{comma_separated.BYTE_ORDER_MARK}{text}", answer.position, CSV, name)


routes = APIRouter(prefix="/api/v1", tags=["files"], dependencies=[KNOWN, TAGGED], default_response_class=Response)


@routes.get("/tournaments/{tournament_id}/standings.csv", responses=_of(CSV, "A line for each player."))
async def get_standings_csv(
    results: Reader,
    tournament_id: TournamentId,
    when: When,
    round: UpToRound = 0,  # noqa: A002 # the name of the query parameter
) -> Response:
    """Return the standings as CSV."""
    answer = await results.standings(tournament_id, round, when)
    return await _to_csv(comma_separated.standings, answer, f"{tournament_id}-standings.csv")


@routes.get("/tournaments/{tournament_id}/team-standings.csv", responses=_of(CSV, "A line for each team."))
async def get_team_standings_csv(
    results: Reader,
    tournament_id: TournamentId,
    when: When,
    round: UpToRound = 0,  # noqa: A002 # the name of the query parameter
) -> Response:
    """Return the standings of teams as CSV."""
    answer = await results.team_standings(tournament_id, round, when)
    return await _to_csv(comma_separated.team_standings, answer, f"{tournament_id}-team-standings.csv")


@routes.get(
    "/tournaments/{tournament_id}/teams.csv", responses=_of(CSV, "A line for each player in the line-up of a team.")
)
async def get_teams_csv(results: Reader, tournament_id: TournamentId, when: When) -> Response:
    """Return the teams with their line-ups as CSV."""
    answer = await results.teams(tournament_id, when)
    return await _to_csv(comma_separated.teams, answer, f"{tournament_id}-teams.csv")


@routes.get(
    "/tournaments/{tournament_id}/rounds/{number}/pairings.csv",
    responses=_of(CSV, "A line for each table and each bye."),
)
async def get_pairings_csv(results: Reader, tournament_id: TournamentId, number: RoundNumber, when: When) -> Response:
    """Return the pairings of a round with current scores as CSV."""
    answer = await results.pairings(tournament_id, number, when)
    return await _to_csv(comma_separated.pairings, answer, f"{tournament_id}-round-{number}.csv")


@routes.get("/tournaments/{tournament_id}/crosstable.csv", responses=_of(CSV, "A line for each player."))
async def get_crosstable_csv(
    results: Reader,
    tournament_id: TournamentId,
    when: When,
    round: UpToRound = 0,  # noqa: A002 # the name of the query parameter
) -> Response:
    """Return the crosstable as CSV."""
    answer = await results.crosstable(tournament_id, round, when)
    return await _to_csv(comma_separated.crosstable, answer, f"{tournament_id}-crosstable.csv")


@routes.get("/tournaments/{tournament_id}/ratings.csv", responses=_of(CSV, "A line for each player."))
async def get_ratings_csv(
    results: Reader, ratings: RatingReader, tournament_id: TournamentId, min_position: MinPosition = 0
) -> Response:
    """Return the rating list, or an estimate while rounds remain, as CSV."""
    players = await results.players(tournament_id, Moment(min_position))
    answer = join_ratings(await ratings.of(tournament_id), players)
    return await _to_csv(comma_separated.ratings, answer, f"{tournament_id}-ratings.csv")


@routes.get("/tournaments/{tournament_id}/report.trf", responses=_of(TRF, "The file, lines ending in CR LF."))
async def get_report(
    results: Reader,
    tournament_id: TournamentId,
    when: When,
    round: Annotated[  # noqa: A002 # the name of the query parameter
        int, Query(ge=0, le=10_000, description="Include rounds up to this one; 0 for the last closed round."), DIGITS
    ] = 0,
    edition: Annotated[EditionName, Query(description="Version of the format.")] = "TRF26",
) -> Response:
    """Return the tournament as a TRF file, for pairing and rating programs."""
    answer = await results.report(tournament_id, EDITIONS[edition], round, when)
    return TaggedResponse(answer.text, answer.position, TRF, f"{tournament_id}.trf")


@routes.get("/games/{game_id}.gcg", response_class=PlainTextResponse, responses={**ERRORS, **GCG_ERRORS})
async def get_gcg(
    results: Reader,
    found: RackReader,
    game_id: Annotated[str, Path(description="The game.", examples=["demo-r1-t1"])],
    when: When,
    racks: WithRacks = False,
) -> Response:
    """Return a game of two players as a GCG file: plays, scores and totals as recorded. Duplicate games have none."""
    game = await results.game(game_id, when)
    text = write_gcg(gcg_of(game, racks=await found.racks(game) if racks else None))
    return TaggedResponse(text, game.position, "text/plain", f"{game_id}.gcg")
