"""The end of the record and the checkpoints of consumers, read and moved on a connection."""

from __future__ import annotations

from functools import cache

from sqlalchemy import Executable, bindparam, func, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.append.decision import Checkpoint, Stale
from faristol.event_store.backends import tables
from faristol.event_store.backends.backend import Backend
from faristol.event_store.backends.databases import kind_of

COUNTER_POSITION = select(tables.counter.c.position)
_LAST_OF_TOURNAMENT = select(func.coalesce(func.max(tables.events.c.position), 0)).where(
    tables.events.c.tournament == bindparam("tournament")
)
_RECORDED_AT = select(tables.events.c.recorded_at).where(tables.events.c.position == bindparam("position"))
_CHECKPOINTS = select(tables.checkpoints.c.consumer, tables.checkpoints.c.position)
CHECKPOINT = select(tables.checkpoints.c.position).where(tables.checkpoints.c.consumer == bindparam("consumer"))

_MOVE = (
    update(tables.checkpoints)
    .where(tables.checkpoints.c.consumer == bindparam("moved"), tables.checkpoints.c.position == bindparam("before"))
    .values(position=bindparam("after"))
)


@cache
def _new_checkpoint(kind: type[Backend]) -> Executable:
    return kind.new_row(tables.checkpoints).values(consumer=bindparam("new"), position=0)


async def last_position(connection: AsyncConnection) -> int:
    """Return the position of the last event; 0 for an empty record."""
    return int((await connection.execute(COUNTER_POSITION)).scalar_one())


async def last_position_of(connection: AsyncConnection, tournament: str) -> int:
    """Return the position of the last event of a tournament; 0 for a tournament without events."""
    return int((await connection.execute(_LAST_OF_TOURNAMENT, {"tournament": tournament})).scalar_one())


async def checkpoint(connection: AsyncConnection, consumer: str) -> int:
    """Return the checkpoint of a consumer; 0 if it has none."""
    return int((await connection.execute(CHECKPOINT, {"consumer": consumer})).scalar_one_or_none() or 0)


async def start_checkpoint(connection: AsyncConnection, consumer: str) -> None:
    """Create the checkpoint of a consumer, at the start of the record, unless it exists."""
    await connection.execute(_new_checkpoint(kind_of(connection)), {"new": consumer})


async def move_checkpoint(connection: AsyncConnection, checkpoint: Checkpoint) -> None:
    """Move a consumer's checkpoint by compare-and-set. Raises ``Stale`` if it is not at the expected position."""
    values = {"moved": checkpoint.consumer, "before": checkpoint.before, "after": checkpoint.after}
    moved = await connection.execute(_MOVE, values)
    if moved.rowcount != 1:
        raise Stale(checkpoint)


async def checkpoints_of(connection: AsyncConnection, prefix: str) -> dict[str, int]:
    """Return the checkpoints of the consumers whose names begin with ``prefix``, by name."""
    asked = _CHECKPOINTS.where(tables.checkpoints.c.consumer.startswith(prefix, autoescape=True))
    return {str(row.consumer): int(row.position) for row in await connection.execute(asked)}


async def recorded_at(connection: AsyncConnection, position: int) -> int | None:
    """Return the time of the event at a position, in microseconds since 1970; None if the position is not used."""
    found = (await connection.execute(_RECORDED_AT, {"position": position})).scalar_one_or_none()
    return None if found is None else int(found)
