"""What the game service tells everybody of duplicate games."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

import grpc
from fastapi import Depends

from faristol.gateway.asked import AWAY, DEADLINE, Service
from faristol.kernel.topics import place_of, place_of_duplicate
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.game.v1 import duplicate_pb2_grpc

AT_ONCE = 8
"""Halls whose sheets are asked for at a time."""


class Duplicates(Service):
    """Duplicate games."""

    kept = "duplicate"
    _stub: duplicate_pb2_grpc.DuplicateServiceAsyncStub

    async def game(self, game_id: str) -> pb.GetDuplicateResponse:
        """A game. The time of the answer is left out: it would make another answer of the same."""
        request = pb.GetDuplicateRequest(game_id=game_id)
        answer = await self._stub.GetDuplicate(request, timeout=DEADLINE, metadata=self._metadata)
        answer.ClearField("now")
        self._note(request, answer)
        return answer

    async def standings(self, game_id: str) -> pb.GetDuplicateStandingsResponse:
        """The standings after the turns that are scored."""
        request = pb.GetDuplicateStandingsRequest(game_id=game_id)
        return await self._asked(self._stub.GetDuplicateStandings, request)

    async def totals(self, tournament_id: str) -> pb.GetDuplicateTotalsResponse:
        """The standings of all games of a tournament, summed."""
        request = pb.GetDuplicateTotalsRequest(tournament_id=tournament_id)
        return await self._asked(self._stub.GetDuplicateTotals, request)

    async def train(self, request: pb.TrainTurnRequest) -> pb.TrainTurnResponse:
        """A turn of a game that somebody plays alone."""
        return await self._asked(self._stub.TrainTurn, request)

    async def sheet(
        self, game_id: str, hall: str = "", player_id: str = "", *, seats_alone: bool = False
    ) -> pb.GetHallSheetResponse:
        """What the players of a hall have of the turns that are scored, or one player wherever they sit.

        Their numbers alone where ``seats_alone`` matter.
        """
        request = pb.GetHallSheetRequest(game_id=game_id, hall=hall, player_id=player_id, seats_alone=seats_alone)
        return await self._asked(self._stub.GetHallSheet, request)

    async def sheets(
        self, game: pb.GetDuplicateResponse, *, seats_alone: bool = False
    ) -> Sequence[pb.GetHallSheetResponse]:
        """The sheets of all halls, in their order; the numbers of the players alone where ``seats_alone`` matter."""
        gate = asyncio.Semaphore(AT_ONCE)

        async def of(hall: str) -> pb.GetHallSheetResponse:
            async with gate:
                return await self.sheet(game.game_id, hall, seats_alone=seats_alone)

        return await asyncio.gather(*(of(hall.name) for hall in game.halls))


DuplicateReader = Annotated[Duplicates, Depends(Duplicates.for_visitor)]
"""A parameter of a route."""


async def is_duplicate(games: Duplicates, game_id: str) -> bool:
    """Whether there is a duplicate game of that id; not where the game service is away.

    Raises ``grpc.aio.AioRpcError`` for what it refuses otherwise.
    """
    if place_of(game_id)[0] or not place_of_duplicate(game_id)[0]:
        return False
    try:
        await games.game(game_id)
    except grpc.aio.AioRpcError as error:
        if error.code() in (grpc.StatusCode.NOT_FOUND, *AWAY):
            return False
        raise
    return True
