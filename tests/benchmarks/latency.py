"""Measure the time from the acknowledgement of an append to a projection that shows it, over the bus."""

from __future__ import annotations

import asyncio
import statistics
import time
import uuid
from collections.abc import Sequence

from sqlalchemy import Column, Integer, MetaData, Table, insert
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.benchmarks.appends import build_passed
from tests.benchmarks.figures import Figures

from faristol.bus import Bus, Relay
from faristol.consumers import Consumer, Progress, Projection
from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.event_store.tasks import cancel_tasks

EVENT_RATE_COUNT = 500
LOAD_SECONDS = 6
REACH_MS = 100


async def latencies(record: Record, nats_url: str) -> list[float]:
    """Return the milliseconds of each append, at a steady rate, in order of size."""

    async def apply(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        await connection.execute(insert(table), [{"id": event.position} for event in events])

    rows = MetaData()
    table = Table("bench", rows, Column("id", Integer, primary_key=True))
    projection = Projection("bench", 1, frozenset({"faristol.game.v1.Passed"}), rows, apply)
    bus = await Bus.connect(nats_url)
    progress = Progress(record, projection.consumer)
    consumer = Consumer(record, bus, projection, progress)
    await consumer.prepare()
    tasks = [asyncio.create_task(consumer.run()), asyncio.create_task(Relay(record, bus).run())]
    first = (await record.append(decision(0), Metadata())).position
    assert await progress.wait_until_reached(first, 30)
    waits: list[asyncio.Task[float]] = []

    async def readable(position: int) -> float:
        acknowledged = time.perf_counter()
        assert await progress.wait_until_reached(position, 30)
        return (time.perf_counter() - acknowledged) * 1_000

    start = time.perf_counter()
    for number in range(EVENT_RATE_COUNT * LOAD_SECONDS):
        await asyncio.sleep(max(0.0, start + number / EVENT_RATE_COUNT - time.perf_counter()))
        position = (await record.append(decision(number), Metadata())).position
        waits.append(asyncio.create_task(readable(position)))
    times = sorted(await asyncio.gather(*waits))
    await cancel_tasks(tasks)
    await bus.close()
    return times


def decision(number: int) -> Decision:
    """Return an append to a new stream."""
    return Decision([Write(f"clock-{uuid.uuid4().hex}", 0, [build_passed(number)], "bench")])


async def latency_figures(name: str, url: str, nats_url: str) -> Figures:
    """Return the median and 99th percentile on one database."""
    record = await Record.open(url)
    try:
        times = await latencies(record, nats_url)
    finally:
        await record.close()
    what = f"{name}, from append to projection at {EVENT_RATE_COUNT} events a second"
    return [
        (f"{what}: median", statistics.median(times), "ms"),
        (f"{what}: 99th percentile", times[int(len(times) * 0.99)], f"ms; to stay below {REACH_MS}"),
    ]
