"""Measure the cost of a failing stream among a thousand for the others: their delay with and without it.

Rounds take turns, so that a slow minute of the machine is everyone's.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from itertools import count

from sqlalchemy import Column, Integer, MetaData, Table, insert
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.benchmarks.appends import build_passed
from tests.benchmarks.figures import Figures

from faristol.bus import Bus, Relay
from faristol.consumers import Consumer, Progress, Projection, Reaction, parked
from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.event_store.tasks import cancel_tasks
from faristol.pb.game.v1 import events_pb2

STREAM_COUNT = 1_000
"""Each belongs to a separate tournament."""
EVENT_RATE_COUNT = 50
ROUND_EVENTS = 600
"""Of a round: every fiftieth is of the first stream, the others are of the others in turn."""
FIRST_STREAM_INTERVAL_EVENTS = 50
MEASURED_ROUNDS = 3
"""Of each kind."""
PASSED = "faristol.game.v1.Passed"


class Cell:
    """A projection and a reaction that follow the same events, of which some cannot be taken."""

    def __init__(self, record: Record, bus: Bus) -> None:
        self._record = record
        self._poison = ""
        """The stream of which no event can be taken; of its tournament the projection takes none."""
        rows = MetaData()
        self._table = Table("bench", rows, Column("id", Integer, primary_key=True))
        works: tuple[Projection | Reaction, ...] = (
            Projection("bench", 1, frozenset({PASSED}), rows, self._apply),
            Reaction("bench.answers", frozenset({PASSED}), self._react),
        )
        self.progress = [Progress(record, work.consumer) for work in works]
        self.consumers = [
            Consumer(record, bus, work, progress) for work, progress in zip(works, self.progress, strict=True)
        ]
        self._versions: dict[str, int] = {}

    def _check(self, event: Recorded) -> None:
        if event.stream == self._poison:
            raise ValueError(event.stream)

    async def _apply(self, connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        for event in events:
            self._check(event)
        await connection.execute(insert(self._table), [{"id": event.position} for event in events])

    async def _react(self, event: Recorded) -> Decision:
        self._check(event)
        return Decision([Write(f"clock-{event.event_id}", 0, [events_pb2.GameStarted()], event.tournament)])

    async def round(self, number: int, *, poisoned: bool) -> list[list[float]]:
        """Return the milliseconds until each event of the other streams was followed: by the projection, by the
        reaction.
        """
        bad = f"game-{number}-0"
        self._poison = bad if poisoned else ""
        waits: list[list[asyncio.Task[float]]] = [[] for _ in self.progress]
        others = count(1)
        start = time.perf_counter()
        for event in range(ROUND_EVENTS):
            await asyncio.sleep(max(0.0, start + event / EVENT_RATE_COUNT - time.perf_counter()))
            stream = (
                f"game-{number}-{0 if event % FIRST_STREAM_INTERVAL_EVENTS == 0 else next(others) % STREAM_COUNT or 1}"
            )
            position = await self._append(stream, event)
            if stream != bad:
                acknowledged = time.perf_counter()
                for progress, tasks in zip(self.progress, waits, strict=True):
                    tasks.append(asyncio.create_task(_time_delivery(progress, position, acknowledged)))
        times = [list(await asyncio.gather(*tasks)) for tasks in waits]
        self._poison = ""
        await parked.retry(self._record)
        await self._nothing_parked()
        return times

    async def _append(self, stream: str, event: int) -> int:
        version = self._versions.get(stream, 0)
        self._versions[stream] = version + 1
        decision = Decision([Write(stream, version, [build_passed(event)], stream.replace("game", "cup"))])
        return (await self._record.append(decision, Metadata())).position

    async def _nothing_parked(self) -> None:
        while True:
            async with self._record.reading() as connection:
                if not await parked.all_parked(connection):
                    return
            await asyncio.sleep(0.1)


async def _time_delivery(progress: Progress, position: int, acknowledged: float) -> float:
    assert await progress.wait_until_reached(position, 60)
    return (time.perf_counter() - acknowledged) * 1_000


async def parked_figures(name: str, url: str, nats_url: str) -> Figures:
    """Return the 99th percentile of the other streams on one database, with and without one that cannot be taken."""
    logging.getLogger("faristol.bus").setLevel(logging.CRITICAL)  # these events are parked on purpose
    record = await Record.open(url)
    bus = await Bus.connect(nats_url)
    cell = Cell(record, bus)
    for consumer in cell.consumers:
        await consumer.prepare()
    tasks = [asyncio.create_task(consumer.run()) for consumer in cell.consumers]
    tasks.append(asyncio.create_task(Relay(record, bus).run()))
    times: dict[bool, list[list[float]]] = {False: [[], []], True: [[], []]}
    try:
        await cell.round(0, poisoned=False)  # to warm up
        for number in range(2 * MEASURED_ROUNDS):
            poisoned = number % 2 == 1
            for kept, found in zip(times[poisoned], await cell.round(number + 1, poisoned=poisoned), strict=True):
                kept.extend(found)
    finally:
        await cancel_tasks(tasks)
        await bus.close()
        await record.close()
    figures: Figures = []
    for place, what in enumerate(("projection", "reaction")):
        with_, without = (_percentile(times[poisoned][place]) for poisoned in (True, False))
        of = f"{name}, {what} of {STREAM_COUNT} streams at {EVENT_RATE_COUNT} events a second, 99th percentile"
        figures += [
            (f"{of}: all are taken", without, "ms"),
            (f"{of}: one is parked, the others", with_, "ms"),
            (f"{of}: with the parked one, against without", with_ / without, "times"),
        ]
    return figures


def _percentile(times: Sequence[float]) -> float:
    return sorted(times)[int(len(times) * 0.99)]
