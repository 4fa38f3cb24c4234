"""Measure the events that are read and folded per second: by the record, and by the `eventsourcing` library."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.message import Message
from tests.benchmarks import library
from tests.benchmarks.appends import build_passed
from tests.benchmarks.figures import Figures, compare_speeds

from faristol.event_store import Decision, Metadata, Record, Write, load
from faristol.event_store.folds import Folds
from faristol.pb.game.v1 import events_pb2

STREAM_COUNT = 200
STREAM_EVENTS = 1_000
"""In each stream."""


@dataclass(frozen=True, slots=True)
class Tally:
    """The same state as the library's ``Tally``."""

    turns: int = 0
    last: str = ""


def evolve(tally: Tally, event: Message) -> Tally:
    """Count a turn."""
    match event:
        case events_pb2.Passed():
            return Tally(event.turn, event.player_id)
        case _:
            return tally


async def time_fold(record: Record) -> float:
    """Return the events per second by ``load``, with nothing folded before."""
    record.folds = Folds()
    start = time.perf_counter()
    for number in range(STREAM_COUNT):
        loaded = await load(record, f"game-{number}", Tally(), evolve)
        assert loaded.version == STREAM_EVENTS
    return STREAM_COUNT * STREAM_EVENTS / (time.perf_counter() - start)


async def read(record: Record) -> float:
    """Return the events per second in the order of their positions, read completely, as by consumers."""
    start, position, count = time.perf_counter(), 0, 0
    tally = Tally()
    while events := await record.read(position):
        for event in events:
            tally = evolve(tally, event.message)
        position, count = events[-1].position, count + len(events)
    return count / (time.perf_counter() - start)


async def replay_figures(name: str, url: str, library_url: str, tallies: Sequence[library.Tally]) -> Figures:
    """Return the figures of both with as many events on one database, which they fill."""
    record = await Record.open(url)
    try:
        for number in range(STREAM_COUNT):
            events = [build_passed(turn) for turn in range(1, STREAM_EVENTS + 1)]
            await record.append(Decision([Write(f"game-{number}", 0, events, "bench")]), Metadata(actor="anna-puig"))
        speeds = {
            "eventsourcing": [await asyncio.to_thread(library.rehydration, library_url, tallies)],
            "the record": [await time_fold(record) for _ in range(3)],
            "the record, in the order of positions": [await read(record)],
        }
    finally:
        await record.close()
    return compare_speeds(
        f"{name}, replay of {STREAM_COUNT * STREAM_EVENTS:,} events", speeds, "the record", {"eventsourcing": 5.0}
    )
