"""No text reaches a service that no database takes, and none is longer than a name can be."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from faristol.host.rpc.interceptor import MAX_TEXT_CHARACTERS, check_text
from faristol.kernel.errors import Invalid
from faristol.kernel.times import AHEAD, occurred_at, to_timestamp
from faristol.pb.game.v1 import events_pb2, game_pb2

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (game_pb2.GetGameRequest(game_id="a\0b"), "game_id"),
        (game_pb2.GetGameRequest(game_id="x" * (MAX_TEXT_CHARACTERS + 1)), "game_id"),
        (game_pb2.ExchangeRequest(faces=["A", "\0"]), "faces"),
        (
            game_pb2.PlacePlayRequest(placements=[events_pb2.Placement(face=face) for face in ("A", "\0")]),
            "placements[1].face",
        ),
        (game_pb2.ChallengeRequest(words=[events_pb2.Word(faces=["y" * 9_999])]), "words[0].faces"),
    ],
)
def test_a_text_that_cannot_be_is_told_with_its_field(request_: game_pb2.GetGameRequest, field: str) -> None:
    with pytest.raises(Invalid) as told:
        check_text(request_)
    assert told.value.field == field


def test_texts_as_people_write_them_pass() -> None:
    check_text(game_pb2.PlacePlayRequest(game_id="cup-r1-t1", placements=[events_pb2.Placement(face="L·L")]))
    check_text(game_pb2.GetGameRequest(game_id="x" * MAX_TEXT_CHARACTERS))


def test_a_time_that_has_not_come_is_refused_and_a_clock_a_little_ahead_is_not() -> None:
    ahead = game_pb2.PassRequest(occurred_at=to_timestamp(NOW + AHEAD + timedelta(seconds=1)))
    with pytest.raises(Invalid, match="in the future"):
        occurred_at(ahead, lambda: NOW)
    just = game_pb2.PassRequest(occurred_at=to_timestamp(NOW + AHEAD))
    assert occurred_at(just, lambda: NOW) == just.occurred_at
