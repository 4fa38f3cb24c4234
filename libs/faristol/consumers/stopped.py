"""Consumers that have stopped as a whole because more keys fail than they may park."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nats.errors import Error as NatsError
from nats.js.errors import Error as JetStreamError
from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus.errors import BusError
from faristol.consumers import tables
from faristol.event_store import Record, Recorded
from faristol.event_store.backends.databases import is_wrong_statement
from faristol.event_store.backends.tables import checkpoints
from faristol.event_store.event import microseconds, moment, utc_now

MAX_ERROR_CHARACTERS = 1_000
"""Characters of a stored error."""

_rows = tables.stopped


class CannotTake(Exception):
    """A consumer cannot process an event."""

    def __init__(self, event: Recorded, problem: Exception) -> None:
        super().__init__(f"event {event.position} ({event.name} on {event.stream}): {format_failure(problem)}")
        self.event = event
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Stopped:
    """A consumer that has stopped."""

    consumer: str
    position: int
    """Position of the event that fails; every event before it is processed."""
    event_id: str
    type: str
    stream: str
    error: str
    since: datetime
    attempts: int


def is_transient(problem: BaseException) -> bool:
    """Check whether a failure is a transient one of the database or the bus, not one of an event."""
    if isinstance(problem, DBAPIError) and is_wrong_statement(problem):
        return False
    return isinstance(
        problem, BusError | DBAPIError | PoolTimeout | NatsError | JetStreamError | OSError | TimeoutError
    )


def format_failure(problem: BaseException) -> str:
    """Return a failure in one line, without the parameters of a statement."""
    cause = problem.orig if isinstance(problem, DBAPIError) and problem.orig else problem
    return f"{type(cause).__name__}: {' '.join(str(cause).split())}"[:MAX_ERROR_CHARACTERS]


def to_error_columns(problem: CannotTake) -> dict[str, Any]:
    """Return the columns that describe an event that fails."""
    event = problem.event
    return {
        "position": event.position,
        "event_id": event.event_id,
        "type": event.type,
        "stream": event.stream,
        "error": format_failure(problem.problem),
        "retry": False,
    }


async def note(connection: AsyncConnection, consumer: str, problem: CannotTake) -> None:
    """Note that a consumer has stopped.

    No row is written if another replica, whose version can process the event, has done so by now.
    """
    query = select(checkpoints.c.position).where(checkpoints.c.consumer == consumer).with_for_update()
    if ((await connection.execute(query)).scalar_one_or_none() or 0) >= problem.event.position:
        return
    values = to_error_columns(problem)
    at = _rows.c.consumer == consumer
    again = update(_rows).where(at, _rows.c.position == problem.event.position)
    if (await connection.execute(again.values(**values, attempts=_rows.c.attempts + 1))).rowcount:
        return
    await connection.execute(delete(_rows).where(at))
    await connection.execute(
        insert(_rows).values(consumer=consumer, since=microseconds(utc_now()), attempts=1, **values)
    )


async def clear(connection: AsyncConnection, consumer: str, position: int) -> None:
    """Delete the note that a consumer had stopped before events up to ``position``, which it has processed."""
    await connection.execute(delete(_rows).where(_rows.c.consumer == consumer, _rows.c.position <= position))


async def may_go_on(record: Record, consumer: str) -> bool:
    """Check whether a stopped consumer should retry: on request, or because another replica is past the event."""
    query = (
        select(_rows.c.retry, _rows.c.position, checkpoints.c.position.label("done"))
        .join_from(_rows, checkpoints, checkpoints.c.consumer == _rows.c.consumer, isouter=True)
        .where(_rows.c.consumer == consumer)
    )
    async with record.reading() as connection:
        row = (await connection.execute(query)).one_or_none()
    return row is None or row.retry or (row.done or 0) >= row.position


async def all_stopped(connection: AsyncConnection) -> list[Stopped]:
    """List every stopped consumer by name."""
    query = (
        select(*(column for column in _rows.c if column is not _rows.c.retry))
        .join_from(_rows, checkpoints, checkpoints.c.consumer == _rows.c.consumer, isouter=True)
        .where((checkpoints.c.position < _rows.c.position) | checkpoints.c.position.is_(None))
        .order_by(_rows.c.consumer)
    )
    return [Stopped(**{**row._mapping, "since": moment(row.since)}) for row in await connection.execute(query)]


async def retry(record: Record, name: str = "") -> list[str]:
    """Request a retry of stopped consumers: one, a projection of any version, or all.

    Return their names.
    """
    async with record.writing() as connection:
        await tables.make(connection)
        found = [stopped.consumer for stopped in await all_stopped(connection)]
        names = [consumer for consumer in found if name in {"", consumer, consumer.partition("@")[0]}]
        await connection.execute(update(_rows).where(_rows.c.consumer.in_(names)).values(retry=True))
    return names
