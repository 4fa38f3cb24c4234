"""Public page that a certificate's QR code opens: the result of a player, and the seal of the record that covers it."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.consoles.frame import TournamentId
from faristol.gateway.pages.alternatives import check_has_tables
from faristol.gateway.pages.render import page
from faristol.gateway.pages.spectators.proofs import find_proof
from faristol.gateway.rpc.results import Reader
from faristol.pb.results.v1 import results_pb2 as pb

routes = APIRouter(include_in_schema=False)


@routes.get("/tournaments/{tournament_id}/seal")
async def show_seal(
    request: Request,
    results: Reader,
    tournament_id: TournamentId,
    player: Annotated[str, Query(max_length=64)] = "",
) -> Response:
    """Show the seal and the proof of the final standings, with the place and the prizes of a player."""
    head = await results.tournament(tournament_id)
    check_has_tables(head)
    answer, standings, proof = await asyncio.gather(
        results.awards(tournament_id), results.standings(tournament_id), find_proof(results, tournament_id)
    )
    position = answer.published_position
    sealed = pb.ListSealsResponse()
    if position:
        sealed = await results.ask(pb.ListSealsRequest(after_position=position - 1, limit=1))
    line = next((each for each in standings.standings if each.player_id == player), None)
    prizes = [(of, won) for of in answer.lists for won in of.awards if won.player_id == player]
    response = page(
        request,
        "seal.html",
        tournament=head.tournament,
        answer=answer,
        line=line,
        count=len(standings.standings),
        prizes=prizes,
        seal=sealed.seals[0] if sealed.seals else None,
        position=position,
        **proof.fields,
    )
    response.headers["Cache-Control"] = "no-cache"
    return response
