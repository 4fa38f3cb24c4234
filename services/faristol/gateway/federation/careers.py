"""Careers of players, games between two players, and the best results of seasons: JSON and public pages."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from faristol.gateway.api.parameters import DIGITS, KNOWN, TAGGED, MinPosition, When
from faristol.gateway.federation.season_api import SeasonId
from faristol.gateway.http.responses import answers, to_tagged_response
from faristol.gateway.pages.render import VisitDep
from faristol.gateway.rpc.service import Service
from faristol.kernel.errors import NotFound
from faristol.pb.results.v1 import careers_pb2 as pb

PlayerId = Annotated[str, Path(max_length=64, description="The player.", examples=["anna-puig"])]
MinGames = Annotated[
    int, Query(ge=0, le=10_000, description="Number of games that an average requires; 0 for the usual one."), DIGITS
]


class CareerResults(Service):
    """Careers and the best results of seasons."""

    kept = "careers"


CareerReader = Annotated[CareerResults, Depends(CareerResults.for_visitor)]
"""Route parameter."""

json_routes = APIRouter(prefix="/api/v1", tags=["results"], dependencies=[KNOWN, TAGGED])
page_routes = APIRouter(include_in_schema=False)


@json_routes.get("/players/{player_id}/career", responses=answers(pb.GetCareerResponse))
async def get_career(
    careers: CareerReader,
    player_id: PlayerId,
    opponent: Annotated[str, Query(max_length=64, description="Return only this opponent, with the games.")] = "",
    min_position: MinPosition = 0,
) -> Response:
    """Return the career of a player: medals, totals, highest results, and the games against each opponent."""
    request = pb.GetCareerRequest(player_id=player_id, opponent_id=opponent, min_position=min_position)
    return await asyncio.to_thread(to_tagged_response, await careers.ask(request))


@json_routes.get("/seasons/{season_id}/bests", responses=answers(pb.GetSeasonBestsResponse))
async def get_season_bests(careers: CareerReader, season_id: SeasonId, when: When, min_games: MinGames = 0) -> Response:
    """Return the best results of a season: games, spreads, plays, averages and medals."""
    request = pb.GetSeasonBestsRequest(season_id=season_id, min_games=min_games, **when.fields())
    return await asyncio.to_thread(to_tagged_response, await careers.ask(request))


@page_routes.get("/players/{player_id}/career")
async def show_career(visit: VisitDep, careers: CareerReader, player_id: PlayerId) -> Response:
    """Show the career of a player with all opponents."""
    return await visit.show("seasons/career.html", career=await careers.ask(pb.GetCareerRequest(player_id=player_id)))


@page_routes.get("/players/{player_id}/career/{opponent_id}")
async def show_head_to_head(
    visit: VisitDep, careers: CareerReader, player_id: PlayerId, opponent_id: PlayerId
) -> Response:
    """Show the games of a player against an opponent. Raises ``NotFound`` if they have not met."""
    answer = await careers.ask(pb.GetCareerRequest(player_id=player_id, opponent_id=opponent_id))
    if not answer.opponents:
        raise NotFound("player", opponent_id)
    return await visit.show("seasons/head_to_head.html", career=answer, line=answer.opponents[0])


@page_routes.get("/seasons/{season_id}/bests")
async def show_season_bests(
    visit: VisitDep, careers: CareerReader, season_id: SeasonId, min_games: MinGames = 0
) -> Response:
    """Show the best results of a season."""
    answer = await careers.ask(pb.GetSeasonBestsRequest(season_id=season_id, min_games=min_games))
    return await visit.show("seasons/bests.html", answer=answer)
