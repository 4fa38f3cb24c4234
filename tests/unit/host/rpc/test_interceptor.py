"""Text that databases do not accept, or that is longer than any name, does not reach a service."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from google.protobuf.message import Message

from faristol.host.rpc.interceptor import (
    MAX_METADATA_CHARACTERS,
    MAX_TEXT_CHARACTERS,
    MAX_VALUE_COUNT,
    check_size,
    check_text,
    find_excess_metadata,
)
from faristol.kernel.errors import Invalid
from faristol.kernel.times import AHEAD, occurred_at, to_timestamp
from faristol.pb.game.v1 import events_pb2, game_pb2
from faristol.pb.pairing.v1 import pairing_pb2

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


@pytest.mark.parametrize(
    "request_",
    [
        pairing_pb2.RegisterPlayersRequest(players=[pairing_pb2.RegisterPlayerRequest()] * (MAX_VALUE_COUNT + 1)),
        pairing_pb2.RegisterPlayersRequest(players=[pairing_pb2.RegisterPlayerRequest(name="Anna")] * MAX_VALUE_COUNT),
        game_pb2.ExchangeRequest(faces=["A"] * (MAX_VALUE_COUNT + 1)),
    ],
)
def test_a_request_with_too_many_values_is_refused(request_: Message) -> None:
    with pytest.raises(Invalid, match="has more than"):
        check_size(request_)


def test_the_results_of_the_largest_round_are_not_too_many_values() -> None:
    scores = [events_pb2.FinalScore(player_id=player, score=400) for player in ("a", "b")]
    result = pairing_pb2.GameResult(game_id="open-r1-t1", scores=scores)
    check_size(pairing_pb2.EnterResultsRequest(results=[result] * 5_000))


def test_metadata_without_measure_is_refused() -> None:
    usual: list[tuple[str, str | bytes]] = [
        ("authorization", "Bearer " + "x" * 4_000),
        ("faristol-actor-name-bin", b"x" * 200),
    ]
    assert find_excess_metadata(usual) is None
    assert find_excess_metadata(None) is None
    found = find_excess_metadata([*usual, ("x", "y" * MAX_METADATA_CHARACTERS)])
    assert found is not None
    assert found.field == "metadata"


def test_a_time_that_has_not_come_is_refused_and_a_clock_a_little_ahead_is_not() -> None:
    ahead = game_pb2.PassRequest(occurred_at=to_timestamp(NOW + AHEAD + timedelta(seconds=1)))
    with pytest.raises(Invalid, match="in the future"):
        occurred_at(ahead, lambda: NOW)
    just = game_pb2.PassRequest(occurred_at=to_timestamp(NOW + AHEAD))
    assert occurred_at(just, lambda: NOW) == just.occurred_at
