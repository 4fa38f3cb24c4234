"""The fields of the contract in their written form on the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

import typer
from google.protobuf.descriptor import FieldDescriptor as Field
from google.protobuf.message import Message

from faristol.cli.options import in_language
from faristol.kernel.errors import Invalid
from faristol.kernel.quotation import likely
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import names_of
from faristol.presentation.names import Named, candidates
from faristol.presentation.tournament_commands import Command
from faristol.table_terminal.shared.common import localize
from faristol.table_terminal.shared.names import TournamentNames, Unclear
from faristol.typed_input.fields import NO_SUCH_TIME, AmbiguousTime, Kind, kind_of, parse_value

TEAM_FOR: Mapping[str, str] = {"player_id": "team_id", "player_ids": "team_ids"}
"""The team field for a player field."""

WRITE_WHICH = N_("{time} occurs twice on {date}, when daylight saving time ends: write {first} or {second}.")
CANNOT_BE = N_("{field} cannot be {given}: expected {expected}")
CANNOT_BE_NEAR = N_("{field} cannot be {given}; did you mean {near}? Expected {expected}")

WHICH_GAME = N_("specify the game: use its id, or its table with --table and --round")

DRAW = "draw"
"""Word for an assumed draw."""

MESSAGE_FORMS: Mapping[str, str] = {
    "FinalScore": "PLAYER=SCORE",
    "Hall": "NAME=FIRST-LAST[/ROW+ROW...[/entrance:SIDE][/stage:SIDE][/turning]]",
    "RoundTime": "ROUND=TIME",
    "Appointment": "PERSON=ROLE[=COUNTRY[=NAME]]",
    "AssumedResult": "GAME=WINNER|draw",
}
"""Written forms of messages with parts, if they differ from NAME=VALUE."""


def choices(field: Any, values: Mapping[str, str]) -> list[str]:
    """List the words of an enumeration, with the replacements of an act."""
    other = {name: word for word, name in values.items()}
    return [other.get(name, name) for name, number in names_of(field.enum_type).items() if number]


def describe_syntax(field: Any, values: Mapping[str, str]) -> str:
    """Return the written form of a value: ``lost|played-out``, ``PLAYER=SCORE``."""
    if field.enum_type is not None:
        return "|".join(choices(field, values))
    if field.message_type is None:
        kinds = {Field.TYPE_BYTES: "HEX", Field.TYPE_STRING: "TEXT"}
        return kinds.get(field.type, "NUMBER")
    if kind_of(field) is Kind.MOMENT:
        return "TIME"
    parts = [part.name.removesuffix("_id").upper() for part in field.message_type.fields]
    return MESSAGE_FORMS.get(field.message_type.name) or "=".join(parts)


def option_of(act: Command, field: Any) -> str:
    """Return the option of a field: ``--arbiter`` for ``arbiter_id``, ``--score`` for ``scores``."""
    if field.name in act.spelled:
        return f"--{act.spelled[field.name]}"
    if field.name == "occurred_at":
        return "--at"
    name = re.sub(r"_ids?$", "", field.name)
    if field.is_repeated and name == field.name:
        name = re.sub(r"ie$", "y", name.removesuffix("s"))
    return f"--{name.replace('_', '-')}"


class Reader:
    """Reads values from the command line into the fields of a request."""

    def __init__(
        self, act: Command, request: Any, known: TournamentNames | None, tournament: Callable[[str], str]
    ) -> None:
        self._act = act
        self._arguments = act.positional(request)
        self._known = known
        self._tournament = tournament
        self._field: Any = None
        self._seated: list[Named] = []
        """Players of the game of the command, among whom a name is looked up first."""

    def read(self, request: Message, field: Any, given: Any) -> None:
        """Set a field. Raises ``BadParameter`` or ``Unclear``."""
        self._field, name = field, field.name
        if name == "game_id" and self._known:
            return
        if name in self._arguments and name in TEAM_FOR and self._known and self._known.teams:
            field = request.DESCRIPTOR.fields_by_name.get(TEAM_FOR[name], field)
        if field.is_repeated:
            entries = [entry for text in _texts(given) for entry in self._entries(field, text)]
            target = getattr(request, field.name)
            if field.message_type is not None:
                for entry in entries:
                    self._fill(target.add(), field, entry)
            else:
                target.extend(self._value(field, entry) for entry in entries)
        elif field.message_type is not None:
            getattr(request, name).CopyFrom(self._value(field, given))
        else:
            setattr(request, field.name, self._value(field, given))

    def read_game(self, request: Any, given: str, table: int, number: int) -> None:
        """Set the game by its id or its table, before the fields that name its players. Raises ``Unclear``."""
        assert self._known is not None
        if given or table:
            request.game_id = self._known.game(given, table=table, number=number)
            self._seated = self._known.players_of_game(request.game_id)
        elif "game_id" in self._arguments:
            raise Unclear(localize(WHICH_GAME))

    def _entries(self, field: Any, text: str) -> Iterable[str]:
        """Split a comma-separated list; a comma within a name or a value does not separate."""
        parts = [part.strip() for part in text.split(",")]
        if len(parts) == 1:
            return parts
        if field.message_type is not None:
            return parts if all("=" in part for part in parts) else [text]
        if self._known and kind_of(field) is Kind.PLAYER and len(candidates(text, self._known.players)) == 1:
            return [text]
        return parts

    def _value(self, field: Any, given: Any) -> Any:
        """Convert a value to that of the contract."""
        if field.name == self._act.new or (field.name == "name" and field.message_type is None):
            return given
        if field.name == "languages":
            return in_language(given)
        zone = (self._known.tournament.time_zone if self._known else "") or "UTC"
        match kind_of(field):
            case Kind.CHOICE:
                return self._parse_enum(field, given)
            case Kind.TOURNAMENT:
                return self._tournament(given)
            case Kind.PLAYER if len(seated := candidates(given, self._seated)) == 1:
                return seated[0].id
            case Kind.PLAYER | Kind.TEAM | Kind.PERSON as kind if self._known is not None:
                return getattr(self._known, kind)(given)
            case Kind.TEXT:
                return given
        try:
            return parse_value(field, str(given), zone=zone)
        except AmbiguousTime as error:
            first, second = (at.astimezone(ZoneInfo(zone)).isoformat(timespec="minutes") for at in error.moments)
            text = localize(WRITE_WHICH, **error.params, first=first, second=second)
            raise typer.BadParameter(text) from None
        except (Invalid, ValueError) as error:
            if isinstance(error, Invalid) and error.problem == NO_SUCH_TIME:
                raise typer.BadParameter(localize(NO_SUCH_TIME, **error.params)) from None
            is_time = kind_of(field) is Kind.MOMENT
            expected = "2026-03-07T10:00, 2026-03-07T10:00:00Z" if is_time else describe_syntax(field, {})
            raise self._cannot_be(str(given), expected) from None

    def _parse_enum(self, field: Any, given: str) -> int:
        word = given.strip().lower()
        numbers = names_of(field.enum_type)
        expected = choices(field, self._act.values)
        if word in expected:
            return numbers[self._act.values.get(word, word)]
        raise self._cannot_be(given, ", ".join(expected), expected)

    def _fill(self, message: Any, field: Any, text: str) -> None:
        """Set the parts of a message."""
        kind = field.message_type.name
        name, equals, rest = text.rpartition("=") if kind == "FinalScore" else text.partition("=")
        if not equals or not name.strip():
            raise self._cannot_be(text, describe_syntax(field, {}))
        if kind == "Hall":
            numbers, *plan = rest.split("/")
            first, _, last = numbers.partition("-")
            if not (first.isdecimal() and (last or first).isdecimal()):
                raise self._cannot_be(text, describe_syntax(field, {}))
            message.name = name.strip()
            for part, number in (("first_table", first), ("last_table", last or first)):
                setattr(message, part, self._value(message.DESCRIPTOR.fields_by_name[part], number))
            self._fill_plan(message, plan)
            return
        if kind == "AssumedResult":
            message.game_id = name.strip()
            if rest.strip().lower() not in ("", DRAW):
                message.winner_id = self._value(message.DESCRIPTOR.fields_by_name["winner_id"], rest)
            return
        parts = field.message_type.fields
        values = [name.strip(), *rest.split("=", max(0, len(parts) - 2))]
        for part, value in zip(parts, values, strict=False):
            if part.message_type is not None:
                getattr(message, part.name).CopyFrom(self._value(part, value))
            else:
                setattr(message, part.name, self._value(part, value.strip()))

    def _fill_plan(self, hall: Any, parts: Sequence[str]) -> None:
        """Set the plan of a hall: ``8+8+6``, then ``entrance:left``, ``stage:first-row`` and ``turning``."""
        fields = hall.DESCRIPTOR.fields_by_name
        for place, part in enumerate(parts):
            word, _, side = part.strip().partition(":")
            if place == 0:
                hall.row_tables.extend(self._value(fields["row_tables"], row) for row in part.split("+"))
            elif word in ("entrance", "stage") and side:
                setattr(hall, word, self._value(fields[word], side))
            elif part.strip() == "turning":
                hall.rows_turn = True
            else:
                raise self._cannot_be(part, "entrance:SIDE, stage:SIDE, turning")

    def _cannot_be(self, given: str, expected: str, known: Iterable[str] = ()) -> typer.BadParameter:
        """Return the error for a value, with similar known values and the expected form."""
        near = likely(given, list(known), 2)
        field = self._field
        name = field.name.upper() if field.name in self._arguments else option_of(self._act, field)
        text = CANNOT_BE_NEAR if near else CANNOT_BE
        return typer.BadParameter(
            localize(text, field=name, given=repr(given), expected=expected, near=" / ".join(near))
        )


def _texts(given: Any) -> Iterable[str]:
    return [given] if isinstance(given, str) else given
