"""Replicas that park, skip, replay and die at any point reach the same state as one undisturbed consumer."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Column, Integer, MetaData, String, Table, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import Live, Progress, Projection, Reaction, Rebuild, read
from faristol.consumers.handlers import EventHandler, build_handler
from faristol.event_store import Decision, Metadata, Record, Recorded, Stale, Write
from faristol.event_store.backends.tables import checkpoints
from faristol.pb.game.v1 import events_pb2

PASSED = "faristol.game.v1.Passed"
STREAMS = ("a", "b")
REPLICAS = (0, 1)

_number = count(1)


class Poison(Exception):
    """An event cannot be taken."""


APPENDS = st.tuples(st.just("append"), st.sampled_from(STREAMS), st.integers(1, 3))
POISONS = st.tuples(st.just("poison"), st.sampled_from(STREAMS), st.integers(1, 6))
MENDS = st.tuples(st.just("mend"), st.sampled_from(STREAMS))
TAKES = st.tuples(st.just("take"), st.sampled_from(REPLICAS))
REPLAYS = st.tuples(st.just("replay"), st.sampled_from(REPLICAS))
NOTES = st.tuples(st.just("note"), st.sampled_from(REPLICAS))
WORK = st.sampled_from(("take", "replay", "note"))
BOTH = st.tuples(st.just("both"), st.tuples(WORK, WORK))
REBUILDS = st.tuples(st.just("rebuild"), WORK)
KILLS = st.tuples(st.just("kill"), st.sampled_from(REPLICAS), WORK, st.integers(0, 40))
ALWAYS = (APPENDS, APPENDS, POISONS, MENDS, TAKES, TAKES, REPLAYS, REPLAYS, NOTES, BOTH, KILLS)
STEPS = st.lists(st.one_of(*ALWAYS), min_size=4, max_size=40)
STEPS_OF_PROJECTIONS = st.lists(st.one_of(*ALWAYS, REBUILDS), min_size=4, max_size=40)


@dataclass
class World:
    """Streams of one example, each of a separate tournament, and their failing events."""

    record: Record
    prefix: str
    versions: dict[str, int] = field(default_factory=lambda: dict.fromkeys(STREAMS, 0))
    poison: dict[str, int] = field(default_factory=dict)
    """The version of the event of a stream that cannot be taken."""

    async def begin(self, replica: Replica) -> None:
        """Begin at the end of the record, where the events of this example will be, with a stream that is parked."""
        await replica.taker.prepare()
        this = checkpoints.c.consumer == replica.taker.name
        last = await self.record.last_position()
        async with self.record.writing() as connection:
            await connection.execute(update(checkpoints).where(this).values(position=last))
        self.poison["a"] = 2
        await self.append("a", 3)
        await replica.step("take")

    async def append(self, stream: str, count: int) -> None:
        name, version = f"game-{self.prefix}{stream}", self.versions[stream]
        new_events = [events_pb2.Passed(turn=version + turn) for turn in range(count)]
        await self.record.append(Decision([Write(name, version, new_events, f"{self.prefix}{stream}")]), Metadata())
        self.versions[stream] += count

    def check(self, event: Recorded) -> None:
        if self.poison.get(event.tournament.removeprefix(self.prefix)) == event.version:
            raise Poison(event.stream)

    def reaction(self) -> Reaction:
        """Answer each event with an event on another stream; one that comes twice is answered twice."""

        async def react(event: Recorded) -> Decision:
            self.check(event)
            name = event.stream.replace("game-", "clock-")
            version = len(await self.record.read_stream(name))
            return Decision([Write(name, version, [events_pb2.GameStarted()], event.tournament)])

        return Reaction(f"{self.prefix}.clock", frozenset({PASSED}), react)

    def projection(self, generation: int = 1) -> Projection:
        """Return a row for each tournament with its events in the order of arrival."""
        table = Table(
            f"{self.prefix}_rows_{generation}",
            MetaData(),
            Column("tournament", String(64), primary_key=True),
            Column("versions", String(1_000), nullable=False),
            Column("last", Integer, nullable=False),
        )

        async def apply(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
            for event in events:
                self.check(event)
                this = update(table).where(table.c.tournament == event.tournament)
                came = this.values(versions=table.c.versions + f" {event.version}", last=event.position)
                if not (await connection.execute(came)).rowcount:
                    values = {"tournament": event.tournament, "versions": str(event.version), "last": event.position}
                    await connection.execute(insert(table).values(**values))

        return Projection(self.prefix, 1, frozenset({PASSED}), table.metadata, apply, generation, self.projection)

    async def effects(self) -> dict[str, list[str]]:
        """Return the ids of the events that were answered, in order, for each stream."""
        return {
            stream: [
                event.metadata.causation_id for event in await self.record.read_stream(f"clock-{self.prefix}{stream}")
            ]
            for stream in STREAMS
        }

    async def events(self, stream: str) -> list[Recorded]:
        return await self.record.read_stream(f"game-{self.prefix}{stream}")


class Replica:
    """A process that has a consumer."""

    def __init__(self, record: Record, work: Reaction | Projection) -> None:
        self._record = record
        self._work = work
        self.taker = self._new()
        self._loaded = False

    def _new(self) -> EventHandler:
        self._loaded = False
        return build_handler(self._record, self._work, Progress(self._record, self._work.consumer))

    async def step(self, what: str) -> None:
        """Make one step; losing against a faster replica is not a fault."""
        try:
            if not self._loaded:
                await self.taker.load()
                self._loaded = True
            if what == "take":
                await self.taker.take(await self._record.read(self.taker.position))
            elif what == "note":
                await self.taker.note()
            else:
                await self.taker.look_at_parked()
                for key in list(self.taker.parked):
                    await self.taker.replay(key, 2)
        except Stale:
            self._loaded = False

    def is_done(self, last: int) -> bool:
        return self._loaded and not self.taker.parked and self.taker.noted == last

    async def killed_in(self, what: str, turns: int) -> None:
        """Make a step that ends after a number of turns of the event loop, and restart the process."""
        task = asyncio.create_task(self.step(what))
        for _ in range(turns):
            await asyncio.sleep(0)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        self.taker = self._new()


async def drain(replica: Replica) -> None:
    """Repair all faults: parked events are applied, and nothing is left."""
    for _ in range(200):
        await replica.step("take")
        await replica.step("note")
        await replica.step("replay")
        if replica.is_done(await replica.taker.record.last_position()):
            return
    pytest.fail(f"still parked: {replica.taker.parked}")


async def play_steps(world: World, replicas: Sequence[Replica], steps: Sequence[tuple[Any, ...]]) -> None:
    for step in steps:
        match step:
            case ("append", stream, number):
                await world.append(stream, number)
            case ("poison", stream, version):
                world.poison[stream] = version
            case ("mend", stream):
                world.poison.pop(stream, None)
            case ("take" | "replay" | "note" as what, replica):
                await replicas[replica].step(what)
            case ("both", works):
                await asyncio.gather(*(replica.step(work) for replica, work in zip(replicas, works, strict=True)))
            case ("rebuild", work):
                rebuild = Rebuild(world.record, world.projection(), batch=3).run()
                await asyncio.gather(rebuild, replicas[1].step(work))
            case ("kill", replica, work, turns):
                await replicas[replica].killed_in(work, turns)


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(params=[pytest.param(12, id="day"), pytest.param(100, id="night", marks=pytest.mark.nightly)])
def examples_tried(request: pytest.FixtureRequest) -> int:
    """Return the number of examples to try."""
    found: int = request.param
    return found


def examples(
    runner: asyncio.Runner, examples_tried: int, drawn: st.SearchStrategy[list[tuple[Any, ...]]], play: Any
) -> None:
    @settings(max_examples=examples_tried, suppress_health_check=[HealthCheck.too_slow])
    @given(drawn)
    def every(steps: list[tuple[Any, ...]]) -> None:
        coroutine: Coroutine[Any, Any, None] = play(steps)
        runner.run(coroutine)

    every()


def test_a_reaction_answers_each_event_once_and_in_order_whatever_was_parked(
    database_url: str, runner: asyncio.Runner, examples_tried: int
) -> None:
    record, other = (runner.run(Record.open(database_url)) for _ in REPLICAS)

    async def play(steps: list[tuple[Any, ...]]) -> None:
        world = World(record, f"r{next(_number)}")
        replicas = [Replica(own, world.reaction()) for own in (record, other)]
        await world.begin(replicas[0])
        await play_steps(world, replicas, steps)
        for stream, ids in (await world.effects()).items():
            given = [event.event_id for event in await world.events(stream)]
            assert ids == given[: len(ids)], "in order, and each once"
        await check_unhindered(world, replicas[1])
        world.poison.clear()
        await drain(replicas[0])
        for stream, ids in (await world.effects()).items():
            assert ids == [event.event_id for event in await world.events(stream)]

    examples(runner, examples_tried, STEPS, play)
    for own in (record, other):
        runner.run(own.close())


async def check_unhindered(world: World, replica: Replica) -> None:
    """Check that streams without a failing event reach their end while the others are parked."""
    bad = {stream for stream, version in world.poison.items() if version <= world.versions[stream]}
    for _ in range(50):
        await replica.step("take")
        await replica.step("replay")
        if {row.tournament.removeprefix(world.prefix) for row in replica.taker.parked.values()} <= bad:
            return
    pytest.fail(f"parked for no reason: {replica.taker.parked}")


def test_a_projection_comes_to_the_same_rows_whatever_was_parked(
    database_url: str, runner: asyncio.Runner, examples_tried: int
) -> None:
    record, other = (runner.run(Record.open(database_url)) for _ in REPLICAS)

    async def rows(world: World) -> list[tuple[Any, ...]]:
        async def look(connection: AsyncConnection, live: Live) -> list[tuple[Any, ...]]:
            (table,) = world.projection(live.generation).tables.sorted_tables
            own = table.c.tournament.in_([f"{world.prefix}{stream}" for stream in STREAMS])  # a rebuild takes all
            found = await connection.execute(select(table).where(own).order_by(table.c.tournament))
            return [tuple(row) for row in found]

        return (await read(record, world.projection(), look))[0]

    async def play(steps: list[tuple[Any, ...]]) -> None:
        world = World(record, f"p{next(_number)}")
        replicas = [Replica(own, world.projection()) for own in (record, other)]
        await world.begin(replicas[0])
        await play_steps(world, replicas, steps)
        for tournament, versions, _ in await rows(world):
            come = [int(version) for version in versions.split()]
            assert come == list(range(1, len(come) + 1)), f"{tournament} in order, and each once"
        await check_unhindered(world, replicas[1])
        world.poison.clear()
        await drain(replicas[0])
        expected = []
        for stream in STREAMS:
            if events := await world.events(stream):
                versions = " ".join(str(event.version) for event in events)
                expected.append((events[0].tournament, versions, events[-1].position))
        assert await rows(world) == expected

    examples(runner, examples_tried, STEPS_OF_PROJECTIONS, play)
    for own in (record, other):
        runner.run(own.close())
