"""Parked keys of consumers: a key with an event that fails is parked, while all other keys proceed.

A key is a stream for a reaction, and a tournament for a projection. Its row has the position up to which its events are
processed; those between that and the checkpoint are pending. Two rules ensure correctness with several replicas:

- the checkpoint moves past an event of a parked key only together with a check that the row still exists;
- a row is deleted only while the checkpoint is locked, when the key has no pending event before it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import tables
from faristol.consumers.stopped import CannotTake, to_error_columns
from faristol.event_store import Checkpoint, Record, Stale
from faristol.event_store.event import microseconds, moment, utc_now

MAX_PARKED_KEYS = 1_000
"""Limit of parked keys of a consumer. If one more fails, the consumer stops as a whole."""

_rows = tables.parked


@dataclass(frozen=True, slots=True)
class Parked:
    """A key with an event that a consumer cannot process."""

    consumer: str
    key: str
    tournament: str
    done: int
    """Events of the key are processed up to this position."""
    position: int
    """Position of the failed event."""
    event_id: str
    type: str
    stream: str
    error: str
    since: datetime
    """Time of parking."""
    attempts: int
    retry: bool
    """Whether an operator requested a retry."""


async def of_consumer(connection: AsyncConnection, consumer: str) -> dict[str, Parked]:
    """Return the parked keys of a consumer."""
    query = select(_rows).where(_rows.c.consumer == consumer).order_by(_rows.c.since, _rows.c.key)
    return {row.key: _to_parked(row) for row in await connection.execute(query)}


async def all_parked(connection: AsyncConnection) -> dict[str, list[Parked]]:
    """Return the parked keys of every consumer by its name, the oldest first."""
    found: dict[str, list[Parked]] = {}
    for row in await connection.execute(select(_rows).order_by(_rows.c.consumer, _rows.c.since, _rows.c.key)):
        found.setdefault(row.consumer, []).append(_to_parked(row))
    return found


def _to_parked(row: Any) -> Parked:
    return Parked(**{**row._mapping, "since": moment(row.since)})


async def park(connection: AsyncConnection, consumer: str, key: str, problem: CannotTake, since: int) -> Parked:
    """Park a key from an event on; ``since`` is a stored time. The caller must hold the checkpoint."""
    values = _values(problem) | {"tournament": problem.event.tournament, "attempts": 1}
    await connection.execute(insert(_rows).values(consumer=consumer, key=key, since=since, **values))
    return Parked(consumer=consumer, key=key, since=moment(since), **values)


def _values(problem: CannotTake) -> dict[str, Any]:
    return {"done": problem.event.position - 1, **to_error_columns(problem)}


async def check_there(connection: AsyncConnection, consumer: str, keys: Collection[str]) -> None:
    """Raise ``Stale`` unless all of these keys are parked. The caller must hold the checkpoint."""
    if not keys:
        return
    query = select(func.count()).where(_rows.c.consumer == consumer, _rows.c.key.in_(sorted(keys)))
    if (await connection.execute(query)).scalar_one() < len(keys):
        raise Stale(Checkpoint(consumer, 0, 0))


async def advance(connection: AsyncConnection, row: Parked, done: int) -> Parked:
    """Record that events of a parked key are done up to ``done``. Raises ``Stale`` if another replica did so first."""
    await _change(connection, row, done=done)
    return replace(row, done=done)


async def fail_again(connection: AsyncConnection, row: Parked, problem: CannotTake) -> Parked:
    """Note a failed retry. Raises ``Stale`` as ``advance`` does."""
    values = _values(problem) | {"attempts": row.attempts + 1}
    await _change(connection, row, **values)
    return replace(row, **values)


async def lift(connection: AsyncConnection, row: Parked) -> None:
    """Release a parked key. The caller must hold the checkpoint. Raises ``Stale`` as ``advance`` does."""
    if not (await connection.execute(delete(_rows).where(_as_known(row)))).rowcount:
        raise _build_stale(row, row.done)


async def _change(connection: AsyncConnection, row: Parked, **values: Any) -> None:
    if not (await connection.execute(update(_rows).where(_as_known(row)).values(**values))).rowcount:
        raise _build_stale(row, values["done"])


def _as_known(row: Parked) -> ColumnElement[bool]:
    same = (_rows.c.consumer == row.consumer) & (_rows.c.key == row.key)
    return same & (_rows.c.done == row.done) & (_rows.c.attempts == row.attempts)


def _build_stale(row: Parked, done: int) -> Stale:
    return Stale(Checkpoint(f"{row.consumer} at {row.key}", row.done, done))


async def take_over(connection: AsyncConnection, consumer: str, failed: Mapping[str, CannotTake]) -> None:
    """Replace the parked keys of a consumer with the failures of a rebuild. The caller must hold the checkpoint."""
    query = select(_rows.c.key, _rows.c.since).where(_rows.c.consumer == consumer)
    since = {row.key: row.since for row in await connection.execute(query)}
    await connection.execute(delete(_rows).where(_rows.c.consumer == consumer))
    now = microseconds(utc_now())
    for key, problem in failed.items():
        await park(connection, consumer, key, problem, since.get(key, now))


async def retry(record: Record, name: str = "", key: str = "") -> list[tuple[str, str]]:
    """Request a retry of parked keys: of a consumer, of a projection of any version, or of all.

    With a ``key``, only that key is retried. Return the consumers and keys in order.
    """
    asked: list[tuple[str, str]] = []
    async with record.writing() as connection:
        await tables.make(connection)
        for consumer, rows in (await all_parked(connection)).items():
            if name in {"", consumer, consumer.partition("@")[0]}:
                keys = [row.key for row in rows if key in {"", row.key}]
                these = (_rows.c.consumer == consumer) & _rows.c.key.in_(keys)
                await connection.execute(update(_rows).where(these).values(retry=True))
                asked += [(consumer, each) for each in keys]
    return asked
