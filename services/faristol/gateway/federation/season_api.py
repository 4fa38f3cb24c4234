"""JSON of seasons, under ``/api/v1/seasons``."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from faristol.gateway.api.parameters import KNOWN, TAGGED, MinPosition, When
from faristol.gateway.http.responses import answers, to_tagged_response
from faristol.gateway.rpc.service import Service
from faristol.pb.results.v1 import seasons_pb2 as pb

SeasonId = Annotated[str, Path(max_length=64, description="The season.", examples=["2026-27"])]
CircuitId = Annotated[str, Path(max_length=64, description="The circuit in the season.", examples=["league"])]


class SeasonResults(Service):
    """Public calls of the results service for seasons and the rankings of their circuits."""

    kept = "seasons"


SeasonReader = Annotated[SeasonResults, Depends(SeasonResults.for_visitor)]
"""Route parameter."""

routes = APIRouter(prefix="/api/v1/seasons", tags=["results"], dependencies=[KNOWN, TAGGED])


@routes.get("", responses=answers(pb.ListSeasonsResponse))
async def list_seasons(seasons: SeasonReader, min_position: MinPosition = 0) -> Response:
    """List the seasons with their circuits, the latest first; the tournaments have only their ids."""
    return to_tagged_response(await seasons.ask(pb.ListSeasonsRequest(min_position=min_position)))


@routes.get("/{season_id}", responses=answers(pb.GetSeasonResponse))
async def get_season(seasons: SeasonReader, season_id: SeasonId, when: When) -> Response:
    """Return a season with its circuits, their rules and their tournaments."""
    return to_tagged_response(await seasons.ask(pb.GetSeasonRequest(season_id=season_id, **when.fields())))


@routes.get("/{season_id}/circuits/{circuit_id}", responses=answers(pb.GetCircuitResponse))
async def get_circuit(
    seasons: SeasonReader,
    season_id: SeasonId,
    circuit_id: CircuitId,
    when: When,
    player: Annotated[
        str, Query(max_length=64, description="Return only this player, with the games of each result.")
    ] = "",
) -> Response:
    """Return the ranking of a circuit: places, points, the results that count, and the values of tie-breaks."""
    request = pb.GetCircuitRequest(season_id=season_id, circuit_id=circuit_id, player_id=player, **when.fields())
    return await asyncio.to_thread(to_tagged_response, await seasons.ask(request))
