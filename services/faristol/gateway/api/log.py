"""The log of the record as static resources (C2SP tlog-tiles), and proofs to download (C2SP tlog-proof)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from faristol.event_store.transparency.tiles import MAX_TILE_LEVEL_NUMBER, parse_tile_path
from faristol.event_store.transparency.tlog_proof import PROOF_MEDIA_TYPE, PROOF_SUFFIX
from faristol.gateway.api.parameters import DIGITS, RoundNumber, TournamentId
from faristol.gateway.http.responses import inline
from faristol.gateway.http.static_files import FOREVER
from faristol.gateway.rpc.results import Reader
from faristol.kernel.errors import NotFound
from faristol.pb.results.v1 import results_pb2 as pb

routes = APIRouter(include_in_schema=False)
"""The formats are those of C2SP and not of the JSON API: docs/transparency.md describes the addresses."""

CHECKPOINT_MAX_AGE_SECONDS = 3
CHECKPOINT_MEDIA_TYPE = "text/plain; charset=utf-8"
TILE_MEDIA_TYPE = "application/octet-stream"
MAX_TILE_PATH_LENGTH = 40
MAX_GAME_ID_LENGTH = 128

Level = Annotated[int, Path(ge=0, le=MAX_TILE_LEVEL_NUMBER), DIGITS]
TilePath = Annotated[str, Path(max_length=MAX_TILE_PATH_LENGTH)]
GameId = Annotated[str, Path(max_length=MAX_GAME_ID_LENGTH)]


@routes.get("/log/checkpoint")
async def get_log_checkpoint(results: Reader) -> Response:
    """Return the newest checkpoint of the log that enough witnesses have cosigned (C2SP tlog-checkpoint)."""
    answer = await results.ask(pb.GetLogCheckpointRequest())
    headers = {"Cache-Control": f"public, max-age={CHECKPOINT_MAX_AGE_SECONDS}"}
    return Response(answer.note, media_type=CHECKPOINT_MEDIA_TYPE, headers=headers)


@routes.get("/log/tile/entries/{path:path}")
async def get_log_entries(results: Reader, path: TilePath) -> Response:
    """Return the entries under a tile of level 0: digests of 32 bytes that reveal no event (C2SP tlog-tiles)."""
    number, width = _parse(path)
    return _static(await results.ask(pb.GetLogTileRequest(number=number, width=width, entries=True)))


@routes.get("/log/tile/{level}/{path:path}")
async def get_log_tile(results: Reader, level: Level, path: TilePath) -> Response:
    """Return the hashes of a tile of the log (C2SP tlog-tiles)."""
    number, width = _parse(path)
    return _static(await results.ask(pb.GetLogTileRequest(level=level, number=number, width=width)))


@routes.get("/api/v1/games/{game_id}/proof")
async def get_sheet_proof(results: Reader, game_id: GameId) -> Response:
    """Return the proof that the last public event of a game is in the log (C2SP tlog-proof)."""
    return _download(await results.proof(pb.PROOF_SUBJECT_SHEET, game_id=game_id), game_id)


@routes.get("/api/v1/games/{game_id}/result/proof")
async def get_result_proof(results: Reader, game_id: GameId) -> Response:
    """Return the proof that the result of a game, in its last version, is in the log."""
    return _download(await results.proof(pb.PROOF_SUBJECT_RESULT, game_id=game_id), f"{game_id}-result")


@routes.get("/api/v1/tournaments/{tournament_id}/rounds/{number}/proof")
async def get_round_proof(results: Reader, tournament_id: TournamentId, number: RoundNumber) -> Response:
    """Return the proof that the end of a round is in the log, and under it all events before."""
    answer = await results.proof(pb.PROOF_SUBJECT_ROUND, tournament_id=tournament_id, round=number)
    return _download(answer, f"{tournament_id}-r{number}")


@routes.get("/api/v1/tournaments/{tournament_id}/proof")
async def get_standings_proof(results: Reader, tournament_id: TournamentId) -> Response:
    """Return the proof that the publication of the final standings is in the log, and under it all events before."""
    answer = await results.proof(pb.PROOF_SUBJECT_STANDINGS, tournament_id=tournament_id)
    return _download(answer, tournament_id)


def _parse(path: str) -> tuple[int, int]:
    parsed = parse_tile_path(path)
    if parsed is None:
        raise NotFound("log tile", path)
    return parsed


def _static(tile: pb.GetLogTileResponse) -> Response:
    return Response(tile.content, media_type=TILE_MEDIA_TYPE, headers={"Cache-Control": FOREVER.decode()})


def _download(answer: pb.GetProofResponse, name: str) -> Response:
    """Return a proof to download. A later checkpoint has another proof, and each stays valid."""
    headers = {"Content-Disposition": inline(f"{name}{PROOF_SUFFIX}"), "Cache-Control": "no-cache"}
    return Response(answer.proof, media_type=PROOF_MEDIA_TYPE, headers=headers)
