"""The racks of a game, which the game service tells once its draws are public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import grpc
from fastapi import Depends
from pydantic import Field

from faristol.gateway.answers import Answer, Shown
from faristol.gateway.asked import AWAY, Service
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.pb.game.v1 import game_pb2_grpc
from faristol.pb.results.v1 import results_pb2 as results

Held = Mapping[tuple[int, str], Sequence[str]]
"""Racks by turn and player."""

SEARCH = 1.5
"""Seconds that a page waits for best plays. The search goes on without it: they are there for who asks later."""

_SECRET = (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.NOT_FOUND)
"""What is answered while draws are secret, where people draw, and of a table that was never opened."""


class GameService(Service):
    """What the game service tells the public of draws."""

    kept = "game"
    _stub: game_pb2_grpc.GameServiceAsyncStub

    async def racks(self, game: results.GetGameResponse) -> Held | None:
        """The racks of a game; None while they are not public, where people draw, and while the service is away."""
        if not (game.final and game.draw_commitment):
            return None
        try:
            answer = await self._asked(self._stub.ListDraws, pb.ListDrawsRequest(game_id=game.game_id))
        except grpc.aio.AioRpcError as error:
            if error.code() not in (*_SECRET, *AWAY):
                raise
            return None
        return {(held.turn, held.player_id): list(held.faces) for held in answer.racks}

    async def best_plays(self, game: results.GetGameResponse, turn: int, player_id: str) -> Sequence[pb.PossiblePlay]:
        """The best plays of a rack; none while they are not public, or not shown, or the service is away."""
        if not (game.final and game.draw_commitment):
            return ()
        request = pb.ListBestPlaysRequest(game_id=game.game_id)
        try:
            answer = await self._asked(self._stub.ListBestPlays, request, SEARCH)
        except grpc.aio.AioRpcError as error:
            if error.code() not in (*_SECRET, *AWAY):
                raise
            return ()
        return next((each.plays for each in answer.turns if (each.turn, each.player_id) == (turn, player_id)), ())


RackReader = Annotated[GameService, Depends(GameService.for_visitor)]
"""A parameter of a route."""


class HeldRack(Shown):
    """A rack as a player held it when a turn was played or lost."""

    turn: int = Field(description="The turn, from 1.")
    player_id: str
    faces: list[str] = Field(description="The tiles; `?` for a blank.")


class Racks(Answer):
    """The racks of a game, turn by turn."""

    game_id: str
    public: bool = Field(description="Racks are told: the result is final, and the system drew the tiles.")
    racks: list[HeldRack] = Field(description="In the order of the turns; empty where they are not public.")

    @classmethod
    def told(cls, game: results.GetGameResponse, held: Held | None) -> Racks:
        """Of a game, where its racks are ``held`` open."""
        return cls(
            position=game.position,
            game_id=game.game_id,
            public=held is not None,
            racks=[
                HeldRack(turn=turn, player_id=player_id, faces=list(faces))
                for (turn, player_id), faces in (held or {}).items()
            ],
        )
