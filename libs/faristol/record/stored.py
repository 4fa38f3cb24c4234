"""Events as they lie in the database, byte for byte: what hashes are of, and what archives hold."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import tables
from faristol.record.event import chained

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
_HEADS = select(_events.stream, _events.version, _events.hash).where(
    tuple_(_events.stream, _events.version).in_(
        select(_events.stream, func.max(_events.version))
        .where(_events.stream.in_(bindparam("streams", expanding=True)), _events.position <= bindparam("up_to"))
        .group_by(_events.stream)
    )
)
_HASHES = (
    select(_events.hash, _events.tournament)
    .where(_events.position.between(bindparam("first"), bindparam("last")))
    .order_by(_events.position)
)

Head = tuple[int, bytes]
"""The version of a stream and the hash of its last event."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A row of the table of events, nothing decoded."""

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

    def hash_after(self, previous: bytes) -> bytes:
        """The hash that it must have when the stream's event before it has ``previous``."""
        return chained(
            previous,
            stream=self.stream,
            version=self.version,
            event_id=self.event_id,
            type_name=self.type,
            schema_version=self.schema_version,
            tournament=self.tournament,
            payload=self.payload,
            metadata=self.metadata,
            recorded_at=self.recorded_at,
        )


def of_row(row: Any) -> Stored:
    """From a row of the table of events."""
    return Stored(
        position=row.position,
        stream=row.stream,
        version=row.version,
        event_id=row.event_id,
        type=row.type,
        schema_version=row.schema_version,
        tournament=row.tournament,
        payload=bytes(row.payload),
        metadata=row.metadata,
        recorded_at=row.recorded_at,
        hash=bytes(row.hash),
    )


async def read(
    connection: AsyncConnection, after: int, up_to: int, *, tournament: str | None = None, most: int = BATCH
) -> list[Stored]:
    """The next events after a position, up to one (inclusive), in order; of one tournament, or all."""
    values: dict[str, object] = {"after": after, "up_to": up_to, "most": most}
    query = _AFTER
    if tournament is not None:
        query, values["tournament"] = _OF_TOURNAMENT, tournament
    return [of_row(row) for row in await connection.execute(query, values)]


async def heads(connection: AsyncConnection, streams: Collection[str], up_to: int) -> dict[str, Head]:
    """Where these streams stood at a position. A stream that had not begun is not in it."""
    rows = await connection.execute(_HEADS, {"streams": sorted(streams), "up_to": up_to})
    return {row.stream: (row.version, bytes(row.hash)) for row in rows}


async def hashes(connection: AsyncConnection, first: int, last: int) -> list[tuple[bytes, str]]:
    """Hash and tournament of every event from one position to another, both inclusive."""
    rows = await connection.execute(_HASHES, {"first": first, "last": last})
    return [(bytes(row.hash), row.tournament) for row in rows]


async def end(connection: AsyncConnection) -> tuple[int, int]:
    """The last position by the counter, and the last one at which an event lies, read at one moment."""
    last = select(func.coalesce(func.max(_events.position), 0)).scalar_subquery()
    row = (await connection.execute(select(tables.counter.c.position, last.label("last")))).one()
    return int(row.position), int(row.last)
