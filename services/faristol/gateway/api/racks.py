"""Racks of a game, available from the game service when its draws are public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import grpc
from fastapi import Depends

from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.service import UNAVAILABLE_CODES, Service
from faristol.pb.api.v1 import answers_pb2 as api
from faristol.pb.game.v1 import game_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results

RacksByTurn = Mapping[tuple[int, str], Sequence[str]]
"""Racks by turn and player."""

BEST_PLAYS_TIMEOUT_SECONDS = 1.5
"""Timeout of a page for best plays in seconds. The search continues, for later requests."""

_ABSENT_CODES = (grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.NOT_FOUND, *UNAVAILABLE_CODES)
"""Status codes for secret draws, draws by people, a table that was never opened, and an unavailable service."""


class GameService(Service):
    """Public calls of the game service about draws."""

    kept = "game"

    async def racks(self, game: results.GetGameResponse) -> RacksByTurn | None:
        """Return the racks of a game; None if they are not public, not recorded, or the service is unavailable."""
        if not (game.final and game.draw_commitment):
            return None
        answer = await answer_or(self.ask(pb.ListDrawsRequest(game_id=game.game_id)), None, *_ABSENT_CODES)
        return answer and {(held.turn, held.player_id): list(held.faces) for held in answer.racks}

    async def best_plays(self, game: results.GetGameResponse, turn: int, player_id: str) -> Sequence[pb.PossiblePlay]:
        """Return the best plays of a rack; empty if they are not public or the service is unavailable."""
        if not (game.final and game.draw_commitment):
            return ()
        asked = self.ask(pb.ListBestPlaysRequest(game_id=game.game_id), BEST_PLAYS_TIMEOUT_SECONDS)
        answer = await answer_or(asked, pb.ListBestPlaysResponse(), *_ABSENT_CODES)
        return next((each.plays for each in answer.turns if (each.turn, each.player_id) == (turn, player_id)), ())


RackReader = Annotated[GameService, Depends(GameService.for_visitor)]
"""Route parameter."""


def build_racks(game: results.GetGameResponse, held: RacksByTurn | None) -> api.Racks:
    """Build the answer from a game and its public racks; ``held`` is None if they are not public."""
    racks = [
        pb.HeldRack(turn=turn, player_id=player_id, faces=faces) for (turn, player_id), faces in (held or {}).items()
    ]
    return api.Racks(position=game.position, game_id=game.game_id, public=held is not None, racks=racks)
