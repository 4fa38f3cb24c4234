"""The cost of the log: appends with it, a checkpoint over a million events, a proof under it."""

from __future__ import annotations

import argparse
import asyncio
import math
import random
import statistics
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console
from sqlalchemy import insert, update
from tests.benchmarks.appends import build_passed, from_callers
from tests.benchmarks.figures import Figures, compare_speeds

from faristol.event_store import Decision, Metadata, Record, Write, stored
from faristol.event_store.backends import tables
from faristol.event_store.event import GENESIS, compute_chained_hash
from faristol.event_store.tasks import cancel_tasks
from faristol.event_store.transparency import log_store
from faristol.event_store.transparency.entry import disclose_event
from faristol.event_store.transparency.log_writer import LOG_POLL_SECONDS, LogWriter, extend_log, make_checkpoint
from faristol.event_store.transparency.policy import TrustPolicy
from faristol.event_store.transparency.tlog_proof import LogProof
from faristol.host.record_parts import CHECKPOINT_TYPES

KEY = Ed25519PrivateKey.generate()
ORIGIN = "bench.example.org/log"
EVENT_COUNT = 1_000_000
STREAM_EVENTS = 1_000
NEW_EVENT_COUNT = 1_000
"""Events between two checkpoints."""
PROOF_COUNT = 500
RUN_COUNT = 5
COST_APPEND_COUNT = 3_200
"""Appends between two polls of the log, which take about a second."""
COST_POLL_COUNT = 8
"""Polls for one checkpoint. The log signs once a minute or at the end of a round, so in use there are more."""
INSERT_EVENTS = 10_000


def build_rows(count: int) -> Iterator[dict[str, Any]]:
    """Yield the rows of events, in streams of ``STREAM_EVENTS``, each with its hash."""
    previous, stream = GENESIS, ""
    for position in range(1, count + 1):
        version = (position - 1) % STREAM_EVENTS + 1
        if version == 1:
            previous, stream = GENESIS, f"game-bench-r1-t{position // STREAM_EVENTS}"
        columns: dict[str, Any] = {
            "stream": stream,
            "version": version,
            "event_id": str(uuid.uuid4()),
            "type": "faristol.game.v1.Passed",
            "schema_version": 1,
            "tournament": "bench",
            "payload": build_passed(version).SerializeToString(),
            "metadata": '{"actor":"anna-puig"}',
            "recorded_at": 1_772_877_600_000_000 + position,
        }
        previous = compute_chained_hash(previous, *columns.values())
        yield {"position": position, **columns, "hash": previous}


async def fill_record(record: Record, count: int) -> None:
    """Write events to an empty record without the path of appends."""
    rows = build_rows(count)
    while batch := list(islice(rows, INSERT_EVENTS)):
        async with record.writing() as connection:
            await connection.execute(insert(tables.events), batch)
            await connection.execute(update(tables.counter).values(position=batch[-1]["position"]))


async def append_events(record: Record, count: int) -> None:
    """Append events to a new stream."""
    events = [build_passed(number) for number in range(count)]
    await record.append(Decision([Write(f"game-{uuid.uuid4().hex}", 0, events, "bench")]), Metadata(actor="anna-puig"))


async def time_appends(record: Record) -> float:
    """Return the appends per second of concurrent callers."""

    async def append(stream: str, version: int) -> None:
        decision = Decision([Write(stream, version, [build_passed(version)], "bench")])
        await record.append(decision, Metadata(actor="anna-puig"))

    return await from_callers(append, COST_APPEND_COUNT)


class Stopwatch:
    """The time of the process in several blocks."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.processor_seconds = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Add the time of the block."""
        start, processor_start = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - start
        self.processor_seconds += time.process_time() - processor_start


@asynccontextmanager
async def running_log(record: Record) -> AsyncIterator[LogWriter]:
    """Run a log with the settings of the product, except that the caller makes its polls."""
    types = [kind.DESCRIPTOR.full_name for kind in CHECKPOINT_TYPES]
    writer = LogWriter(record, KEY, ORIGIN, TrustPolicy(), at_once=types, look=math.inf)
    task = asyncio.create_task(writer.run())
    try:
        await asyncio.sleep(LOG_POLL_SECONDS)
        yield writer
    finally:
        await cancel_tasks([task])


