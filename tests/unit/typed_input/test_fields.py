"""The text of a field becomes its value in the contract, or an error that names the field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.spellings import names_of
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import events_pb2, game_pb2
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.typed_input.fields import Kind, format_duration, kind_of, parse_choice, parse_duration, parse_value


def field(request: type[Message], name: str) -> Any:
    return request.DESCRIPTOR.fields_by_name[name]


@pytest.mark.parametrize(
    ("request_type", "name", "kind", "text", "value"),
    [
        (pairing.GrantByeRequest, "player_id", Kind.PLAYER, " anna ", "anna"),
        (pairing.GrantByeRequest, "kind", Kind.CHOICE, "Half-Point", pairing_events.BYE_KIND_HALF_POINT),
        (pairing.GrantByeRequest, "kind", Kind.CHOICE, "3", 3),
        (pairing.GrantByeRequest, "round", Kind.NUMBER, "−2", -2),
        (pairing.UndoActRequest, "version", Kind.NUMBER, "4294967296", 2**32),
        (pairing.DecideAppealRequest, "upheld", Kind.TICK, "1", True),
        (pairing.DecideAppealRequest, "upheld", Kind.TICK, "0", False),
        (pairing.MovePlayerRequest, "to_tournament_id", Kind.TOURNAMENT, "b", "b"),
        (pairing.RegisterPlayerRequest, "country", Kind.CAPITALS, "esp", "ESP"),
        (game_pb2.SettleBlankRequest, "face", Kind.CAPITALS, "ny", "NY"),
        (game_pb2.RecordWordAskedRequest, "word", Kind.TILES, "a ny", events_pb2.Word(faces=["A", "NY"])),
        (clock_pb2.CorrectClockRequest, "used_ms", Kind.DURATION, "12:30", 750_000),
        (pairing.CreateTournamentRequest, "seed", Kind.BYTES, "00ff", b"\x00\xff"),
        (pairing.WarnPlayerRequest, "note", Kind.TEXT, " noise ", "noise"),
    ],
)
def test_a_text_is_read_by_the_kind_of_its_field(
    request_type: type[Message], name: str, kind: Kind, text: str, value: object
) -> None:
    found = field(request_type, name)
    assert (kind_of(found), parse_value(found, text)) == (kind, value)


@pytest.mark.parametrize(
    ("request_type", "name", "text"),
    [
        (pairing.GrantByeRequest, "kind", "half"),
        (pairing.GrantByeRequest, "round", "2147483648"),
        (pairing.GrantByeRequest, "round", "1_000"),
        (pairing.GrantByeRequest, "round", "9" * 5_000),
        (pairing.UndoActRequest, "version", "9223372036854775808"),
        (clock_pb2.CorrectClockRequest, "used_ms", "12.30"),
        (pairing.PostponeGameRequest, "postponed_to", "tomorrow"),
    ],
)
def test_what_a_field_cannot_hold_is_refused_by_its_name_in_the_form(
    request_type: type[Message], name: str, text: str
) -> None:
    with pytest.raises(Invalid) as wrong:
        parse_value(field(request_type, name), text, "there")
    assert wrong.value.field == "there"


@pytest.mark.parametrize(("text", "ms"), [("0:15.1", 15_100), ("1:05", 65_000), ("12:30", 750_000)])
def test_a_duration_is_minutes_and_seconds(text: str, ms: int) -> None:
    assert parse_duration("used_ms", text) == ms
    assert format_duration(ms) == text


@pytest.mark.parametrize(
    ("parse", "text", "expected"),
    [
        (parse_duration, "1:60", "expected minutes and seconds"),
        (parse_duration, "٣:00", "expected minutes and seconds"),
        (
            lambda key, text: parse_choice(key, text, events_pb2.Keeping.DESCRIPTOR),
            "hosted?",
            "expected hosted, recorded",
        ),
        (lambda key, text: parse_choice(key, text, events_pb2.Keeping.DESCRIPTOR), "99", "expected hosted, recorded"),
    ],
)
def test_an_invalid_value_is_refused_with_what_was_expected(
    parse: Callable[[str, str], int], text: str, expected: str
) -> None:
    with pytest.raises(Invalid, match=expected):
        parse("there", text)


def test_an_enumeration_is_written_by_its_name_or_number() -> None:
    for word, number in names_of(events_pb2.Keeping.DESCRIPTOR).items():
        assert parse_choice("keeping", word.upper(), events_pb2.Keeping.DESCRIPTOR) == number
        assert parse_choice("keeping", str(number), events_pb2.Keeping.DESCRIPTOR) == number
