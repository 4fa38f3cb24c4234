"""Consumers over a real NATS server and a real record, and a projection that detects duplicates."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from sqlalchemy import Column, Integer, MetaData, String, Table, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Bus, Relay
from faristol.bus.stream import DEFAULT_LIMITS, NewsLimits
from faristol.consumers import Consumer, Progress, Projection, Reaction
from faristol.consumers.status import Status, status
from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.event_store.tasks import cancel_tasks
from faristol.pb.game.v1 import events_pb2

PASSED = "faristol.game.v1.Passed"

SEEN = Table("seen", MetaData(), Column("position", Integer, primary_key=True), Column("stream", String(64)))


async def append(record: Record, stream: str, version: int, count: int = 1, tournament: str = "cup") -> int:
    """Append passed turns; return the position of the last."""
    events = [events_pb2.Passed(turn=turn) for turn in range(count)]
    return (await record.append(Decision([Write(stream, version, events, tournament)]), Metadata())).position


async def note(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
    """Note an event, and fail if it comes twice: the position is the key."""
    for event in events:
        await connection.execute(insert(SEEN).values(position=event.position, stream=event.stream))


PROJECTION = Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, note)


async def positions(record: Record) -> list[int]:
    """Return the positions of the events that came to ``PROJECTION``, in order."""
    async with record.reading() as connection:
        return [row.position for row in await connection.execute(select(SEEN).order_by(SEEN.c.position))]


async def _quietly(_: Consumer) -> None:
    """Notify no one."""


@asynccontextmanager
async def consuming(
    record: Record,
    url: str,
    work: Reaction | Projection,
    *,
    relay: bool = True,
    changed: Callable[[Consumer], Awaitable[None]] = _quietly,
    limits: NewsLimits = DEFAULT_LIMITS,
) -> AsyncIterator[Progress]:
    """Yield a consumer that runs, and with it a relay."""
    bus = await Bus.connect(url, limits=limits)
    progress = Progress(record, work.consumer)
    consumer = Consumer(record, bus, work, progress, changed)
    await consumer.prepare()
    tasks = [asyncio.create_task(consumer.run())]
    if relay:
        tasks.append(asyncio.create_task(Relay(record, bus).run()))
    try:
        yield progress
        for task in tasks:
            assert not task.done(), task
    finally:
        await cancel_tasks(tasks)
        await bus.close()


async def line_of(record: Record, consumer: str, wanted: Callable[[Status], bool]) -> Status:
    """Return the line of a consumer in the status, once it meets the condition."""
    for _ in range(200):
        for line in (await status(record))[0]:
            if line.name == consumer and wanted(line):
                return line
        await asyncio.sleep(0.05)
    pytest.fail(f"{consumer} is not so after ten seconds: {line}")
