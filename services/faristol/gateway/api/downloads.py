"""Files for other programs: tables as CSV, a tournament as TRF, for tsh and for AUPAIR, a game as GCG.

``docs/files.md`` describes them. Their routes precede those of ids, since an id may contain a dot.
"""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
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
from faristol.gateway.rpc.results import NOW, Moment, Reader, Results
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.other_programs.tournament_files import build_tournament_file
from faristol.rules.gcg import write_gcg
from faristol.rules.tournament_files import TournamentFile
from faristol.rules.tournament_files.results_list import write_crosstable
from faristol.rules.tournament_files.tou import write_tou
from faristol.rules.tournament_files.tsh import encode_tsh, write_tsh

CSV = "text/csv; charset=utf-8"
TRF = "text/plain; charset=utf-8"
PLAIN = "text/plain; charset=utf-8"
ZIP = "application/zip"

EARLIEST_DAY = (1980, 1, 1, 0, 0, 0)
"""The time of each file in an archive: the earliest of the format, so that equal content has equal bytes."""

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
async def get_standings_csv(results: Reader, tournament_id: TournamentId, when: When, round: UpToRound = 0) -> Response:
    """Return the standings as CSV."""
    answer = await results.standings(tournament_id, round, when)
    return await _to_csv(comma_separated.standings, answer, f"{tournament_id}-standings.csv")


@routes.get("/tournaments/{tournament_id}/team-standings.csv", responses=_of(CSV, "A line for each team."))
async def get_team_standings_csv(
    results: Reader, tournament_id: TournamentId, when: When, round: UpToRound = 0
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
    results: Reader, tournament_id: TournamentId, when: When, round: UpToRound = 0
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
    round: Annotated[
        int, Query(ge=0, le=10_000, description="Include rounds up to this one; 0 for the last closed round."), DIGITS
    ] = 0,
    edition: Annotated[EditionName, Query(description="Version of the format.")] = "TRF26",
) -> Response:
    """Return the tournament as a TRF file, for pairing and rating programs."""
    answer = await results.report(tournament_id, EDITIONS[edition], round, when)
    return TaggedResponse(answer.text, answer.position, TRF, f"{tournament_id}.trf")


async def load_tournament_file(
    results: Results, tournament_id: str, round_: int = 0, when: Moment = NOW
) -> tuple[TournamentFile, int]:
    """Return a tournament in the form of files for other programs, up to a round or so far, and its position."""
    head, crosstable, players = await asyncio.gather(
        results.tournament(tournament_id, when),
        results.crosstable(tournament_id, round_, when),
        results.players(tournament_id, when),
    )
    position = min(head.position, crosstable.position, players.position)
    return await asyncio.to_thread(build_tournament_file, head.tournament, crosstable, players), position


def to_archive(files: Mapping[str, bytes]) -> bytes:
    """Return a ZIP archive of files by name. Equal files give equal bytes."""
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for name, content in files.items():
            target.writestr(zipfile.ZipInfo(name, EARLIEST_DAY), content, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


def to_tsh_files(tournament: TournamentFile) -> dict[str, bytes]:
    """Return the files of a folder of tsh by name."""
    return {name: encode_tsh(text) for name, text in write_tsh(tournament).items()}


@routes.get("/tournaments/{tournament_id}/tsh.zip", responses=_of(ZIP, "The folder: `config.tsh` and `a.t`."))
async def get_tsh(results: Reader, tournament_id: TournamentId, when: When, round: UpToRound = 0) -> Response:
    """Return the folder of the tournament for tsh, as a ZIP archive."""
    found, position = await load_tournament_file(results, tournament_id, round, when)
    return TaggedResponse(to_archive(to_tsh_files(found)), position, ZIP, f"{tournament_id}-tsh.zip")


@routes.get("/tournaments/{tournament_id}/results.tou", responses=_of(PLAIN, "The file, lines ending in CR LF."))
async def get_tou(results: Reader, tournament_id: TournamentId, when: When, round: UpToRound = 0) -> Response:
    """Return the rounds with all results in the form of AUPAIR, for the ratings of federations."""
    found, position = await load_tournament_file(results, tournament_id, round, when)
    return TaggedResponse(write_tou(found), position, PLAIN, f"{tournament_id}.tou")


@routes.get("/tournaments/{tournament_id}/crosstable.txt", responses=_of(PLAIN, "The table, in columns."))
async def get_crosstable_text(
    results: Reader, tournament_id: TournamentId, when: When, round: UpToRound = 0
) -> Response:
    """Return the crosstable as plain text, in the order of points and spread."""
    found, position = await load_tournament_file(results, tournament_id, round, when)
    return TaggedResponse(write_crosstable(found), position, PLAIN, f"{tournament_id}-crosstable.txt")


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
