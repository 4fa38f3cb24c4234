"""Fields of commands as people write them: one codec for each kind of field of the contract. Pure.

Forms of pages, options of the command line and rulebook cases read their values here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from google.protobuf.descriptor import EnumDescriptor, FieldDescriptor
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import names_of
from faristol.kernel.times import moments_of, to_timestamp
from faristol.pb.game.v1 import events_pb2 as game

NOT_A_NUMBER = N_("expected a whole number, got {given}")
NOT_A_CHOICE = N_("expected {expected}, got {given}")
NOT_A_DURATION = N_("expected minutes and seconds, such as 12:30, got {given}")
NOT_HEXADECIMAL = N_("expected pairs of hexadecimal digits, such as 4f9a, got {given}")
NOT_A_TIME = N_("Expected a date and a time.")
NO_SUCH_TIME = N_("There is no {time} on {date}: daylight saving time begins.")
TWO_SUCH_TIMES = N_("{time} occurs twice on {date}, when daylight saving time ends. Choose one of the two.")

_NUMBER_PATTERN = re.compile(r"[-+]?\d{1,19}", re.ASCII)
_DURATION_PATTERN = re.compile(r"(\d{1,4}):([0-5]\d)(?:\.(\d{1,3}))?", re.ASCII)
_MOMENT_PATTERN = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ] *(\d\d?)[:.](\d\d)((?::\d\d(?:\.\d{1,6})?)?(?: *Z|[+-]\d\d:?\d\d)?)",
    re.ASCII | re.IGNORECASE,
)
"""A day with a time. Python would read a day without a time as midnight, and ``10.30`` as 10:00 and 0.3 s."""
_BITS = {FieldDescriptor.CPPTYPE_INT32: 32, FieldDescriptor.CPPTYPE_INT64: 64}


class Kind(StrEnum):
    """Kind of a field, which decides its written form."""

    PLAYER = "player"
    TEAM = "team"
    PERSON = "person"
    """A person who need not be a player."""
    TOURNAMENT = "tournament"
    GAME = "game"
    CHOICE = "choice"
    """A value of an enumeration."""
    TICK = "tick"
    NUMBER = "number"
    DURATION = "duration"
    """Milliseconds, written in minutes and seconds."""
    MOMENT = "moment"
    TILES = "tiles"
    """Tiles, separated by spaces: a word, or faces."""
    CAPITALS = "capitals"
    """Text in capital letters: a letter, or the code of a country."""
    BYTES = "bytes"
    TEXT = "text"
    PARTS = "parts"
    """A message with separate fields."""


_NAMED_KINDS = {
    **dict.fromkeys(
        ("player_id", "player_ids", "other_player_id", "drawer_id", "loser_ids", "winner_id", "abandoned_by"),
        Kind.PLAYER,
    ),
    **dict.fromkeys(("team_id", "team_ids"), Kind.TEAM),
    **dict.fromkeys(("arbiter_id", "decided_by", "person_id", "answerer_id"), Kind.PERSON),
    **dict.fromkeys(("division_of", "to_tournament_id"), Kind.TOURNAMENT),
    "game_id": Kind.GAME,
    "faces": Kind.TILES,
    **dict.fromkeys(("face", "stated", "country"), Kind.CAPITALS),
}


class AmbiguousTime(Invalid):
    """A local time that clocks show twice."""

    def __init__(self, field: str, local: datetime, moments: Sequence[datetime]) -> None:
        super().__init__(field, TWO_SUCH_TIMES, _describe_local(local))
        self.moments = moments
        """Both moments in UTC, in order."""


def kind_of(field: Any) -> Kind:
    """Return the kind of a field, a descriptor."""
    if field.message_type is not None:
        if field.message_type.full_name == game.Word.DESCRIPTOR.full_name:
            return Kind.TILES
        return Kind.MOMENT if field.message_type.full_name == Timestamp.DESCRIPTOR.full_name else Kind.PARTS
    if field.enum_type is not None:
        return Kind.CHOICE
    if field.cpp_type in _BITS:
        return Kind.DURATION if field.name.endswith("_ms") else Kind.NUMBER
    if field.type == FieldDescriptor.TYPE_BOOL:
        return Kind.TICK
    if field.type == FieldDescriptor.TYPE_BYTES:
        return Kind.BYTES
    return _NAMED_KINDS.get(field.name, Kind.TEXT)


def _parse_bytes(key: str, text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise Invalid(key, NOT_HEXADECIMAL, {"given": repr(text[:40])}) from error


def parse_value(field: Any, text: str, key: str = "", zone: str = "UTC", which: str = "") -> Any:
    """Return the value of a field that a text means. A field of a list has one value a call.

    ``key`` is its name in errors; ``zone`` and ``which`` are those of ``parse_moment``. Names are returned as they are.
    Raises ``Invalid``.
    """
    key, text = key or field.name, text.strip()
    match kind_of(field):
        case Kind.CHOICE:
            return parse_choice(key, text, field.enum_type)
        case Kind.NUMBER:
            return parse_number(key, text, _BITS[field.cpp_type])
        case Kind.DURATION:
            return parse_duration(key, text)
        case Kind.TICK:
            return text not in ("", "0")
        case Kind.BYTES:
            return _parse_bytes(key, text)
        case Kind.MOMENT:
            return to_timestamp(parse_moment(key, text, zone, which))
        case Kind.TILES:
            return game.Word(faces=text.upper().split()) if field.message_type is not None else text.upper()
        case Kind.CAPITALS:
            return text.upper()
    return text


_ENUM_NUMBER_PATTERN = re.compile("[0-9]{1,9}")


def parse_choice(key: str, text: str, enum: EnumDescriptor) -> int:
    """Return the value of an enumeration, by its name in kebab case or its number. Raises ``Invalid``."""
    named = names_of(enum)
    given = int(text) if _ENUM_NUMBER_PATTERN.fullmatch(text) else -1
    if (number := named.get(text.lower(), given)) in named.values():
        return number
    expected = ", ".join(word for word, value in named.items() if value)
    raise Invalid(key, NOT_A_CHOICE, {"given": repr(text), "expected": expected})


def parse_number(key: str, text: str, bits: int = 32) -> int:
    """Return a whole number that a signed integer of ``bits`` can hold. Raises ``Invalid``."""
    text = text.strip().replace("−", "-")
    number = int(text) if _NUMBER_PATTERN.fullmatch(text) else 1 << bits
    if not -(1 << (bits - 1)) <= number < 1 << (bits - 1):
        raise Invalid(key, NOT_A_NUMBER, {"given": repr(text)})
    return number


def parse_duration(key: str, text: str) -> int:
    """Return the milliseconds of a time in minutes and seconds, ``24:50`` or ``0:15.1``. Raises ``Invalid``."""
    if (match := _DURATION_PATTERN.fullmatch(text)) is None:
        raise Invalid(key, NOT_A_DURATION, {"given": repr(text)})
    minutes, seconds, part = match.groups()
    return (int(minutes) * 60 + int(seconds)) * 1000 + int((part or "").ljust(3, "0"))


def format_duration(milliseconds: int) -> str:
    """Format milliseconds as ``parse_duration`` reads them."""
    minutes, rest = divmod(milliseconds, 60_000)
    seconds, part = divmod(rest, 1000)
    return f"{minutes}:{seconds:02}" + (f".{part:03}".rstrip("0") if part else "")


def parse_moment(key: str, text: str, zone: str, which: str = "") -> datetime:
    """Return the moment in UTC of a date and time: ``2026-03-07T17:30``, in ``zone`` unless it has an offset.

    A space may stand for the ``T``, and a full stop for the colon: ``2026-03-07 9.30``. ``which`` is ``first`` or
    ``second`` for a time that clocks show twice. Raises ``Invalid``, and ``AmbiguousTime`` without ``which``.
    """
    if (found := _MOMENT_PATTERN.fullmatch(text.strip())) is None:
        raise Invalid(key, NOT_A_TIME)
    day, hour, minute, rest = found.groups()
    try:
        local = datetime.fromisoformat(f"{day}T{hour:0>2}:{minute}{rest.upper().replace(' ', '')}")
        if local.tzinfo is not None:
            return local.astimezone(UTC)
        moments = moments_of(local, ZoneInfo(zone or "UTC"))
    except (ValueError, OverflowError):  # OverflowError: a moment before the year 1 in UTC
        raise Invalid(key, NOT_A_TIME) from None
    if not moments:
        raise Invalid(key, NO_SUCH_TIME, _describe_local(local))
    if len(moments) > 1 and which not in ("first", "second"):
        raise AmbiguousTime(key, local, moments)
    return moments[-1 if which == "second" else 0]


def _describe_local(local: datetime) -> dict[str, str]:
    return {"time": f"{local:%H:%M}", "date": f"{local:%Y-%m-%d}"}
