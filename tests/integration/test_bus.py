"""The promises of the bus: order, once, and nothing lost, with a real NATS server and a real record."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nats
import pytest
from sqlalchemy import Column, Integer, MetaData, String, Table, insert, select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.integration.contents import no_connection_left

from faristol.bus import Bus, BusError, Consumer, NatsServer, Progress, Projection, Reaction, Relay
from faristol.bus.connection import STREAM, Pull
from faristol.bus.envelope import headers, subject
from faristol.bus.server import RESTART_SECONDS
from faristol.bus.status import State, Status, status
from faristol.bus.stopped import retry
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2
from faristol.record import Decision, Metadata, Record, Recorded, Write
from faristol.record.tables import events
from faristol.record.tasks import end

PASSED = "faristol.game.v1.Passed"

SEEN = Table("seen", MetaData(), Column("position", Integer, primary_key=True), Column("stream", String(64)))


async def append(record: Record, stream: str, version: int, count: int = 1) -> int:
    events = [events_pb2.Passed(turn=turn) for turn in range(count)]
    return (await record.append(Decision([Write(stream, version, events, "cup")]), Metadata())).position


async def note(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
    """Fails when an event comes twice: the position is the key."""
    for event in events:
        await connection.execute(insert(SEEN).values(position=event.position, stream=event.stream))


PROJECTION = Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, note)


async def quietly(_: Consumer) -> None:
    """Nobody is told."""


@asynccontextmanager
async def consuming(
    record: Record,
    url: str,
    work: Reaction | Projection,
    *,
    relay: bool = True,
    changed: Callable[[Consumer], Awaitable[None]] = quietly,
) -> AsyncIterator[Progress]:
    bus = await Bus.connect(url)
    progress = Progress(record, work.consumer)
    consumer = Consumer(record, bus, work, progress, changed)
    await consumer.prepare()
    tasks = [asyncio.create_task(consumer.run())]
    if relay:
        tasks.append(asyncio.create_task(Relay(record, bus).run()))
    try:
        yield progress
        for task in tasks:
            assert not task.done(), task
    finally:
        await end(tasks)
        await bus.close()


async def positions(record: Record) -> list[int]:
    async with record.reading() as connection:
        return [row.position for row in await connection.execute(select(SEEN).order_by(SEEN.c.position))]


async def test_every_event_reaches_a_projection_once_and_in_order(record: Record, nats_server: NatsServer) -> None:
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        for number in range(40):
            await append(record, f"game-{number}", 0, 5)
        assert await progress.reached(200, 10)
        assert await positions(record) == list(range(1, 201))


async def test_a_reaction_answers_each_event_with_one_effect(record: Record, nats_server: NatsServer) -> None:
    async def react(event: Recorded) -> Decision:
        return Decision([Write(f"clock-{event.position}", 0, [events_pb2.GameStarted()], "cup")])

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)) as progress:
        await append(record, "game-a", 0, 30)
        assert await progress.reached(30, 10)
    effects = [event for event in await record.read() if event.name == "GameStarted"]
    assert [event.stream for event in effects] == [f"clock-{position}" for position in range(1, 31)]
    causes = {event.event_id for event in await record.read_stream("game-a")}
    assert {event.metadata.causation_id for event in effects} == causes


async def test_a_reaction_that_lost_a_race_decides_again(record: Record, nats_server: NatsServer) -> None:
    raced = False

    async def react(event: Recorded) -> Decision:
        nonlocal raced
        version = len(await record.read_stream("clock-a"))
        if not raced:
            raced = True
            await record.append(Decision([Write("clock-a", 0, [events_pb2.GameStarted()], "cup")]), Metadata())
        return Decision([Write("clock-a", version, [events_pb2.GameStarted()], "cup")])

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)) as progress:
        assert await progress.reached(await append(record, "game-a", 0), 10)
    assert [event.version for event in await record.read_stream("clock-a")] == [1, 2]


async def test_a_reaction_that_loses_every_race_pauses_longer_each_time_and_stands_still(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.bus.consumer.ATTEMPTS", 8)
    tried: list[float] = []

    async def react(event: Recorded) -> Decision:
        tried.append(asyncio.get_running_loop().time())
        return Decision([Write("game-a", 7, [events_pb2.GameStarted()], "cup")])  # which it is never at

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)):
        await append(record, "game-a", 0)
        stands = await standing(record, "test.clock")
        assert stands.stopped is not None
        assert "Conflict: stream game-a was expected at version 7 and is at 1" in stands.stopped.error
    pauses = [later - earlier for earlier, later in itertools.pairwise(tried)]
    assert len(tried) == 8
    assert pauses[0] < pauses[-1]
    assert pauses[-1] >= 0.3


async def test_a_consumer_that_starts_again_goes_on_where_it_was(record: Record, nats_server: NatsServer) -> None:
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        assert await progress.reached(await append(record, "game-a", 0, 10), 10)
    await append(record, "game-b", 0, 10)
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        await append(record, "game-c", 0, 10)
        assert await progress.reached(30, 10)
    assert await positions(record) == list(range(1, 31))


async def test_a_relay_waits_while_every_connection_is_taken(record: Record, nats_server: NatsServer) -> None:
    bus = await Bus.connect(nats_server.url)
    pull = await bus.subscribe("test")
    async with no_connection_left(record):
        relay = asyncio.create_task(Relay(record, bus).run())
        await asyncio.sleep(1)
        assert not relay.done()
    await append(record, "game-a", 0)
    assert len(await pull.messages(10)) == 1
    await end([relay])
    await pull.close()
    await bus.close()


async def test_a_reaction_that_ends_notes_how_far_it_came(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.bus.consumer.IDLE", 5.0)  # when it notes by itself
    seen: list[int] = []

    async def react(event: Recorded) -> None:
        seen.append(event.position)

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)):
        await append(record, "game-a", 0, 3)
        await until(lambda: _seen(seen, 3), asyncio.sleep(0))
        await append(record, "game-a", 3)
        await until(lambda: _seen(seen, 4), asyncio.sleep(0))
    assert await record.checkpoint("test.clock") == 4


async def _seen(seen: Sequence[int], last: int) -> bool:
    return last in seen


async def test_nothing_is_lost_when_jetstream_is_wiped_while_running(record: Record, nats_server: NatsServer) -> None:
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        assert await progress.reached(await append(record, "game-a", 0, 5), 10)
        client = await nats.connect(nats_server.url)
        await client.jetstream().delete_stream(STREAM)
        await client.close()
        await append(record, "game-b", 0, 5)
        assert await progress.reached(10, 15)
        assert await progress.reached(await append(record, "game-c", 0, 5), 15)
    assert await positions(record) == list(range(1, 16))


async def test_a_consumer_that_was_removed_is_made_again(record: Record, nats_server: NatsServer) -> None:
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        assert await progress.reached(await append(record, "game-a", 0, 5), 10)
        client = await nats.connect(nats_server.url)
        await client.jetstream().delete_stream(STREAM)
        reads = 0
        read = record.read

        async def counted(*args: Any, **kwargs: Any) -> list[Recorded]:
            nonlocal reads
            reads += 1
            return await read(*args, **kwargs)

        record.read = counted  # type: ignore[method-assign] # the real one, counted
        await asyncio.sleep(2)
        assert reads < 150, "an idle consumer looks into the record now and then, and does not spin"
        assert [info.name for info in await client.jetstream().consumers_info(STREAM)]
        await client.close()


async def test_news_of_another_record_is_not_taken_for_ones_own(
    record: Record, nats_server: NatsServer, tmp_path: Path
) -> None:
    other = await Record.open(f"sqlite:///{tmp_path}/other.db")
    async with (
        consuming(record, nats_server.url, PROJECTION) as progress,
        consuming(other, nats_server.url, PROJECTION) as others,
    ):
        assert await progress.reached(await append(record, "game-a", 0, 5), 10)
        assert await others.reached(await append(other, "game-b", 0, 9), 10)
        assert await progress.reached(await append(record, "game-c", 0, 5), 10)
    assert await positions(record) == list(range(1, 11))
    assert await positions(other) == list(range(1, 10))
    await other.close()


async def test_a_consumer_without_any_news_still_finds_what_was_appended(
    record: Record, nats_server: NatsServer
) -> None:
    async with consuming(record, nats_server.url, PROJECTION, relay=False) as progress:
        assert await progress.reached(await append(record, "game-a", 0, 5), 10)


async def test_duplicates_and_disorder_on_the_bus_change_nothing(record: Record, nats_server: NatsServer) -> None:
    await append(record, "game-a", 0, 20)
    events = await record.read()
    async with consuming(record, nats_server.url, PROJECTION, relay=False) as progress:
        client = await nats.connect(nats_server.url)
        jetstream = client.jetstream()
        for event in (*reversed(events), *events, *events[::3]):
            without_id = {key: value for key, value in headers(event, record.record_id).items() if key != "Nats-Msg-Id"}
            await jetstream.publish(subject(event), event.payload, headers=without_id)
        await client.close()
        assert await progress.reached(20, 10)
        assert await progress.reached(await append(record, "game-b", 0, 1), 10)
    assert await positions(record) == list(range(1, 22))


async def test_two_replicas_of_a_consumer_do_the_work_once(record: Record, nats_server: NatsServer) -> None:
    async with (
        consuming(record, nats_server.url, PROJECTION) as one,
        consuming(record, nats_server.url, PROJECTION) as other,
    ):
        for number in range(30):
            await append(record, f"game-{number}", 0, 2)
        assert await one.reached(60, 15)
        assert await other.reached(60, 15)
    assert await positions(record) == list(range(1, 61))


async def test_a_relay_that_dies_is_followed_by_another(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.bus.relay.LEASE_SECONDS", 0.4)
    bus = await Bus.connect(nats_server.url)
    first = asyncio.create_task(Relay(record, bus).run())
    await until(lambda: relayed_to(record, 1), append(record, "game-a", 0))

    async def crash(*_: object) -> None:
        """A relay that is killed gives nothing back."""

    monkeypatch.setattr(record, "release", crash)
    second = asyncio.create_task(Relay(record, bus).run())
    first.cancel()
    await until(lambda: relayed_to(record, 2), append(record, "game-b", 0))
    await end([first, second])
    await bus.close()


async def relayed_to(record: Record, position: int) -> bool:
    return await record.checkpoint("relay") >= position


async def until(reached: Callable[[], object], start: object) -> None:
    await start  # type: ignore[misc] # any awaitable
    for _ in range(200):
        if await reached():  # type: ignore[misc]
            return
        await asyncio.sleep(0.05)
    pytest.fail("not reached in ten seconds")


async def test_an_event_that_a_projection_cannot_take_stops_it_before_that_event_and_is_shown(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.bus.consumer.RETRY_LOOK", 0.05)
    poison = True

    async def particular(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        if poison and any(event.position == 7 for event in events):
            raise ZeroDivisionError("seven")
        await note(connection, events)

    told: list[str] = []

    async def changed(consumer: Consumer) -> None:
        told.append(str(consumer.problem))

    await append(record, "game-a", 0, 10)
    projection = Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, particular)
    async with consuming(record, nats_server.url, projection, changed=changed) as progress:
        stands = await standing(record, "seen@1")
        assert (stands.position, stands.lag) == (6, 4)
        assert stands.stopped is not None
        assert (stands.stopped.position, stands.stopped.type, stands.stopped.stream) == (7, PASSED, "game-a")
        assert stands.stopped.event_id == (await record.read(6, limit=1))[0].event_id
        assert stands.stopped.error == "ZeroDivisionError: seven"
        assert await positions(record) == list(range(1, 7)), "what comes before is done"
        await asyncio.sleep(0.5)
        assert await positions(record) == list(range(1, 7)), "and nothing after it"

        assert await retry(record, "seen@1") == ["seen@1"]
        await until(lambda: attempts(record, "seen@1", 2), asyncio.sleep(0))
        assert await record.checkpoint("seen@1") == 6

        poison = False
        assert await retry(record, "see") == []
        assert await retry(record, "seen") == ["seen@1"], "a projection goes by its name too"
        assert await progress.reached(10, 10)
    assert await positions(record) == list(range(1, 11))
    assert [one.stopped for one in (await status(record))[0]] == [None, None]
    assert told == ["event 7 (Passed on game-a): ZeroDivisionError: seven"] * 2 + ["None"]


async def test_a_refusal_stops_a_reaction_and_a_new_version_goes_on(record: Record, nats_server: NatsServer) -> None:
    async def refuse(event: Recorded) -> Decision | None:
        if event.position == 3:
            raise Refusal("NO_SUCH_TABLE", "FISC I.1", "There is no table {table}.", {"table": 4})
        return None

    async def accept(event: Recorded) -> Decision:
        return Decision([Write(f"clock-{event.position}", 0, [events_pb2.GameStarted()], "cup")])

    await append(record, "game-a", 0, 5)
    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), refuse)):
        stands = await standing(record, "test.clock")
        assert stands.position == 2
        assert stands.stopped is not None
        assert stands.stopped.error == "Refusal: There is no table 4."
    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), accept)) as progress:
        assert await progress.reached(5, 10)
        await until(lambda: goes_on(record, "test.clock"), asyncio.sleep(0))
    assert [event.stream for event in await record.read(5)] == ["clock-3", "clock-4", "clock-5"]


async def test_a_replica_that_stands_still_goes_on_once_another_has_passed(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.bus.consumer.RETRY_LOOK", 0.05)

    async def old(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        if any(event.position == 2 for event in events):
            raise ZeroDivisionError
        await note(connection, events)

    await append(record, "game-a", 0, 3)
    one = Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, old)
    async with consuming(record, nats_server.url, one) as older:
        await standing(record, "seen@1")
        async with consuming(record, nats_server.url, PROJECTION) as newer:
            assert await newer.reached(3, 10)
        await append(record, "game-b", 0, 2)
        assert await older.reached(5, 10)
    assert await positions(record) == [1, 2, 3, 4, 5]
    assert await goes_on(record, "seen@1")


async def test_an_event_of_an_unknown_kind_stops_those_who_depend_on_its_context(
    record: Record, nats_server: NatsServer
) -> None:
    await append(record, "game-a", 0, 5)
    await rename(record, 3, "faristol.game.v1.TilesTurned")
    clock = Projection("ticks", 1, frozenset({"faristol.clock.v1.ClockPressed"}), MetaData(), note)
    async with (
        consuming(record, nats_server.url, PROJECTION),
        consuming(record, nats_server.url, clock, relay=False) as other,
    ):
        stands = await standing(record, "seen@1")
        assert stands.stopped is not None
        assert stands.stopped.position == 3
        assert "does not know the event faristol.game.v1.TilesTurned" in stands.stopped.error
        assert await positions(record) == [1, 2]
        assert await other.reached(5, 10), "who does not depend on games goes on"


async def test_a_row_that_cannot_be_written_is_the_events_fault_and_not_the_databases(
    record: Record, nats_server: NatsServer
) -> None:
    async def twice(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        await note(connection, [*events, *(event for event in events if event.position == 4)])

    await append(record, "game-a", 0, 5)
    projection = Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, twice)
    async with consuming(record, nats_server.url, projection):
        stands = await standing(record, "seen@1")
        assert stands.stopped is not None
        assert (stands.position, stands.stopped.position) == (3, 4)
        assert "unique" in stands.stopped.error.lower(), "the constraint is named"
        assert "INSERT" not in stands.stopped.error, "the statement and its parameters are not"


@pytest.mark.parametrize(
    "statement",
    ["SELECT nothing FROM seen", "INSERT INTO seen (colour) VALUES (1)", "SELECT FROM,"],
)
async def test_a_statement_that_no_database_takes_stops_a_projection_and_is_not_waited_for(
    record: Record, nats_server: NatsServer, statement: str
) -> None:
    async def mistaken(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        await note(connection, events)
        if any(event.position == 4 for event in events):
            await connection.execute(text(statement))

    await append(record, "game-a", 0, 5)
    projection = Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, mistaken)
    async with consuming(record, nats_server.url, projection):
        stands = await standing(record, "seen@1")
        assert stands.stopped is not None
        assert (stands.position, stands.stopped.position) == (3, 4)


async def test_messages_that_no_relay_sent_change_nothing(record: Record, nats_server: NatsServer) -> None:
    await append(record, "game-a", 0, 5)
    event = (await record.read())[-1]
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        assert await progress.reached(5, 10)
        client = await nats.connect(nats_server.url)
        jetstream = client.jetstream()
        forged = headers(event, record.record_id) | {"Nats-Msg-Id": "x", "ce-sequence": "6", "ce-subject": "game-z"}
        await jetstream.publish(subject(event), event.payload, headers=forged)
        await jetstream.publish("faristol.cup.game.Passed", b"?", headers={"ce-source": forged["ce-source"]})
        await jetstream.publish("faristol.cup.game.Passed", b"?", headers={**forged, "ce-sequence": "many"})
        await jetstream.publish("faristol.cup.game.Passed", b"?")
        await client.close()
        assert await progress.reached(await append(record, "game-b", 0, 1), 10)
    async with record.reading() as connection:
        rows = (await connection.execute(select(SEEN).order_by(SEEN.c.position))).all()
    assert [(row.position, row.stream) for row in rows][4:] == [(5, "game-a"), (6, "game-b")]


async def test_a_slow_projection_has_a_bounded_number_of_events_in_hand(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.bus.consumer.BATCH", 50)
    monkeypatch.setattr(Pull, "BATCH", 50)
    pulls: list[Pull] = []
    subscribe = Bus.subscribe

    async def seen(bus: Bus, durable: str) -> Pull:
        pulls.append(await subscribe(bus, durable))
        return pulls[-1]

    monkeypatch.setattr(Bus, "subscribe", seen)
    batches: list[int] = []
    waiting: list[int] = []

    async def slow(connection: AsyncConnection, events: Sequence[Recorded]) -> None:
        batches.append(len(events))
        waiting.extend(pull.waiting for pull in pulls)
        await asyncio.sleep(0.05)
        await note(connection, events)

    projection = Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, slow)
    async with consuming(record, nats_server.url, projection) as progress:
        for number in range(100):
            await append(record, f"game-{number}", 0, 20)
            await asyncio.sleep(0.005)
        assert await progress.reached(2_000, 30)
        await append(record, "game-last", 0, 1)
        assert await progress.reached(2_001, 10)
    assert await positions(record) == list(range(1, 2_002))
    assert max(batches) <= 50
    assert max(waiting) <= 2 * 50
    assert sum(batches) == 2_001


async def test_a_consumer_that_is_far_behind_does_not_wait_between_batches(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.bus.consumer.BATCH", 20)
    await append(record, "game-a", 0, 2_000)
    start = asyncio.get_running_loop().time()
    async with consuming(record, nats_server.url, PROJECTION, relay=False) as progress:
        assert await progress.reached(2_000, 30)
    assert asyncio.get_running_loop().time() - start < 100 * 0.5 / 4, "one idle wait a batch would take 50 seconds"


async def standing(record: Record, consumer: str) -> Status:
    """The consumer's line, once it stands still."""
    for _ in range(200):
        for line in (await status(record))[0]:
            if line.name == consumer and line.state is State.STOPPED:
                return line
        await asyncio.sleep(0.05)
    pytest.fail(f"{consumer} does not stand still after ten seconds")


