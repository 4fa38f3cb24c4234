"""Public calls of the results service for seasons."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from faristol.gateway.cache.recorded_reads import Service
from faristol.gateway.rpc.results import NOW, Moment
from faristol.pb.results.v1 import seasons_pb2 as pb


class SeasonResults(Service):
    """Seasons and the rankings of their circuits."""

    kept = "seasons"

    async def seasons(self, min_position: int = 0) -> pb.ListSeasonsResponse:
        """Return the seasons with their circuits, the latest first."""
        return await self._ask(pb.ListSeasonsRequest(min_position=min_position))

    async def season(self, season_id: str, when: Moment = NOW) -> pb.GetSeasonResponse:
        """Return a season with its circuits and their tournaments."""
        return await self._ask(pb.GetSeasonRequest(season_id=season_id, **when.fields()))

    async def circuit(
        self, season_id: str, circuit_id: str, when: Moment = NOW, *, player_id: str = ""
    ) -> pb.GetCircuitResponse:
        """Return the ranking of a circuit, or the line of one player with the games of each result."""
        request = pb.GetCircuitRequest(season_id=season_id, circuit_id=circuit_id, player_id=player_id, **when.fields())
        return await self._ask(request)


SeasonReader = Annotated[SeasonResults, Depends(SeasonResults.for_visitor)]
"""Route parameter."""
