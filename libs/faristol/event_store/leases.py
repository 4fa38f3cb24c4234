"""Leases in a database: rows that one holder has at a time, until they expire."""

from __future__ import annotations

from sqlalchemy import ColumnElement, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends import tables
from faristol.event_store.backends.databases import kind_of


def is_held(now: ColumnElement[int], longest: float) -> ColumnElement[bool]:
    """Build the condition that a lease, taken for at most ``longest`` seconds, is held at ``now`` (``Record.time``).

    A statement that waited reads the time again: a lease renewed by then may end after the old time plus ``longest``.
    """
    return tables.leases.c.until.between(now, now + _microseconds(longest))


async def take_lease(
    connection: AsyncConnection, name: str, holder: str, now: ColumnElement[int], seconds: float, longest: float
) -> bool:
    """Acquire or renew a lease in a transaction, as ``Record.lease``. Return False while it has another holder."""
    table, until = tables.leases, now + _microseconds(seconds)
    await connection.execute(kind_of(connection).new_row(table).values(name=name, holder=holder, until=until))
    mine_or_free = (table.c.holder == holder) | ~is_held(now, longest)
    taken = await connection.execute(
        update(table).where(table.c.name == name, mine_or_free).values(holder=holder, until=until)
    )
    return taken.rowcount == 1


def _microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)
