"""Measure the search of a large register of persons by a director: at first, and after events of other subjects.

`python -m tests.benchmarks.register`
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from types import SimpleNamespace
from typing import Any

from rich.console import Console
from tests.benchmarks.figures import Figures

from faristol.event_store import Decision, Metadata, Record, Write
from faristol.kernel.details import Person
from faristol.kernel.event_types import OF_THE_CELL
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.register.v1 import events_pb2 as events
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.personal_data import people
from faristol.rating.register.service import RegisterHandler
from faristol.register.model import REGISTER_STREAM

NUM_PERSONS = 20_000
BATCH_EVENTS = 1_000
REPEAT_COUNT = 5
TOURNAMENT = "open"


async def register_figures(name: str, url: str) -> Figures:
    """Return the processor time of searches: at first, after an unrelated event, and after a change of a person."""
    chance = random.Random(7)
    record = await Record.open(url)
    persons = [Person(f"p{number}", _build_name(chance), federation_id=str(number)) for number in range(NUM_PERSONS)]
    for start in range(0, NUM_PERSONS, BATCH_EVENTS):
        await _enter(record, start, persons[start : start + BATCH_EVENTS])
    created = pairing.TournamentCreated(tournament_id=TOURNAMENT, rounds=5)
    await record.append(Decision([Write(f"tournament-{TOURNAMENT}", 0, [created], TOURNAMENT)]), Metadata())
    runtime: Any = SimpleNamespace(record=record, now=lambda: SimpleNamespace(date=lambda: "2026-12-01"))
    handler = RegisterHandler(runtime)
    handler._today = lambda: "2026-12-01"  # type: ignore[method-assign]
    times: dict[str, list[float]] = {"at first": [await _time_search(handler)]}
    for number in range(REPEAT_COUNT):
        placed = pairing.RoundsChanged(rounds=6 + number)
        write = Write(f"tournament-{TOURNAMENT}", 1 + number, [placed], TOURNAMENT)
        await record.append(Decision([write]), Metadata())
        times.setdefault("after an unrelated event", []).append(await _time_search(handler))
        times.setdefault("again", []).append(await _time_search(handler))
        person = persons[number].replace(club=f"Club {number}")
        await _enter(record, NUM_PERSONS + number, [person])
        times.setdefault("after a change of a person", []).append(await _time_search(handler))
    await record.close()
    what = f"{name}: search of a register of {NUM_PERSONS:,} persons"
    return [
        (f"{what}, {when}", statistics.median(taken) * 1_000, "ms of processor time") for when, taken in times.items()
    ]


def _build_name(chance: random.Random) -> str:
    return " ".join("".join(chance.choices("aeioubcdlmnprst", k=7)).title() for _ in range(3))


async def _enter(record: Record, version: int, persons: list[Person]) -> None:
    entered = [events.PersonEntered(person_id=person.player_id) for person in persons]
    write = Write(REGISTER_STREAM, version, entered, OF_THE_CELL)
    await record.append(
        Decision([write], also=lambda connection: people.store_players(connection, persons)), Metadata(actor="fede")
    )


async def _time_search(handler: RegisterHandler) -> float:
    request: Any = pb.SearchRegisterRequest(tournament_id=TOURNAMENT, search="ba pe")
    start = time.process_time()
    await handler.search(request, SimpleNamespace())  # type: ignore[arg-type]
    return time.process_time() - start


async def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory() as folder:
        for what, value, unit in await register_figures("sqlite", f"sqlite:///{folder}/bench.db"):
            Console().print(f"{what}: {value:,.0f} {unit}")


if __name__ == "__main__":
    asyncio.run(main())