async def attempts(record: Record, consumer: str, count: int) -> bool:
    line = await standing(record, consumer)
    return line.stopped is not None and line.stopped.attempts >= count


async def goes_on(record: Record, consumer: str) -> bool:
    return all(line.state is State.LIVE for line in (await status(record))[0] if line.name == consumer)


async def rename(record: Record, position: int, type_name: str) -> None:
    """Have an event be of a kind that a later version wrote."""
    async with record.writing() as connection:
        await connection.execute(update(events).where(events.c.position == position).values(type=type_name))


async def test_a_server_of_ones_own_lets_nobody_else_in(nats_server: NatsServer) -> None:
    without_token = "nats://" + nats_server.url.partition("@")[2]
    with pytest.raises(BusError, match="cannot be reached"):
        await Bus.connect(without_token)


async def is_back(bus: Bus, pid: Callable[[], int], killed: int) -> bool:
    return bus.connected and pid() != killed


async def test_a_server_of_ones_own_that_was_killed_is_started_again_and_carries_news_to_those_connected(
    nats_server: NatsServer, tmp_path: Path
) -> None:
    def pid() -> int:
        return int((tmp_path / "nats" / "nats.pid").read_text())

    killed = pid()
    bus = await Bus.connect(nats_server.url)

    os.kill(killed, signal.SIGKILL)
    await until(lambda: is_back(bus, pid, killed), asyncio.sleep(0))
    await bus.ensure_stream()
    await bus.close()
    await nats_server.stop()
    await asyncio.sleep(2 * RESTART_SECONDS)
    with pytest.raises(ProcessLookupError):
        os.kill(pid(), 0)


