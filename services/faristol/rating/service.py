"""gRPC in: who reads a rating list."""

from __future__ import annotations

from typing import Any

import grpc

from faristol.host.errors import Invalid, NotFound
from faristol.pb.rating.v1 import events_pb2 as events
from faristol.pb.rating.v1 import rating_pb2 as rating
from faristol.pb.rating.v1 import rating_pb2_grpc as rating_grpc
from faristol.rating.model import RatingList, evolve, stream
from faristol.record import Record, load
from faristol.rules.refusal import N_

Context = grpc.aio.ServicerContext[Any, Any]


class RatingService(rating_grpc.RatingServiceServicer):
    """The rating lists of a cell."""

    def __init__(self, record: Record) -> None:
        self._record = record

    async def GetRatingList(  # noqa: N802
        self, request: rating.GetRatingListRequest, context: Context
    ) -> rating.GetRatingListResponse:
        """The list after a tournament, highest rating first."""
        if not request.tournament_id:
            raise Invalid("tournament_id", N_("is empty; expected the id of a tournament"))
        loaded = await load(self._record, stream(request.tournament_id), RatingList(), evolve)
        found = loaded.state
        if not loaded.version:
            raise NotFound("rating list", request.tournament_id)
        ordered = sorted(found.changes, key=lambda change: (-change.after, change.player_id))
        return rating.GetRatingListResponse(
            tournament_id=found.tournament_id,
            system=found.system,
            ratings=[
                events.RatingUpdated(
                    player_id=change.player_id,
                    before=change.before,
                    after=change.after,
                    games=change.games,
                    half_points=change.half_points,
                    expected_milli=change.expected_milli,
                )
                for change in ordered
            ],
            occurred_at=found.occurred_at,
        )
