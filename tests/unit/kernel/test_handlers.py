"""Handlers are found by the type of message in their signature."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from faristol.kernel.event_types import commands_in, find_handlers, folds_in, methods_of
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import events_pb2 as pairing


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


def _change_left(of: list[str], event: pairing.PlayerWithdrawn | pairing.TeamWithdrawn) -> None:
    of.append("left")


def _change_team(of: list[str], event: pairing.TeamWithdrawn) -> None:
    of.append("team")


def test_a_function_for_one_message_takes_precedence_and_two_of_them_are_refused() -> None:
    found = find_handlers(globals(), "event", "_change_")
    assert found == {pairing.PlayerWithdrawn: _change_left, pairing.TeamWithdrawn: _change_team}
    with pytest.raises(ValueError, match="TeamWithdrawn, found _change_team, _change_team"):
        find_handlers({"_change_a": _change_team, "_change_b": _change_team}, "event")
