"""Stored events, byte for byte, as hashes cover them and archives have them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import rows
from faristol.event_store.append.group import Head
from faristol.event_store.backends import tables
from faristol.event_store.errors import CorruptData
from faristol.event_store.event import Metadata, Recorded, compute_chained_hash, microseconds

STORED_BATCH_EVENTS = 1_000
"""Events in one read."""

_events = tables.events.c
_AFTER = (
    select(tables.events)
    .where(_events.position > bindparam("after"), _events.position <= bindparam("up_to"))
    .order_by(_events.position)
    .limit(bindparam("most"))
)
_LOGGED_AFTER = _AFTER.with_only_columns(*[column for column in _events if column.name != "metadata"])
_OF_TOURNAMENT = _AFTER.where(_events.tournament == bindparam("tournament"))
_POSITION_HEADS = select(_events.position, _events.stream, _events.version, _events.hash).where(
    tables.are_last(_events.position <= bindparam("up_to"))
)
_HASHES = (
    select(_events.position, _events.hash, _events.tournament)
    .where(_events.position.between(bindparam("first"), bindparam("last")))
    .order_by(_events.position)
)
_ANSWERED = select(tables.commands.c.command_id).where(
    tables.commands.c.command_id.in_(bindparam("commands", expanding=True))
)
_EVENT_COLUMN_TYPES = (int, str, int, str, str, int, str, bytes, str, int, bytes)
"""Types of the columns of the table of events."""
_LOGGED_COLUMN_TYPES = (int, str, int, str, str, int, str, bytes, int, bytes)

_HASHED_COLUMNS = attrgetter(*list(tables.events.columns.keys())[1:-1])
"""Columns that the hash of an event covers: all but the position and the hash."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A row of the table of events, with its columns in order and undecoded."""

    position: int
    stream: str
    version: int
    event_id: str
    type: str
    schema_version: int
    tournament: str
    payload: bytes
    metadata: str
    recorded_at: int
    """Microseconds since 1970, UTC."""
    hash: bytes

    def __str__(self) -> str:
        name = self.type.rpartition(".")[2]
        return f"position {self.position} ({self.stream}, version {self.version}, {name})"

    @property
    def command_id(self) -> str:
        """Id of the command that caused the event; empty if it has no command or malformed metadata."""
        try:
            return Metadata.from_json(self.metadata).command_id
        except (ValueError, TypeError, AttributeError, RecursionError):
            return ""

    def hash_after(self, previous: bytes) -> bytes:
        """Compute the hash of the event for the hash ``previous`` of the stream's preceding event."""
        return compute_chained_hash(previous, *_HASHED_COLUMNS(self))


def of_recorded(event: Recorded) -> Stored:
    """Return an event that was read as it is stored."""
    columns = {field.name: getattr(event, field.name) for field in fields(Stored)}
    as_stored = {"metadata": event.metadata.to_json(), "recorded_at": microseconds(event.recorded_at)}
    return Stored(**columns | as_stored)


async def read(connection: AsyncConnection, after: int, up_to: int, *, tournament: str | None = None) -> list[Stored]:
    """Return the next events after a position, up to one (inclusive), in order; of one tournament, or all.

    Like the functions below, it raises ``CorruptData`` for a malformed value of an event or of the counter.
    """
    values: dict[str, object] = {"after": after, "up_to": up_to, "most": STORED_BATCH_EVENTS}
    query = _AFTER
    if tournament is not None:
        query, values["tournament"] = _OF_TOURNAMENT, tournament
    return [Stored(*row) for row in await rows.read(connection, query, values, _EVENT_COLUMN_TYPES, "the event")]


async def read_logged(connection: AsyncConnection, after: int, up_to: int) -> Sequence[Sequence[Any]]:
    """Return the same without the metadata, as rows: the columns of which the log consists."""
    values = {"after": after, "up_to": up_to, "most": STORED_BATCH_EVENTS}
    return await rows.read(connection, _LOGGED_AFTER, values, _LOGGED_COLUMN_TYPES, "the event")


async def heads(connection: AsyncConnection, streams: Collection[str], up_to: int) -> dict[str, Head]:
    """Return the heads of these streams at a position, without streams that had not begun."""
    values = {"streams": sorted(streams), "up_to": up_to}
    found = await rows.read(connection, _POSITION_HEADS, values, (int, str, int, bytes), "the event")
    return {row.stream: (row.version, row.hash) for row in found}


async def hashes(connection: AsyncConnection, first: int, last: int) -> list[tuple[bytes, str]]:
    """Return hash and tournament of every event from one position to another, both inclusive."""
    found = await rows.read(connection, _HASHES, {"first": first, "last": last}, (int, bytes, str), "the event")
    return [(row.hash, row.tournament) for row in found]


async def read_hash(connection: AsyncConnection, position: int) -> bytes:
    """Return the hash of the event at a position; empty without one."""
    found = (await connection.execute(_HASHES, {"first": position, "last": position})).first()
    return bytes(found.hash) if found is not None else b""


async def find_answered(connection: AsyncConnection, events: Collection[Stored]) -> set[str]:
    """Return the commands of these events that have an answer."""
    if not (wanted := sorted({event.command_id for event in events} - {""})):
        return set()
    return set((await connection.execute(_ANSWERED, {"commands": wanted})).scalars())


async def end(connection: AsyncConnection) -> tuple[int, int]:
    """Return the last position by the counter, and the last position of an event, from one snapshot."""
    last = select(func.coalesce(func.max(_events.position), 0)).scalar_subquery()
    row = (await connection.execute(select(tables.counter.c.position, last.label("last")))).one()
    if not isinstance(row.position, int) or row.position < 0:
        raise CorruptData(f"the counter: it says {row.position!r:.40}, which is not a position")
    return row.position, row.last
