"""Public pages of seasons: the list, a season, the ranking of a circuit, and the points of a player in it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.responses import Response

from faristol.gateway.federation.season_api import SeasonReader
from faristol.gateway.pages.render import VisitDep
from faristol.kernel.spellings import labels_of
from faristol.pb.results.v1 import results_pb2
from faristol.pb.results.v1 import seasons_pb2 as pb
from faristol.pb.season.v1 import events_pb2 as events

LEADER_LINES_COUNT = 10
"""Lines of each ranking on the page of a season."""

SeasonId = Annotated[str, Path(max_length=64)]
CircuitId = Annotated[str, Path(max_length=64)]
PlayerId = Annotated[str, Path(max_length=64)]

LABELS: Mapping[str, Any] = {
    "bases": labels_of(events.PointsBasis.DESCRIPTOR),
    "tie_break_names": labels_of(events.CircuitTieBreak.DESCRIPTOR),
}
"""Labels of the rules of circuits, by the names that the templates use."""

OUTCOMES: Mapping[int, results_pb2.Outcome.ValueType] = {
    2: results_pb2.OUTCOME_WIN,
    1: results_pb2.OUTCOME_DRAW,
    0: results_pb2.OUTCOME_LOSS,
}
"""Results of a game, by half-points."""

routes = APIRouter(include_in_schema=False)


@routes.get("/seasons")
async def show_seasons(visit: VisitDep, seasons: SeasonReader) -> Response:
    """Show all seasons with links to their circuits."""
    return await visit.show("seasons/list.html", answer=await seasons.ask(pb.ListSeasonsRequest()))


@routes.get("/seasons/{season_id}")
async def show_season(visit: VisitDep, seasons: SeasonReader, season_id: SeasonId) -> Response:
    """Show a season: its tournaments, and the leaders of each circuit."""
    answer = await seasons.ask(pb.GetSeasonRequest(season_id=season_id))
    rankings = await asyncio.gather(
        *(
            seasons.ask(pb.GetCircuitRequest(season_id=season_id, circuit_id=each.circuit_id))
            for each in answer.season.circuits
        )
    )
    return await visit.show(
        "seasons/season.html",
        season=answer.season,
        leaders={each.circuit_id: each.lines[:LEADER_LINES_COUNT] for each in rankings},
        lines={each.circuit_id: len(each.lines) for each in rankings},
        **LABELS,
    )


@routes.get("/seasons/{season_id}/circuits/{circuit_id}")
async def show_circuit(visit: VisitDep, seasons: SeasonReader, season_id: SeasonId, circuit_id: CircuitId) -> Response:
    """Show the ranking of a circuit, with the result of each player in each tournament."""
    answer = await seasons.ask(pb.GetCircuitRequest(season_id=season_id, circuit_id=circuit_id))
    return await visit.show("seasons/circuit.html", **_build_circuit_values(answer))


@routes.get("/seasons/{season_id}/circuits/{circuit_id}/{player_id}")
async def show_player_in_circuit(
    visit: VisitDep, seasons: SeasonReader, season_id: SeasonId, circuit_id: CircuitId, player_id: PlayerId
) -> Response:
    """Show how the points of a player in a circuit are computed, down to the games."""
    answer = await seasons.ask(pb.GetCircuitRequest(season_id=season_id, circuit_id=circuit_id, player_id=player_id))
    return await visit.show("seasons/player.html", line=answer.lines[0], **_build_circuit_values(answer))


def _build_circuit_values(answer: pb.GetCircuitResponse) -> dict[str, Any]:
    """Return the values that the templates of a circuit share."""
    return {
        "answer": answer,
        "circuit": answer.circuit,
        "finished": [each for each in answer.circuit.tournaments if each.finished],
        "tournaments": {each.tournament_id: each for each in answer.circuit.tournaments},
        "results": {line.player_id: {each.tournament_id: each for each in line.results} for line in answer.lines},
        "events": events,
        "outcomes": OUTCOMES,
        **LABELS,
    }
