"""A rebuild runs beside the live projection, comes to the same rows byte for byte, and takes its place by one row."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from sqlalchemy import BigInteger, Column, Integer, MetaData, String, Table, func, insert, inspect, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.component import consumers
from tests.component.consumers import consuming, line_of
from tests.component.contents import read_model, read_models
from tests.component.processes import FARISTOL, environment, faristol
from tests.support.consumers import RESULTS
from tests.support.plain_http import PLAIN
from tests.support.synthetic import Championship, Step, append, keep_names

from faristol.bus import Bus, NatsServer
from faristol.consumers import (
    CannotTake,
    Consumer,
    Live,
    Progress,
    Projection,
    ProjectionError,
    Rebuild,
    generations,
    read,
)
from faristol.consumers.status import State, status
from faristol.event_store import Record, Recorded
from faristol.event_store.backends.tables import events
from faristol.event_store.tasks import cancel_tasks
from faristol.host import Part, Settings
from faristol.host.readiness import Readiness
from faristol.launcher.processes import running
from faristol.pb.game.v1 import events_pb2
from faristol.pb.results.v1 import results_pb2, results_pb2_grpc
from faristol.read_models.projections.projection import projection

PASSED = "faristol.game.v1.Passed"


def turns(version: int, generation: int = 1, *, sums: int = 1) -> Projection:
    """Return the number of turns passed of every stream, times ``sums``: a projection with a row that changes."""
    table = Table(
        f"turns_v{version}_{generation}",
        MetaData(),
        Column("stream", String(64), primary_key=True),
        Column("passed", Integer, nullable=False),
        Column("position", BigInteger, nullable=False),
    )

    async def apply(connection: AsyncConnection, batch: Sequence[Recorded]) -> None:
        for event in batch:
            known = update(table).where(table.c.stream == event.stream)
            changed = await connection.execute(known.values(passed=table.c.passed + sums, position=event.position))
            if not changed.rowcount:
                values = {"stream": event.stream, "passed": sums, "position": event.position}
                await connection.execute(insert(table).values(**values))

    return Projection(
        "turns",
        version,
        frozenset({PASSED}),
        table.metadata,
        apply,
        generation,
        lambda number: turns(version, number, sums=sums),
    )


async def tables_of(record: Record, prefix: str) -> set[str]:
    async with record.engine.connect() as connection:
        names = await connection.run_sync(lambda sync: inspect(sync).get_table_names())
    return {name for name in names if name.startswith(prefix)}


passes = consumers.append


@pytest.mark.nightly
async def test_a_rebuild_beside_a_live_projection_loses_nothing_while_events_keep_coming(
    record: Record, nats_server: NatsServer
) -> None:
    work = turns(1)
    async with consuming(record, nats_server.url, work) as progress:
        for number in range(30):
            await passes(record, f"game-{number}", 0, 10)
        stop = asyncio.Event()
        seen: list[Live] = []

        async def play() -> None:
            version = 10
            while not stop.is_set():
                for number in range(30):
                    await passes(record, f"game-{number}", version)
                version += 1

        async def look() -> None:
            while not stop.is_set():
                found, live = await read_model(record, work)
                seen.append(live)
                assert sum(passed for _, passed, _ in found) == live.position, "rows and position are of one moment"
                await asyncio.sleep(0.01)

        others = [asyncio.create_task(play()), asyncio.create_task(look())]
        rebuilt = [await Rebuild(record, work, batch=97).run() for _ in range(3)]
        await asyncio.sleep(0.3)
        stop.set()
        await asyncio.gather(*others)
        assert await progress.wait_until_reached(await record.last_position(), 60)
    found, live = await read_model(record, work)
    assert [built.generation for built in rebuilt] == [2, 3, 4]
    assert (live.generation, live.position) == (4, await record.last_position())
    assert await tables_of(record, "turns_") == {"turns_v1_4"}
    positions = [state.position for state in seen]
    assert positions == sorted(positions), "no reader is ever taken back"
    assert {state.generation for state in seen} >= {1, 4}
    async with record.reading() as connection:
        counted = select(events.c.stream, func.count(), func.max(events.c.position)).group_by(events.c.stream)
        assert sorted(found) == sorted(tuple(row) for row in await connection.execute(counted))


def failing(fails: set[int], *, told: bool = False, generation: int = 1) -> Projection:
    """Return ``turns`` with failures at some positions; with ``told`` it reports which event it is."""
    work = turns(1, generation)

    async def apply(connection: AsyncConnection, batch: Sequence[Recorded]) -> None:
        await work.apply(connection, batch)
        for event in batch:
            if event.position in fails:
                problem = ZeroDivisionError(event.position)
                raise CannotTake(event, problem) if told else problem

    class Late:
        """A fold that fails in the middle of a batch, after applying some events."""

        def __init__(self) -> None:
            self._taken: list[Recorded] = []

        async def take(self, _: AsyncConnection, events: Sequence[Recorded]) -> None:
            for event in events:
                if event.position in fails:
                    raise ZeroDivisionError(event.position)
                self._taken.append(event)

        @property
        def held(self) -> int:
            return len(self._taken)

        async def finish(self, connection: AsyncConnection) -> bool:
            return False

        async def write(self, connection: AsyncConnection) -> None:
            events, self._taken = self._taken, []
            await work.apply(connection, events)

    again = partial(_failing_again, fails, told)
    return replace(work, apply=apply, again=again, fold=None if told else Late)


def _failing_again(fails: set[int], told: bool, generation: int) -> Projection:
    return failing(fails, told=told, generation=generation)


async def list_parked(record: Record, consumer: str = "turns@1") -> list[tuple[str, int, int]]:
    """Return the keys that are parked, with the position of the event that was not taken and up to where the others
    are.
    """
    (line,) = [line for line in (await status(record))[0] if line.name == consumer and line.state is State.LIVE]
    return [(row.key, row.position, row.done) for row in line.parked]


@pytest.mark.parametrize("told", [True, False])
async def test_a_rebuild_parks_what_it_cannot_take_and_one_after_the_mend_takes_all(
    record: Record, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.consumers.rebuild.REBUILD_SLICE_EVENTS", 7)
    async with record.writing() as connection:
        await generations.create_first_generation(connection, turns(1))
    for number in range(10):
        for tournament in ("cup", "league", "fine"):
            await passes(record, f"game-{tournament}", 2 * number, 2, tournament)
    fails = {14, 15, 33}  # of the cup, the league, and the league again
    rebuilt = await Rebuild(record, failing(fails, told=told), batch=20).run()
    assert (rebuilt.position, rebuilt.parked) == (60, 2)
    assert await list_parked(record) == [("cup", 14, 13), ("league", 15, 14)]
    assert (await read_model(record, turns(1)))[0] == [
        ("game-cup", 5, 13),
        ("game-fine", 20, 60),
        ("game-league", 4, 10),
    ]
    fails -= {14, 15}
    await Rebuild(record, failing(fails, told=told), batch=20).run()
    assert await list_parked(record) == [("league", 33, 32)], "what the older tables had parked goes with them"
    fails.clear()
    assert (await Rebuild(record, failing(fails, told=told)).run()).parked == 0
    assert await list_parked(record) == []
    assert {row[1] for row in (await read_model(record, turns(1)))[0]} == {20}


async def test_a_rebuild_that_fails_leaves_what_is_read_as_it_was(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.consumers.parked.MAX_PARKED_KEYS", 0)
    work = turns(1)
    async with consuming(record, nats_server.url, work) as progress:
        assert await progress.wait_until_reached(await passes(record, "game-a", 0, 20), 60)
    before = await read_model(record, work)
    with pytest.raises(CannotTake, match=r"event 13 \(Passed on game-a\): ZeroDivisionError: 13"):
        await Rebuild(record, failing({13})).run()
    assert await read_model(record, work) == before
    assert await tables_of(record, "turns_") == {"turns_v1_1"}
    assert (await Rebuild(record, work).run()).generation == 3, "the number of the one that failed is not given again"
    assert (await read_model(record, work))[0] == before[0]


async def test_a_consumer_goes_on_from_what_a_rebuild_beside_it_parked(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.consumers.parked_retries.PARKED_BACKOFF_SECONDS", 1_000.0)
    monkeypatch.setattr("faristol.consumers.parked_retries.PARKED_POLL_SECONDS", 0.05)
    fails: set[int] = set()
    async with consuming(record, nats_server.url, failing(fails)) as progress:
        assert await progress.wait_until_reached(await passes(record, "game-a", 0, 5), 60)
        await Rebuild(record, failing({3})).run()
        assert await list_parked(record) == [("cup", 3, 2)]
        last = await passes(record, "game-a", 5, 5)
        assert await progress.wait_until_reached(last, 60)
        for _ in range(100):
            if not await list_parked(record):
                break
            await asyncio.sleep(0.05)
        assert (await read_model(record, turns(1)))[0] == [("game-a", 10, 10)], "each of them once"


async def test_a_service_starts_after_a_rebuild_that_came_first_and_was_cut_off(record: Record) -> None:
    work = turns(1)
    await passes(record, "game-a", 0, 5)
    cut_off = Rebuild(record, work)
    await cut_off._begin()
    for _ in range(2):
        async with record.writing() as connection:
            await generations.create_first_generation(connection, work)
    assert (await read_model(record, work))[1].generation == 2, "the number that the rebuild took is not given again"
    await Rebuild(record, work).run()
    assert await tables_of(record, "turns_") == {"turns_v1_3"}


async def test_a_service_that_starts_during_the_first_rebuild_leaves_no_tables_behind(record: Record) -> None:
    work = turns(1)
    await passes(record, "game-a", 0, 5)

    def start_service(_: int, __: int) -> None:
        starting.append(asyncio.create_task(start()))

    async def start() -> None:
        async with record.writing() as connection:
            await generations.create_first_generation(connection, work)

    starting: list[asyncio.Task[None]] = []
    rebuilt = await Rebuild(record, work, start_service).run()
    await asyncio.gather(*starting)
    assert (rebuilt.generation, (await read_model(record, work))[1].generation) == (1, 1)
    assert await tables_of(record, "turns_") == {"turns_v1_1"}


async def test_a_rebuild_clears_a_projection_that_has_stopped(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.consumers.parked.MAX_PARKED_KEYS", 0)
    async with consuming(record, nats_server.url, failing({1})):
        await passes(record, "game-a", 0, 5)
        await line_of(record, "turns@1", lambda line: line.state is State.STOPPED)
    await Rebuild(record, turns(1)).run()
    (line,) = [line for line in (await status(record))[0] if line.name == "turns@1"]
    assert (line.state, line.position, line.lag, line.generation) == (State.LIVE, 5, 0, 2)


async def test_two_rebuilds_at_once_are_one_and_a_refusal(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faristol.consumers.rebuild.REBUILD_LEASE_SECONDS", 0.5)
    work = turns(1)
    async with record.writing() as connection:
        await generations.create_first_generation(connection, work)
    await passes(record, "game-a", 0, 50)
    assert await record.lease("rebuild:turns@1", "another", 0.5)

    async def keep() -> None:
        while True:
            assert await record.lease("rebuild:turns@1", "another", 0.5)
            await asyncio.sleep(0.05)

    kept = asyncio.create_task(keep())
    with pytest.raises(ProjectionError, match="turns@1 is already being rebuilt"):
        await Rebuild(record, work).run()
    await cancel_tasks([kept])
    await record.release("rebuild:turns@1", "another")
    assert (await Rebuild(record, work).run()).events == 50


async def test_a_rebuild_that_lost_its_lease_in_the_switch_does_not_lose_what_it_built(
    record: Record, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.consumers.rebuild.REBUILD_LEASE_SECONDS", 0.4)
    work = turns(1)
    async with record.writing() as connection:
        await generations.create_first_generation(connection, work)
    await passes(record, "game-a", 0, 50)
    switching, switch = asyncio.Event(), generations.switch

    async def slowly(connection: AsyncConnection, projection: Projection, position: int) -> None:
        await switch(connection, projection, position)
        if not switching.is_set():
            switching.set()
            await asyncio.sleep(1.5)  # a process that pauses, a database that is slow at its commit

    monkeypatch.setattr(generations, "switch", slowly)
    other = await Record.open(database_url)
    first = asyncio.create_task(Rebuild(record, work).run())
    await switching.wait()
    await asyncio.sleep(0.6)
    second = await Rebuild(other, work).run()
    assert ((await first).generation, second.generation) == (2, 3)
    found, live = await read_model(record, work)
    assert ([row[:2] for row in found], live.generation) == ([("game-a", 50)], 3)
    assert await tables_of(record, "turns_") == {"turns_v1_3"}
    await other.close()


async def test_a_rebuild_whose_place_was_taken_does_not_write_into_the_tables_of_the_other(
    record: Record, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.consumers.rebuild.REBUILD_LEASE_SECONDS", 0.4)
    work = turns(1)
    async with record.writing() as connection:
        await generations.create_first_generation(connection, work)
    await passes(record, "game-a", 0, 50)
    begun, go_on = [asyncio.Event(), asyncio.Event()], [asyncio.Event(), asyncio.Event()]

    def waiting(number: int, generation: int = 1) -> Projection:
        """Return the same on tables of the same names; it waits when it has begun, as a process that pauses does."""
        plain = turns(1, generation)

        class Waits:
            held = 1

            def __init__(self) -> None:
                self._events: list[Recorded] = []

            async def take(self, _: AsyncConnection, events: Sequence[Recorded]) -> None:
                self._events += events
                begun[number].set()
                await go_on[number].wait()

            async def write(self, connection: AsyncConnection) -> None:
                events, self._events = self._events, []
                await plain.apply(connection, events)

            async def finish(self, connection: AsyncConnection) -> bool:
                return False

        return replace(plain, again=partial(waiting, number), fold=Waits)

    other = await Record.open(database_url)
    first = asyncio.create_task(Rebuild(record, waiting(0)).run())
    await begun[0].wait()
    await asyncio.sleep(0.6)
    with pytest.raises(asyncio.CancelledError):  # one comes and is interrupted, so that its tables are dropped
        await _interrupt(Rebuild(other, waiting(1)), begun[1])
    begun[1].clear()
    second = asyncio.create_task(Rebuild(other, waiting(1)).run())
    await begun[1].wait()
    go_on[0].set()
    with pytest.raises(ProjectionError, match="replaced this one"):
        await first
    go_on[1].set()
    assert (await second).generation == 4
    found, live = await read_model(record, work)
    assert ([row[:2] for row in found], live.generation) == ([("game-a", 50)], 4)
    assert await tables_of(record, "turns_") == {"turns_v1_4"}
    await other.close()


async def test_tables_of_an_older_version_that_lack_a_column_are_not_read(
    record: Record, nats_server: NatsServer
) -> None:
    old, new = turns(1), turns(2)

    async def look(connection: AsyncConnection, live: Live) -> object:
        column = text(f"SELECT hall FROM turns_v{live.version}_{live.generation}")
        return (await connection.execute(column)).all()

    async with consuming(record, nats_server.url, old) as older:
        assert await older.wait_until_reached(await passes(record, "game-a", 0, 3), 60)
        with pytest.raises(generations.NotBuilt, match="turns@2 is not built yet"):
            await read(record, new, look)
        with pytest.raises(DBAPIError):  # a defect of this version is no reason to wait
            await read(record, old, look)


async def _interrupt(rebuild: Rebuild, begun: asyncio.Event) -> None:
    task = asyncio.create_task(rebuild.run())
    await begun.wait()
    task.cancel()
    await task


async def test_a_newer_version_is_built_beside_the_older_one_which_is_read_until_then(
    record: Record, nats_server: NatsServer
) -> None:
    old, new = turns(1), turns(2, sums=10)
    async with consuming(record, nats_server.url, old) as older:
        assert await older.wait_until_reached(await passes(record, "game-a", 0, 20), 60)
        bus = await Bus.connect(nats_server.url)
        consumer = Consumer(record, bus, new, Progress(record, new.consumer))
        await consumer.prepare()
        live = (await read(record, new, _which))[0]
        assert (live.version, live.position) == (1, 20), "until its own tables are built, a newer version reads these"
        readiness, ready = Readiness(record, bus), dict[str, bool]()

        async def tell(name: str, serves: bool) -> None:  # the signature of the health service
            ready[name] = serves

        parts = [Part("older", projections=(old,)), Part("newer", projections=(new,))]
        await readiness.look(parts, tell)
        assert (ready["older"], ready["newer"]) == (True, False), "the processes of the older version answer"
        task = asyncio.create_task(consumer.run())
        for _ in range(100):
            live = (await read(record, new, _which))[0]
            if live.version == 2:
                break
            await asyncio.sleep(0.05)
        await passes(record, "game-b", 0, 3)
        assert await older.wait_until_reached(23, 60), "processes of the older version go on with theirs"
        assert await Progress(record, "turns@2").wait_until_reached(23, 60)
        await readiness.look(parts, tell)
        assert ready["newer"]
        await cancel_tasks([task])
        await bus.close()
    assert [row[:2] for row in (await read_model(record, old))[0]] == [("game-a", 20), ("game-b", 3)]
    assert [row[:2] for row in (await read_model(record, new))[0]] == [("game-a", 200), ("game-b", 30)]
    states = {line.name: line.state for line in (await status(record))[0]}
    assert (states["turns@1"], states["turns@2"]) == (State.OLDER, State.LIVE)

    with pytest.raises(ProjectionError, match="version 2 of turns is the version in use"):
        await generations.drop(record, "turns", 2)
    with pytest.raises(ProjectionError, match=r"no version 7 of the projection 'turns'; there are: 1, 2"):
        await generations.drop(record, "turns", 7)
    await generations.drop(record, "turns", 1)
    assert await tables_of(record, "turns_") == {"turns_v2_1"}
    assert [line.name for line in (await status(record))[0] if line.name.startswith("turns")] == ["turns@2"]


async def _which(_: AsyncConnection, live: Live) -> Live:
    return live


# --- the results, in the hands of an operator ----------------------------------------------------------------------


async def test_results_rebuilt_by_the_command_while_services_run_are_the_live_ones_byte_for_byte(
    database_url: str, nats_server: NatsServer, tmp_path: Path
) -> None:
    settings = Settings.model_validate(
        {"data": tmp_path, "database_url": database_url, "nats_url": nats_server.url, "grace_seconds": 0.5}
    )
    steps = list(Championship().steps())
    half = len(steps) // 2
    async with running(settings, ("results",)) as process:
        record = process.runtime.record
        progress = process.runtime.progress(RESULTS)
        stub = results_pb2_grpc.ResultsServiceStub(process.runtime.channel("results"))
        await keep_names(record)
        for step in steps[:half]:
            position = await append(record, step)
        assert await progress.wait_until_reached(position, 60)
        live = await read_models(record, projection())

        first = await command("projection", "rebuild", database_url=database_url)
        assert first.returncode == 0, first.stderr
        assert f"{RESULTS}: {position} events in" in first.stdout
        assert f"read from position {position} on" in first.stdout
        again, where = await read_models(record, projection())
        assert (again, where.generation, where.position) == (live[0], 2, position)

        building = asyncio.create_task(command("projection", "rebuild", "results", database_url=database_url))
        for step in steps[half:]:
            position = await append(record, step)
            await asyncio.sleep(0.02)
        assert (await building).returncode == 0, (await building).stderr
        assert await progress.wait_until_reached(position, 60)
        request = results_pb2.GetStandingsRequest(tournament_id="lliga", min_position=position)
        answer = await stub.GetStandings(request, timeout=10)
        assert answer.position == position, "readers go on without a restart"
        assert [line.name for line in answer.standings if line.player_id == "biel"] == ["Biel Soler"]
        switched, where = await read_models(record, projection())
        assert where.generation == 3
        assert (await command("projection", "rebuild", database_url=database_url)).returncode == 0
        rebuilt, where = await read_models(record, projection())
        assert (rebuilt, where.generation, where.position) == (switched, 4, position)
        assert await tables_of(record, "results_v") == names_of(4)


def names_of(generation: int) -> set[str]:
    return {table.name for table in projection(generation).tables.sorted_tables}


async def command(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    return await asyncio.to_thread(faristol, *arguments, **settings)


@pytest.mark.nightly
async def test_a_rebuild_that_was_killed_can_be_run_again(database_url: str) -> None:
    record = await Record.open(database_url)
    work = projection()
    async with record.writing() as connection:
        await generations.create_first_generation(connection, work)
    for number in range(12):
        await passes_of_a_game(record, number)
    async with record.writing() as connection:
        await work.apply(connection, await record.read(limit=100_000))
        await connection.execute(update_checkpoint(work.consumer, await record.last_position()))
    live, _ = await read_models(record, work)
    killed = 0
    for _ in range(20):
        child = await asyncio.to_thread(
            subprocess.Popen,
            [FARISTOL, "projection", "rebuild", "results"],
            env=environment(database_url=database_url),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        give_up = time.monotonic() + 60
        while child.poll() is None and time.monotonic() < give_up:
            if len(await tables_of(record, "results_v")) > len(names_of(1)):
                child.send_signal(signal.SIGKILL)
            await asyncio.sleep(0)
        await asyncio.to_thread(child.wait)
        killed += child.returncode == -signal.SIGKILL
        if killed:
            break
    assert killed, "the rebuild was over before it could be killed"
    assert (await read_models(record, work))[0] == live
    assert State.BUILDING in {line.state for line in (await status(record))[0]}
    done = await command("projection", "rebuild", "results", database_url=database_url)
    assert done.returncode == 0, done.stderr
    found, where = await read_models(record, work)
    assert found == live
    assert await tables_of(record, "results_v") == names_of(where.generation)
    await record.close()


def test_a_record_in_which_nothing_was_built_says_so_and_a_rebuild_builds_it(database_url: str) -> None:
    async def play() -> None:
        record = await Record.open(database_url)
        await passes_of_a_game(record, 1)
        await record.close()

    asyncio.run(play())
    listed = faristol("projection", "list", database_url=database_url).stdout
    assert "no projection is built yet: that happens when services start, or by `faristol projection rebuild`" in listed
    rebuilt = faristol("projection", "rebuild", database_url=database_url)
    assert (rebuilt.returncode, "read from position" in rebuilt.stdout) == (0, True), rebuilt.stderr
    listed = faristol("projection", "list", database_url=database_url).stdout
    assert ("no projection" in listed, RESULTS in listed) == (False, True)


async def passes_of_a_game(record: Record, number: int) -> None:
    """Play a separate championship, so that a rebuild has something to do."""
    for step in Championship().steps():
        renamed = {stream.replace("lliga", f"lliga{number}"): written for stream, written in step.items()}
        for written in renamed.values():
            for event in written:
                for field in ("tournament_id", "game_id"):
                    if hasattr(event, field):
                        setattr(event, field, getattr(event, field).replace("lliga", f"lliga{number}"))
                for pair in getattr(event, "pairings", ()):
                    pair.game_id = pair.game_id.replace("lliga", f"lliga{number}")
        await append(record, renamed, f"lliga{number}")


def update_checkpoint(consumer: str, position: int) -> Any:
    from faristol.event_store.backends.tables import checkpoints

    return update(checkpoints).where(checkpoints.c.consumer == consumer).values(position=position)


async def test_a_tournament_that_is_parked_is_seen_everywhere_and_the_others_go_on(
    nats_server: NatsServer, tmp_path: Path
) -> None:
    settings = Settings.model_validate(
        {"data": tmp_path, "nats_url": nats_server.url, "http_port": 0, "grace_seconds": 0.5}
    )
    steps = list(Championship().steps())
    async with (
        running(settings, ("results", "gateway")) as process,
        httpx.AsyncClient(verify=PLAIN, timeout=20) as http,
    ):
        record = process.runtime.record
        channel = process.runtime.channel("results")
        stub = results_pb2_grpc.ResultsServiceStub(channel)
        health = health_pb2_grpc.HealthStub(channel)
        await keep_names(record)
        for step in steps[:20]:
            before = await append(record, step)
        assert await process.runtime.progress(RESULTS).wait_until_reached(before, 60)
        poison: Step = {"game-nowhere": [events_pb2.PlayCompleted(turn=1, player_id="anna")]}
        position = await append(record, poison, "nowhere")
        for step in steps[20:30]:
            last = await append(record, step)
        line = await line_of(record, RESULTS, lambda line: bool(line.parked) and not line.lag)
        assert (line.state, line.position) == (State.LIVE, last)

        assert await _health(health, "results.consumers") == health_pb2.HealthCheckResponse.NOT_SERVING
        answer = await stub.GetTournament(results_pb2.GetTournamentRequest(tournament_id="lliga"), timeout=5)
        assert answer.position == last
        (told,) = [
            consumer
            for consumer in (await stub.GetStatus(results_pb2.GetStatusRequest(), timeout=5)).consumers
            if consumer.parked
        ]
        assert (told.name, told.parked_count, told.parked[0].key) == (RESULTS, 1, "nowhere")
        assert told.parked[0].error == "Broken: PlayCompleted is of a game that was not opened"

        json_status = (await http.get(f"{process.http_address}/api/v1/status")).json()
        (of_results,) = [consumer for consumer in json_status["consumers"] if consumer["parked_count"]]
        (shown,) = of_results["parked"]
        assert (of_results["name"], of_results["state"], of_results["parked_count"]) == (RESULTS, "live", 1)
        assert (shown["tournament_id"], shown["position"]) == ("nowhere", position)
        assert datetime.fromisoformat(shown["since"]) <= datetime.now(UTC)
        page = (await http.get(f"{process.http_address}/status", headers={"Accept-Language": "ca"})).text
        assert f"{RESULTS} ha apartat 1 flux" in page
        assert "faristol projection list" in page
        for public in (page, json.dumps(json_status)):
            for secret in ("game-nowhere", "PlayCompleted", "not opened"):
                assert secret not in public, "what a running game does is not for everybody"

        listed = await command("projection", "list", "--data", str(tmp_path))
        assert (
            f"{RESULTS} has parked nowhere: it cannot take event {position} (faristol.game.v1.PlayCompleted on "
            "game-nowhere" in listed.stdout
        )
        as_json = json.loads((await command("projection", "list", "--json", "--data", str(tmp_path))).stdout)
        (line_of_json,) = [consumer for consumer in as_json["consumers"] if consumer["name"] == RESULTS]
        assert [row["key"] for row in line_of_json["parked"]] == ["nowhere"]
        rebuilt = await command("projection", "rebuild", "results", "--data", str(tmp_path))
        assert "1 tournaments are parked" in rebuilt.stdout, rebuilt.stderr
        asked = await command("projection", "retry", RESULTS, "nowhere", "--data", str(tmp_path))
        assert asked.stdout == f"{RESULTS} at nowhere: asked to try again\n"
        await line_of(record, RESULTS, lambda line: bool(line.parked) and line.parked[0].attempts > 1)
        assert not process.process.problem


async def test_answers_of_a_parked_tournament_say_up_to_where_they_hold(
    nats_server: NatsServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings.model_validate({"data": tmp_path, "nats_url": nats_server.url, "grace_seconds": 0.5})
    steps = list(Championship().steps())
    async with running(settings, ("results",)) as process:
        record = process.runtime.record
        stub = results_pb2_grpc.ResultsServiceStub(process.runtime.channel("results"))
        await keep_names(record)
        for step in steps[:20]:
            before = await append(record, step)
        poison: Step = {"game-nowhere": [events_pb2.PlayCompleted(turn=1, player_id="anna")]}
        last = await append(record, poison)
        for step in steps[20:22]:
            last = await append(record, step)
        await line_of(record, RESULTS, lambda line: bool(line.parked) and not line.lag)
        request = results_pb2.GetTournamentRequest(tournament_id="lliga")
        assert (await stub.GetTournament(request, timeout=5)).position == before
        request.min_position = last
        with pytest.raises(grpc.aio.AioRpcError, match=f"results are at position {before} and did not reach"):
            await stub.GetTournament(request, timeout=2)


async def _health(stub: Any, service: str) -> int:
    try:
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=5)
    except grpc.aio.AioRpcError as problem:
        return int(problem.code().value[0])
    return int(answer.status)


def test_what_an_operator_asks_for_that_cannot_be_is_told_in_one_sentence(tmp_path: Path) -> None:
    for arguments, expected in (
        (("list", "--data", "/nowhere"), "there is no record in /nowhere"),
        (("rebuild", "posters"), "there is no projection 'posters': choose one of docket, results"),
        (("drop", "results", "1"), "there is no version 1 of the projection 'results'; there are: none"),
        (("retry", RESULTS), f"'{RESULTS}' has no parked events"),
    ):
        if arguments[-1] != "/nowhere":
            asyncio.run(_empty(tmp_path))
            arguments = (*arguments, "--data", str(tmp_path))
        done = faristol("projection", *arguments)
        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.stderr
        assert expected in done.stderr
    assert (
        faristol("projection", "retry", "--data", str(tmp_path)).stdout
        == "no events are parked and no projection is stopped\n"
    )


async def _empty(folder: Path) -> None:
    await (await Record.open(f"sqlite:///{folder}/record.db")).close()
