"""Decisions at a table, on its game and its clock: on commands of players and officials, and automatic ones. Pure.

Every decision on a command returns the events to write, or raises ``Refusal`` with the article that forbids it.

The settlement derives automatic events from only the state, a ruling and the rules, one after another, until none is
missing. So it does not matter which process settles a table, when, and how often.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

from faristol.kernel.event_types import commands_in, set_occurred_at
from faristol.kernel.times import Instant, check_not_before
from faristol.rules.tiles import TileSet
from faristol.table import Decide, Table
from faristol.table.decide import (
    arbitration,
    attendance,
    challenges,
    draws,
    ends,
    entries,
    exchanges,
    officials,
    plays,
    presses,
    score_sheets,
    surplus,
)
from faristol.table.ownership import check_own
from faristol.table.settlement import clock, game
from faristol.table.views import Ruling

M = TypeVar("M", bound=Message)

_FACE, _FACES = "face", "faces"
"""Fields of messages that hold tiles."""


def read_typed_tiles(request: M, tile_set: TileSet) -> M:
    """Return the command with other spellings of tiles replaced by the faces of ``tile_set``.

    A Latin letter stands for the Greek one that it looks like, ``l.l`` for ``L·L``. An unknown tile stays, and the
    decision refuses it. A command without other spellings is returned itself.
    """
    typed_faces = set(_list_typed_tiles(request, _find_tile_fields(request.DESCRIPTOR)))
    if typed_faces <= tile_set.counts.keys() or all(_face(face, tile_set) == face for face in typed_faces):
        return request
    changed = type(request)()
    changed.CopyFrom(request)
    _rewrite(changed, _find_tile_fields(request.DESCRIPTOR), tile_set)
    return changed


def _face(text: str, tile_set: TileSet) -> str:
    return text if text in tile_set.counts else tile_set.face(text) or text


class _TileField(NamedTuple):
    """A field of a message that holds tiles, itself or in its messages."""

    name: str
    is_repeated: bool
    inner: Sequence[_TileField]
    """The fields of its messages; empty for a field of faces."""


@cache  # each command is read, and few have another spelling
def _find_tile_fields(kind: Descriptor) -> Sequence[_TileField]:
    found = []
    for field in kind.fields:
        if field.message_type is None:
            if field.name in {_FACE, _FACES}:
                found.append(_TileField(field.name, field.is_repeated, ()))
        elif not field.message_type.GetOptions().map_entry and (inner := _find_tile_fields(field.message_type)):
            found.append(_TileField(field.name, field.is_repeated, inner))
    return found


def _list_typed_tiles(message: Message, fields: Sequence[_TileField]) -> list[str]:
    found: list[str] = []
    for name, is_repeated, inner in fields:
        value = getattr(message, name)
        values = value if is_repeated else (value,)
        if inner:
            for each in values:
                found += _list_typed_tiles(each, inner)
        else:
            found += values
    return found


def _rewrite(message: Any, fields: Sequence[_TileField], tile_set: TileSet) -> None:
    for name, is_repeated, inner in fields:
        value = getattr(message, name)
        if inner:
            for each in value if is_repeated else (value,):
                _rewrite(each, inner, tile_set)
        elif is_repeated:
            value[:] = [_face(face, tile_set) for face in value]
        elif value:
            setattr(message, name, _face(value, tile_set))


GAME_COMMANDS: Mapping[type[Message], Decide] = commands_in(
    entries, plays, score_sheets, draws, exchanges, challenges, surplus, officials, ends
)
"""The decision on each command of the game service."""

CLOCK_COMMANDS: Mapping[type[Message], Decide] = commands_in(presses, arbitration, attendance)
"""The decision on each command of the clock service."""

_COMMANDS = {**GAME_COMMANDS, **CLOCK_COMMANDS}


def decide(table: Table, request: Message, at: Instant) -> list[Message]:
    """Return the events of ``request`` at ``at``, without those that ``settle`` adds. The table is settled.

    Raises ``Refusal`` if the rules forbid it or another cell has the table. Raises ``Invalid`` if it is malformed or
    earlier than the last event of the table, and ``KeyError`` for a message that is not a command.
    """
    check_own(table)
    check_not_before(at, table.last_at)
    return set_occurred_at(_COMMANDS[type(request)](table, read_typed_tiles(request, table.ruleset.tile_set), at), at)


def settle(table: Table, ruling: Ruling | None = None) -> list[Message]:
    """Return the missing events of the table, of its game and its clock, in order of dependency.

    ``ruling`` is that on the pending challenge. The list is empty if no event is missing, and if another cell has the
    table.
    """
    new_events: list[Message] = []
    while table.is_own and (
        missing := game.missing(table.game, table.clock, ruling, table.ruleset)
        or clock.missing(table.clock, table.game, table.ruleset)
    ):
        new_events.extend(missing)
        table = table.after(missing)
    return new_events
