"""How far the record goes, and how far a consumer has come, as a connection sees it."""

from __future__ import annotations

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import tables

_LAST = select(tables.counter.c.position)
_CHECKPOINT = select(tables.checkpoints.c.position).where(tables.checkpoints.c.consumer == bindparam("consumer"))


async def last_position(connection: AsyncConnection) -> int:
    """Position of the last event, 0 when there is none."""
    return int((await connection.execute(_LAST)).scalar_one())


async def checkpoint(connection: AsyncConnection, consumer: str) -> int:
    """The position up to which a consumer has done its work, 0 when it never did any."""
    return int((await connection.execute(_CHECKPOINT, {"consumer": consumer})).scalar_one_or_none() or 0)
