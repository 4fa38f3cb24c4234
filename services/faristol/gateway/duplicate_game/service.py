"""Public calls of the game service for duplicate games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import grpc
from fastapi import Depends

from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.concurrency import ask_each
from faristol.gateway.rpc.service import UNAVAILABLE_CODES, Service
from faristol.kernel.topics import place_of, place_of_duplicate
from faristol.pb.game.v1 import duplicate_pb2 as pb


class Duplicates(Service):
    """Duplicate games."""

    kept = "duplicate"

    async def game(self, game_id: str) -> pb.GetDuplicateResponse:
        """Return a game without the time of the answer, which would make equal answers differ."""
        return await self.ask(pb.GetDuplicateRequest(game_id=game_id), without="now")

    async def standings(self, game_id: str) -> pb.GetDuplicateStandingsResponse:
        """Return the standings after the scored turns."""
        return await self.ask(pb.GetDuplicateStandingsRequest(game_id=game_id))

    async def totals(self, tournament_id: str) -> pb.GetDuplicateTotalsResponse:
        """Return the summed standings of all games of a tournament."""
        return await self.ask(pb.GetDuplicateTotalsRequest(tournament_id=tournament_id))

    async def sheet(
        self, game_id: str, hall: str = "", player_id: str = "", *, seats_alone: bool = False
    ) -> pb.GetHallSheetResponse:
        """Return the sheets of a hall for the scored turns, or that of one player in any hall.

        With ``seats_alone``, only the numbers of the players.
        """
        request = pb.GetHallSheetRequest(game_id=game_id, hall=hall, player_id=player_id, seats_alone=seats_alone)
        return await self.ask(request)

    async def sheets(
        self, game: pb.GetDuplicateResponse, *, seats_alone: bool = False
    ) -> Sequence[pb.GetHallSheetResponse]:
        """Return the sheets of all halls in their order; with ``seats_alone``, only the players' numbers."""

        async def ask(hall: str) -> pb.GetHallSheetResponse:
            return await self.sheet(game.game_id, hall, seats_alone=seats_alone)

        return [*(await ask_each(ask, [hall.name for hall in game.halls])).values()]


DuplicateReader = Annotated[Duplicates, Depends(Duplicates.for_visitor)]
"""Route parameter."""


async def is_duplicate(games: Duplicates, game_id: str) -> bool:
    """Check whether a duplicate game has that id; False if the game service is unavailable.

    Raises ``grpc.aio.AioRpcError`` for other refusals.
    """
    if place_of(game_id)[0] or not place_of_duplicate(game_id)[0]:
        return False
    found = await answer_or(games.game(game_id), None, grpc.StatusCode.NOT_FOUND, *UNAVAILABLE_CODES)
    return found is not None
