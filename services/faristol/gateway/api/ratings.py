"""Ratings after a tournament, or their estimate from the results so far."""

from __future__ import annotations

from typing import Annotated

import grpc
from fastapi import Depends

from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.service import UNAVAILABLE_CODES, Service
from faristol.pb.api.v1 import answers_pb2 as api
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.pb.rating.v1 import rating_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results


class RatingService(Service):
    """Public calls of the rating service."""

    kept = "ratings"

    async def of(self, tournament_id: str) -> pb.EstimateRatingsResponse:
        """Return the rating list of a tournament, or an estimate."""
        return await self.ask(pb.EstimateRatingsRequest(tournament_id=tournament_id))

    async def of_if_there(self, tournament_id: str) -> pb.EstimateRatingsResponse | None:
        """Return the same, or None if the service is unavailable or the tournament is not rated."""
        return await answer_or(self.of(tournament_id), None, *UNAVAILABLE_CODES, grpc.StatusCode.FAILED_PRECONDITION)


RatingReader = Annotated[RatingService, Depends(RatingService.for_visitor)]
"""Route parameter."""


def join_ratings(found: pb.EstimateRatingsResponse, players: results.ListPlayersResponse) -> api.Ratings:
    """Join ratings and players. A player who entered between the calls is left out."""
    known = {player.player_id: player for player in players.players}
    answer = api.Ratings(
        position=min(found.position, players.position),
        system=found.system,
        estimate=not found.published,
        revision=found.revision,
        ratings=[_rating(line, known[line.player_id]) for line in found.ratings if line.player_id in known],
    )
    if found.HasField("occurred_at"):
        answer.published_at.CopyFrom(found.occurred_at)
    if found.HasField("revised_at"):
        answer.revised_at.CopyFrom(found.revised_at)
    return answer


def _rating(line: events.RatingUpdated, player: results.Player) -> api.Rating:
    return api.Rating(
        player_id=line.player_id,
        name=player.name,
        club=player.club,
        country=player.country,
        rating=line.before,
        unrated=player.unrated,
        new_rating=line.after,
        change=line.after - line.before,
        games=line.games,
        points=line.half_points / 2,
        expected=line.expected_milli / 1_000,
        deviation=line.deviation / 100 if line.deviation else None,
        volatility=line.volatility / 1_000_000 if line.volatility else None,
    )