async def test_a_server_of_ones_own_ends_when_its_process_is_killed(tmp_path: Path) -> None:
    program = (
        "import asyncio, pathlib, sys; from faristol.bus import NatsServer\n"
        "async def main():\n"
        "    await NatsServer.start(pathlib.Path(sys.argv[1]))\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())"
    )
    owner = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(tmp_path))
    await until(lambda: asyncio.to_thread(_listening, tmp_path), asyncio.sleep(0))
    server = int((tmp_path / "nats.pid").read_text())
    owner.kill()
    await owner.wait()
    await until(lambda: asyncio.to_thread(_has_ended, server), asyncio.sleep(0))


def _listening(folder: Path) -> bool:
    return any(folder.glob("*.ports")) and (folder / "nats.pid").exists()


def _has_ended(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


async def test_a_server_program_that_cannot_be_run_is_told_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "nats-server"
    broken.write_bytes(b"\x7fELF of another machine")
    broken.chmod(0o755)
    monkeypatch.setattr("shutil.which", lambda *_, **__: str(broken))
    with pytest.raises(BusError, match=r"nats-server ended at once with code \d+: it cannot be run here$"):
        await NatsServer.start(tmp_path / "data")


async def test_a_nats_that_cannot_be_reached_is_told_in_one_sentence() -> None:
    with pytest.raises(BusError, match=r"NATS at nats://127.0.0.1:1 cannot be reached") as told:
        await Bus.connect("nats://someone:secret@127.0.0.1:1")
    assert "secret" not in str(told.value)
