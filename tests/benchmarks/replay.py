"""How many events a second are read and folded into state: by the record, and by the `eventsourcing` library."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from google.protobuf.message import Message
from tests.benchmarks import library
from tests.benchmarks.appends import passed
from tests.benchmarks.figures import Figures, compared

from faristol.event_store import Decision, Metadata, Record, Write, load
from faristol.event_store.folds import Folds
from faristol.pb.game.v1 import events_pb2

STREAMS = 200
EVENTS = 1_000
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


async def folded(record: Record) -> float:
    """Events per second by ``load``, with nothing folded before."""
    record.folds = Folds()
    start = time.perf_counter()
    for number in range(STREAMS):
        loaded = await load(record, f"game-{number}", Tally(), evolve)
        assert loaded.version == EVENTS
    return STREAMS * EVENTS / (time.perf_counter() - start)


async def read(record: Record) -> float:
    """Events per second in the order of their positions, with all that is known of them, as consumers read."""
    start, position, count = time.perf_counter(), 0, 0
    tally = Tally()
    while events := await record.read(position):
        for event in events:
            tally = evolve(tally, event.message)
        position, count = events[-1].position, count + len(events)
    return count / (time.perf_counter() - start)


async def replay_figures(name: str, url: str, library_url: str, tallies: Sequence[library.Tally]) -> Figures:
    """What both do with as many events on one database, which they fill."""
    record = await Record.open(url)
    try:
        for number in range(STREAMS):
            events = [passed(turn) for turn in range(1, EVENTS + 1)]
            await record.append(Decision([Write(f"game-{number}", 0, events, "bench")]), Metadata(actor="anna-puig"))
        speeds = {
            "eventsourcing": [await asyncio.to_thread(library.rehydration, library_url, tallies)],
            "the record": [await folded(record) for _ in range(3)],
            "the record, in the order of positions": [await read(record)],
        }
    finally:
        await record.close()
    return compared(f"{name}, replay of {STREAMS * EVENTS:,} events", speeds, "the record", {"eventsourcing": 5.0})
