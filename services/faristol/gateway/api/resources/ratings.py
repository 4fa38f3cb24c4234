"""Ratings after a tournament, or their estimate from the results so far, as JSON."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import grpc
from fastapi import Depends
from pydantic import BaseModel, Field

from faristol.gateway.api.answers import Answer, moment
from faristol.gateway.cache.recorded_reads import UNAVAILABLE_CODES, Service
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.pb.rating.v1 import rating_pb2 as pb
from faristol.pb.rating.v1 import rating_pb2_grpc
from faristol.pb.results.v1 import results_pb2 as results


class RatingService(Service):
    """Public calls of the rating service."""

    kept = "ratings"
    _stub: rating_pb2_grpc.RatingServiceAsyncStub

    async def of(self, tournament_id: str) -> pb.EstimateRatingsResponse:
        """Return the rating list of a tournament, or an estimate."""
        return await self._call(self._stub.EstimateRatings, pb.EstimateRatingsRequest(tournament_id=tournament_id))

    async def of_if_there(self, tournament_id: str) -> pb.EstimateRatingsResponse | None:
        """Return the same, or None if the service is unavailable or the tournament is not rated."""
        try:
            return await self.of(tournament_id)
        except grpc.aio.AioRpcError as error:
            if error.code() not in (*UNAVAILABLE_CODES, grpc.StatusCode.FAILED_PRECONDITION):
                raise
            return None


RatingReader = Annotated[RatingService, Depends(RatingService.for_visitor)]
"""Route parameter."""


class Rating(BaseModel):
    """Player's rating before and after."""

    player_id: str
    name: str = Field(description="Name; empty after an erasure.")
    club: str = Field(description="Club; may be empty.")
    country: str = Field(description="Three letters, or empty.", examples=["AND"])
    rating: int = Field(description="Rating at the start.")
    unrated: bool = Field(description="The player had no published rating.")
    new_rating: int = Field(description="Rating after the tournament, or an estimate by the results so far.")
    change: int = Field(description="Change of the rating.")
    games: int = Field(description="Rated games; byes and forfeits are not rated.")
    points: float = Field(description="Wins; a draw counts as one half.")
    expected: float = Field(description="Expected wins by the ratings.")
    deviation: float | None = Field(description="Deviation of the rating; null if the system does not define one.")
    volatility: float | None = Field(description="Volatility of the rating; null if the system does not define one.")

    @classmethod
    def of(cls, line: events.RatingUpdated, player: results.Player) -> Rating:
        """Build the answer from contract messages."""
        return cls(
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


class Ratings(Answer):
    """Rating list after a tournament, or its estimate. No system is the official one of a federation."""

    system: str = Field(description="Name and version of the rating system.", examples=["elo-1"])
    estimate: bool = Field(description="The ratings are an estimate by the results so far, not a published list.")
    revision: int = Field(description="Number of revisions of the list.")
    published_at: datetime | None = Field(
        description="Time of the first publication of the list; null for an estimate."
    )
    revised_at: datetime | None = Field(description="Time of the last revision of the list; null without a revision.")
    ratings: list[Rating] = Field(description="Lines by new rating, highest first.")

    @classmethod
    def join_players(cls, found: pb.EstimateRatingsResponse, players: results.ListPlayersResponse) -> Ratings:
        """Join ratings and players from contract messages. A player who entered between the calls is left out."""
        known = {player.player_id: player for player in players.players}
        return cls(
            position=min(found.position, players.position),
            system=found.system,
            estimate=not found.published,
            revision=found.revision,
            published_at=moment(found.occurred_at) if found.HasField("occurred_at") else None,
            revised_at=moment(found.revised_at) if found.HasField("revised_at") else None,
            ratings=[Rating.of(line, known[line.player_id]) for line in found.ratings if line.player_id in known],
        )
