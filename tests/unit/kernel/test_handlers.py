"""Handlers are found by the type of message in their signature."""

from __future__ import annotations

import sys
from typing import Any

from faristol.kernel.event_types import commands_in, folds_in, methods_of
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.game.v1 import events_pb2 as events


def _apply_turn(state: int, event: events.Passed | events.CannotPlay) -> int:
    return state + 1


def end_game(situation: int, request: pb.EndGameRequest) -> list[str]:
    return []


def _check_request(situation: int, request: pb.CallRackRequest) -> None:
    """Decide no command: it is private."""


class Service:
    async def carry_out(self, request: Any, context: None) -> None:
        """Answer no request of one type."""

    async def get(self, request: pb.GetDuplicateRequest, context: None) -> None: ...


def test_a_handler_is_found_by_each_type_of_its_parameter() -> None:
    service = Service()
    assert folds_in(__name__) == {events.Passed: _apply_turn, events.CannotPlay: _apply_turn}
    assert commands_in(sys.modules[__name__]) == {pb.EndGameRequest: end_game}
    assert methods_of(service) == {pb.GetDuplicateRequest: service.get}
