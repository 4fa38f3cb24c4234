"""The cost of the log: appends while it is signed, a checkpoint over a million events, a proof under it."""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import tempfile
import time
import uuid
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from rich.console import Console
from sqlalchemy import insert, update
from tests.benchmarks.appends import APPEND_COUNT, build_passed, from_callers
from tests.benchmarks.figures import Figures, compare_speeds

from faristol.event_store import Decision, Metadata, Record, Write, stored
from faristol.event_store.backends import tables
from faristol.event_store.event import GENESIS, compute_chained_hash
from faristol.event_store.tasks import cancel_tasks
from faristol.event_store.transparency import log_store
from faristol.event_store.transparency.entry import disclose_event
from faristol.event_store.transparency.log_writer import LogWriter, extend_log, make_checkpoint
from faristol.event_store.transparency.policy import TrustPolicy
from faristol.event_store.transparency.tlog_proof import LogProof

KEY = Ed25519PrivateKey.generate()
ORIGIN = "bench.example.org/log"
EVENT_COUNT = 1_000_000
STREAM_EVENTS = 1_000
NEW_EVENT_COUNT = 1_000
"""Events between two checkpoints."""
PROOF_COUNT = 500
RUN_COUNT = 5
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

    return await from_callers(append)


async def time_logged_appends(record: Record) -> float:
    """Return the same while a log in this process signs a checkpoint every second."""
    writer = asyncio.create_task(LogWriter(record, KEY, ORIGIN, TrustPolicy(), seconds=1.0).run())
    try:
        return await time_appends(record)
    finally:
        await cancel_tasks([writer])


async def append_cost_figures(name: str, urls: tuple[str, str]) -> Figures:
    """Return the speed of appends with the log against that without it, measured alternately.

    The speed by processor time includes the checkpoint over the last events, after the appends.
    """
    plain, logged = [await Record.open(url) for url in urls]
    speeds: dict[str, list[float]] = {"without the log": [], "with the log": []}
    by_processor: dict[str, list[float]] = {"without the log": [], "with the log": []}
    try:
        for _ in range(RUN_COUNT):
            for contestant, record, measure in (
                ("without the log", plain, time_appends),
                ("with the log", logged, time_logged_appends),
            ):
                start = time.process_time()
                speeds[contestant].append(await measure(record))
                if record is logged:
                    await make_checkpoint(record, KEY, ORIGIN, is_published=True)
                by_processor[contestant].append(APPEND_COUNT / (time.process_time() - start))
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
