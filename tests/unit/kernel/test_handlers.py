"""Functions are found by the messages that they handle."""

from __future__ import annotations

import pytest

from faristol.kernel.event_types import find_handlers
from faristol.pb.pairing.v1 import events_pb2 as events


def _apply_left(of: list[str], event: events.PlayerWithdrawn | events.TeamWithdrawn) -> None:
    of.append("left")


def _apply_team(of: list[str], event: events.TeamWithdrawn) -> None:
    of.append("team")


def _other(of: list[str], event: events.HallsSet) -> None:
    of.append("other")


def _apply_nothing(of: list[str]) -> None:
    of.append("nothing")


def test_a_function_for_one_message_takes_precedence_and_two_of_them_are_refused() -> None:
    found = find_handlers(globals(), "event", "_apply_")
    assert found == {events.PlayerWithdrawn: _apply_left, events.TeamWithdrawn: _apply_team}
    with pytest.raises(ValueError, match="TeamWithdrawn, found _apply_team, _apply_team"):
        find_handlers({"_apply_a": _apply_team, "_apply_b": _apply_team}, "event")
