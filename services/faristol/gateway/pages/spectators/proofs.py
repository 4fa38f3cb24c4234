"""Public pages of proofs: an event of a tournament in the log of the record, for the codes on papers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote

import grpc
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.consoles.frame import TournamentId
from faristol.gateway.pages.render import page
from faristol.gateway.rpc.results import Reader, Results
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation.proofs import EXPLANATION

routes = APIRouter(include_in_schema=False)

_MAX_ROUNDS = 10_000


@dataclass(frozen=True, slots=True)
class ProofView:
    """A proof for a page, or the reason for its absence."""

    address: str
    """Address of the file."""
    proof: pb.GetProofResponse | None
    refusal: str = ""

    @property
    def fields(self) -> dict[str, Any]:
        """The values for ``proof_parts.html``."""
        return {
            "proof": self.proof,
            "address": self.address,
            "refusal": self.refusal,
            "proof_sentences": EXPLANATION,
        }


async def find_proof(results: Results, tournament_id: str, *, game_id: str = "", round_: int = 0) -> ProofView:
    """Return the proof of a game, of the end of a round, or of the final standings."""
    base = f"/api/v1/tournaments/{quote(tournament_id, safe='')}"
    subject, address = pb.PROOF_SUBJECT_STANDINGS, f"{base}/proof"
    if game_id:
        subject, address = pb.PROOF_SUBJECT_SHEET, f"/api/v1/games/{quote(game_id, safe='')}/proof"
    elif round_:
        subject, address = pb.PROOF_SUBJECT_ROUND, f"{base}/rounds/{round_}/proof"
    try:
        proof = await results.proof(subject, tournament_id=tournament_id, round=round_, game_id=game_id)
    except grpc.aio.AioRpcError as error:
        if error.code() not in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.FAILED_PRECONDITION):
            raise
        return ProofView(address, None, error.details() or "")
    return ProofView(address, proof)


@routes.get("/tournaments/{tournament_id}/proof")
async def show_proof(
    request: Request,
    results: Reader,
    tournament_id: TournamentId,
    game: Annotated[str, Query(max_length=128)] = "",
    round_: Annotated[int, Query(alias="round", ge=0, le=_MAX_ROUNDS)] = 0,
) -> Response:
    """Show the proof of a game, of a round, or of the final standings, and explain it in three sentences."""
    head = await results.tournament(tournament_id)
    found = await find_proof(results, tournament_id, game_id=game, round_=round_)
    response = page(request, "proof.html", tournament=head.tournament, game_id=game, number=round_, **found.fields)
    response.headers["Cache-Control"] = "no-cache"
    return response
