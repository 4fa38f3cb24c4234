"""Free words of people, which stand beside the events so that they can be erased while every hash stays valid.

The contract marks the field of an event that holds such words with ``debug_redact``. The record takes them out of what
it stores: the field is empty in the event and the words are a row of their own, written in the same transaction.
Events written before there were such rows keep theirs.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from sqlalchemy import bindparam, delete, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.kernel import facts
from faristol.kernel.mentions import players_of
from faristol.record.tables import events, notes

_WORDS = re.compile(r"\w+")
_OF_STREAM = (
    select(events.c.version, notes.c.text)
    .join(notes, notes.c.position == events.c.position)
    .where(events.c.stream == bindparam("stream"))
)
_AT = select(notes.c.position, notes.c.text).where(notes.c.position.in_(bindparam("positions", expanding=True)))
_FORGET = delete(notes).where(notes.c.position == bindparam("gone"))


@dataclass(frozen=True, slots=True)
class Note:
    """What somebody wrote down with an event."""

    text: str
    player_ids: tuple[str, ...]
    """Whom it concerns, in the order of their ids."""

    @property
    def written_ids(self) -> str:
        """The ids as they are stored."""
        return json.dumps(self.player_ids, separators=(",", ":"))


@cache
def field_of(event: Descriptor) -> str:
    """The name of the field of an event that holds free words; empty when it has none."""
    return next((field.name for field in event.fields if field.GetOptions().debug_redact), "")


WITH_WORDS = facts.types_of(kind for kind in facts.EVENTS if field_of(kind.DESCRIPTOR))
"""The types of events beside which a note can stand."""


def parted(event: Message, concerned: Collection[str]) -> tuple[Message, Note | None]:
    """The event as it is stored, and the words that were in it.

    They concern the players whom the event names, and those ``concerned`` beside them. The event given is left alone.
    """
    field = field_of(event.DESCRIPTOR)
    text = str(getattr(event, field)) if field else ""
    if not text:
        return event, None
    stored = type(event)()
    stored.CopyFrom(event)
    stored.ClearField(field)
    return stored, Note(text, tuple(sorted({*players_of(event), *concerned})))


async def of_stream(connection: AsyncConnection, stream: str) -> dict[int, str]:
    """The words that stand beside the events of a stream, by version."""
    rows = await connection.execute(_OF_STREAM, {"stream": stream})
    return {row.version: row.text for row in rows}


async def at_positions(connection: AsyncConnection, positions: Sequence[int]) -> dict[int, str]:
    """Return the words that stand beside the events at some positions; those without words are left out."""
    rows = await connection.execute(_AT, {"positions": positions})
    return {row.position: row.text for row in rows}


async def forget(connection: AsyncConnection, player_id: str, name: str) -> int:
    """Remove the notes that concern a player, and those in which the whole ``name`` stands. Gives how many."""
    rows = (await connection.execute(select(notes))).all()
    gone = [{"gone": row.position} for row in rows if player_id in json.loads(row.player_ids) or _is_in(name, row.text)]
    if gone:
        await connection.execute(_FORGET, gone)
    return len(gone)


async def forget_beside(connection: AsyncConnection, stream: str, version: int) -> bool:
    """Remove the note beside one event. False when there is none."""
    of = select(events.c.position).where(events.c.stream == stream, events.c.version == version)
    gone = await connection.execute(delete(notes).where(notes.c.position.in_(of)))
    return gone.rowcount == 1


def _is_in(name: str, text: str) -> bool:
    """Whether all words of a name stand in a text, in any order: Puig, Anna is Anna Puig."""
    words = set(_words(name))
    return bool(words) and words.issubset(_words(text))


def _words(text: str) -> Sequence[str]:
    return _WORDS.findall(unicodedata.normalize("NFC", text).casefold())
