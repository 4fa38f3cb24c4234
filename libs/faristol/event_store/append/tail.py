"""The end of the record in a transaction that holds the lock of its counter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Executable, bindparam, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.append.group import EVENT_COLUMNS, EventRow, Head
from faristol.event_store.backends import tables

# Built once: building a statement costs as much as running it.
_counter = tables.counter
_ADVANCE = update(_counter).where(_counter.c.id == 1).values(position=bindparam("last"))
STREAM_HEADS = select(tables.events.c.stream, tables.events.c.version, tables.events.c.hash).where(tables.are_last())
"""Version and hash of the last event of each of ``streams``."""


class Tail:
    """A transaction at the end of the record, to which only it can add events."""

    def __init__(self, connection: AsyncConnection, begin: int, begin_hash: bytes, notify: Executable | None) -> None:
        self.connection = connection
        self.begin = begin
        """Position of the last event before the transaction."""
        self.begin_hash = begin_hash
        """Hash of that event; empty if the record is empty."""
        self.position = begin
        """Position of the last event, including those that were written."""
        self.hash = begin_hash
        """Hash of that event; empty if the record is empty."""
        self.heads: dict[str, Head] = {}
        """Heads of the streams that were written to."""
        self._notify = notify

    async def write(self, events: Sequence[EventRow]) -> None:
        """Write events whose positions follow ``begin``, move the counter, and notify other processes."""
        if not events:
            return
        rows = [dict(zip(EVENT_COLUMNS, row, strict=True)) for row in events]
        await self.connection.execute(insert(tables.events), rows)
        self.position = self.begin + len(events)
        self.hash = events[-1][-1]
        self.heads = {stream: (version, chain) for _, stream, version, *_, chain in events}
        await self.connection.execute(_ADVANCE, {"last": self.position})
        if self._notify is not None:
            await self.connection.execute(self._notify, {"position": str(self.position)})


async def read_rows(connection: AsyncConnection, query: Any, name: str, values: Sequence[str]) -> Sequence[Any]:
    """Return the rows of a query for some values of a parameter; none without values."""
    return (await connection.execute(query, {name: values})).all() if values else ()
