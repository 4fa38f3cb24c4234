"""Free text by people, stored beside the events so that it can be erased while every hash stays valid.

The contract marks the field of an event that has free text with ``debug_redact``. The record stores that field empty,
and the text as a separate row in the same transaction. Older events still have their text.
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

from faristol.event_store.backends.tables import events, notes
from faristol.kernel import event_types
from faristol.kernel.mentions import players_of

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
    """Free text that was written with an event."""

    text: str
    player_ids: tuple[str, ...]
    """Ids of the players that it concerns, in order."""

    @property
    def written_ids(self) -> str:
        """The ids as they are stored."""
        return json.dumps(self.player_ids, separators=(",", ":"))


@cache
def field_of(event: Descriptor) -> str:
    """Return the name of the field of an event that has free text; empty if it has none."""
    return next((field.name for field in event.fields if field.GetOptions().debug_redact), "")


WITH_WORDS = event_types.types_of(kind for kind in event_types.RECORD_EVENT_TYPES if field_of(kind.DESCRIPTOR))
"""Types of events that can have a note."""


def split_note(event: Message, concerned: Collection[str]) -> tuple[Message, Note | None]:
    """Return the event as it is stored, without its text, and the note with that text.

    The note concerns the players named in the event and those in ``concerned``. The given event is not changed.
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
    """Return the notes of the events of a stream by version."""
    rows = await connection.execute(_OF_STREAM, {"stream": stream})
    return {row.version: row.text for row in rows}


async def at_positions(connection: AsyncConnection, positions: Sequence[int]) -> dict[int, str]:
    """Return the notes of the events at some positions; events without a note are omitted."""
    rows = await connection.execute(_AT, {"positions": positions})
    return {row.position: row.text for row in rows}


async def forget(connection: AsyncConnection, player_id: str, name: str) -> int:
    """Delete the notes that concern a player, and those that have the full ``name``. Return their number."""
    rows = (await connection.execute(select(notes))).all()
    gone = [{"gone": row.position} for row in rows if player_id in json.loads(row.player_ids) or _is_in(name, row.text)]
    if gone:
        await connection.execute(_FORGET, gone)
    return len(gone)


async def forget_beside(connection: AsyncConnection, stream: str, version: int) -> bool:
    """Delete the note of one event. Return False if it has no note."""
    of = select(events.c.position).where(events.c.stream == stream, events.c.version == version)
    gone = await connection.execute(delete(notes).where(notes.c.position.in_(of)))
    return gone.rowcount == 1


def _is_in(name: str, text: str) -> bool:
    """Check whether a text has all words of a name, in any order: Puig, Anna is Anna Puig."""
    words = set(_words(name))
    return bool(words) and words.issubset(_words(text))


def _words(text: str) -> Sequence[str]:
    return _WORDS.findall(unicodedata.normalize("NFC", text).casefold())
