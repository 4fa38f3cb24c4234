"""Events as they lie in the database, byte for byte: what hashes are of, and what archives hold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from operator import attrgetter

from sqlalchemy import bindparam, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import rows, tables
from faristol.record.errors import Wrong
from faristol.record.event import Metadata, chained
from faristol.record.group import Head

BATCH = 1_000
"""Events read at a time."""

_events = tables.events.c
_AFTER = (
    select(tables.events)
    .where(_events.position > bindparam("after"), _events.position <= bindparam("up_to"))
    .order_by(_events.position)
    .limit(bindparam("most"))
)
_OF_TOURNAMENT = _AFTER.where(_events.tournament == bindparam("tournament"))
_HEADS = select(_events.position, _events.stream, _events.version, _events.hash).where(
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
_TYPES = (int, str, int, str, str, int, str, bytes, str, int, bytes)
"""Of the columns of the table of events."""

_SAID = attrgetter(*list(tables.events.columns.keys())[1:-1])
"""What the hash of an event is over: every column but the position and the hash."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A row of the table of events, its columns in order and nothing decoded."""

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
        """The command that it came of; empty when it came of none, or when nobody can read what it came of."""
        try:
            return Metadata.from_json(self.metadata).command_id
        except (ValueError, TypeError, AttributeError, RecursionError):
            return ""

    def hash_after(self, previous: bytes) -> bytes:
        """The hash that it must have when the stream's event before it has ``previous``."""
        return chained(previous, *_SAID(self))


async def read(connection: AsyncConnection, after: int, up_to: int, *, tournament: str | None = None) -> list[Stored]:
    """The next events after a position, up to one (inclusive), in order; of one tournament, or all.

    This and what follows raise ``Wrong`` for a value that no event, or no counter, was written with.
    """
    values: dict[str, object] = {"after": after, "up_to": up_to, "most": BATCH}
    query = _AFTER
    if tournament is not None:
        query, values["tournament"] = _OF_TOURNAMENT, tournament
    return [Stored(*row) for row in await rows.read(connection, query, values, _TYPES, "the event")]


async def heads(connection: AsyncConnection, streams: Collection[str], up_to: int) -> dict[str, Head]:
    """Where these streams stood at a position. A stream that had not begun is not in it."""
    values = {"streams": sorted(streams), "up_to": up_to}
    found = await rows.read(connection, _HEADS, values, (int, str, int, bytes), "the event")
    return {row.stream: (row.version, row.hash) for row in found}


async def hashes(connection: AsyncConnection, first: int, last: int) -> list[tuple[bytes, str]]:
    """Hash and tournament of every event from one position to another, both inclusive."""
    found = await rows.read(connection, _HASHES, {"first": first, "last": last}, (int, bytes, str), "the event")
    return [(row.hash, row.tournament) for row in found]


async def answered(connection: AsyncConnection, events: Collection[Stored]) -> set[str]:
    """The commands that have an answer, of those that these events came of."""
    if not (wanted := sorted({event.command_id for event in events} - {""})):
        return set()
    return set((await connection.execute(_ANSWERED, {"commands": wanted})).scalars())


async def end(connection: AsyncConnection) -> tuple[int, int]:
    """The last position by the counter, and the last one at which an event lies, read at one moment."""
    last = select(func.coalesce(func.max(_events.position), 0)).scalar_subquery()
    row = (await connection.execute(select(tables.counter.c.position, last.label("last")))).one()
    if not isinstance(row.position, int) or row.position < 0:
        raise Wrong(f"the counter: it says {row.position!r:.40}, which is no position")
    return row.position, row.last
