"""The conversion of the bytes of an old version to the current message."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from faristol.event_store import Metadata, Recorded, UnreadableEvent
from faristol.event_store.upcasters import Upcasters, message_class
from faristol.pb.game.v1 import events_pb2

PASSED = "faristol.game.v1.Passed"


def later(payload: bytes) -> bytes:
    passed = events_pb2.Passed.FromString(payload)
    passed.turn *= 10
    return passed.SerializeToString()


def build_recorded(schema_version: int, payload: bytes, type_name: str = PASSED) -> Recorded:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return Recorded(1, "game-a", 1, "id", type_name, schema_version, "cup", payload, Metadata(), at, bytes(32))


def test_an_event_passes_every_step_between_its_version_and_the_current_one() -> None:
    upcasters = Upcasters({PASSED: 4}, {(PASSED, 1): later, (PASSED, 3): later})
    payload = events_pb2.Passed(turn=7, player_id="anna").SerializeToString()
    assert upcasters.version(PASSED) == 4
    turns = [upcasters.message(PASSED, version, payload).turn for version in (1, 2, 3, 4)]  # type: ignore[attr-defined]
    assert turns == [700, 70, 70, 7]


def test_a_recorded_event_gives_the_message_of_today(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faristol.event_store.event.upcasters", Upcasters({PASSED: 2}, {(PASSED, 1): later}))
    payload = events_pb2.Passed(turn=7).SerializeToString()
    assert build_recorded(1, payload).message == events_pb2.Passed(turn=70)
    assert build_recorded(2, payload).message == events_pb2.Passed(turn=7)
    assert build_recorded(1, payload).payload == payload


def test_an_event_of_a_later_version_is_not_read_as_if_it_were_of_this_one() -> None:
    with pytest.raises(UnreadableEvent, match="is of schema version 2; this version of Faristol reads up to 1"):
        _ = build_recorded(2, b"").message


def test_a_type_that_nobody_knows_and_bytes_that_are_no_message_are_told_apart() -> None:
    with pytest.raises(UnreadableEvent, match=r"no event is called faristol\.game\.v1\.Forgotten"):
        message_class("faristol.game.v1.Forgotten")
    with pytest.raises(UnreadableEvent, match=r"the payload is not a faristol\.game\.v1\.Passed of schema version 1"):
        _ = build_recorded(1, b"\xff\xff").message


@pytest.mark.parametrize("version", [0, 2])
def test_a_step_that_leads_past_the_version_of_its_type_is_refused(version: int) -> None:
    with pytest.raises(ValueError, match="is at version 2: no step can start at"):
        Upcasters({PASSED: 2}, {(PASSED, version): later})