async def append_cost_figures(name: str, urls: tuple[str, str]) -> Figures:
    """Return the speed of appends with the log, its polls and its checkpoints against that without it.

    Both are measured alternately between two polls: a machine with other work changes within a second.
    """
    plain, logged = [await Record.open(url) for url in urls]
    speeds: dict[str, list[float]] = {"without the log": [], "with the log": []}
    by_processor: dict[str, list[float]] = {"without the log": [], "with the log": []}
    try:
        async with running_log(logged) as writer:
            for _ in range(RUN_COUNT):
                without, with_log = Stopwatch(), Stopwatch()
                for _ in range(COST_POLL_COUNT):
                    with without.running():
                        await time_appends(plain)
                    with with_log.running():
                        await time_appends(logged)
                        await writer.step()
                with with_log.running():
                    await make_checkpoint(logged, KEY, ORIGIN, is_published=True, recent=writer.recent)
                for contestant, watch in (("without the log", without), ("with the log", with_log)):
                    speeds[contestant].append(COST_APPEND_COUNT * COST_POLL_COUNT / watch.seconds)
                    by_processor[contestant].append(COST_APPEND_COUNT * COST_POLL_COUNT / watch.processor_seconds)
    finally:
        await plain.close()
        await logged.close()
    goal = {"without the log": 0.95}
    return [
        *compare_speeds(f"{name}, appends", speeds, "with the log", goal),
        *compare_speeds(f"{name}, appends by processor time", by_processor, "with the log", goal),
    ]


async def log_figures(name: str, url: str, count: int = EVENT_COUNT) -> Figures:
    """Return the times of the first and of a later checkpoint over many events, and of proofs under it."""
    record = await Record.open(url)
    try:
        await fill_record(record, count)
        start = time.perf_counter()
        await extend_log(record)
        built = time.perf_counter() - start
        await make_checkpoint(record, KEY, ORIGIN, is_published=True)
        times = []
        for _ in range(RUN_COUNT):
            await append_events(record, NEW_EVENT_COUNT)
            start = time.perf_counter()
            made = await make_checkpoint(record, KEY, ORIGIN, is_published=True)
            times.append(time.perf_counter() - start)
        assert made is not None
        proofs = []
        chance = random.Random(1)
        for _ in range(PROOF_COUNT):
            index = chance.randrange(count)
            start = time.perf_counter()
            async with record.reading() as connection:
                (event,) = await stored.read(connection, index, index + 1)
                hashes = await log_store.prove_inclusion(connection, index, made.checkpoint.size)
            str(LogProof(index, hashes, made.note, disclose_event(event).to_extra()))
            proofs.append((time.perf_counter() - start) * 1_000)
    finally:
        await record.close()
    what = f"{name}, {count:,} events"
    late = statistics.quantiles(proofs, n=100)[98]
    return [
        (f"{what}: first build of the log", built, "s, once"),
        (f"{what}: checkpoint after {NEW_EVENT_COUNT:,} new events", max(times), "s; to stay below 1"),
        (f"{what}: proof, median", statistics.median(proofs), "ms; to stay below 5"),
        (f"{what}: proof, 99 of 100", late, "ms"),
    ]


def main() -> None:
    """Measure on SQLite, and print the figures."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--events", type=int, default=EVENT_COUNT)
    count = arguments.parse_args().events
    with tempfile.TemporaryDirectory(prefix="faristol-log-") as folder:
        urls = [f"sqlite:///{Path(folder)}/log-{number}.db" for number in range(3)]
        figures = asyncio.run(append_cost_figures("SQLite", (urls[0], urls[1])))
        figures += asyncio.run(log_figures("SQLite", urls[2], count))
    for what, figure, unit in figures:
        Console().print(f"{what}: {figure:,.2f} {unit}")


if __name__ == "__main__":
    main()
