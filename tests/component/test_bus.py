"""The guarantees of the bus: order, no duplicates, no loss, with a real NATS server and a real record."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nats
import pytest
from sqlalchemy import event, select
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.component.consumers import PASSED, PROJECTION, SEEN, append, consuming, note, positions
from tests.component.contents import no_connection_left

from faristol.bus import Bus, BusError, BusRefused, NatsServer, Relay
from faristol.bus.connection import Pull
from faristol.bus.envelope import headers, subject
from faristol.bus.permissions import NOTIFICATION_STREAM
from faristol.bus.server import RESTART_SECONDS
from faristol.consumers import Projection, Reaction
from faristol.consumers.consumer import durable
from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.event_store.tasks import cancel_tasks
from faristol.pb.game.v1 import events_pb2


async def test_every_event_reaches_a_projection_once_and_in_order(record: Record, nats_server: NatsServer) -> None:
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        for number in range(40):
            await append(record, f"game-{number}", 0, 5)
        assert await progress.wait_until_reached(200, 60)
        assert await positions(record) == list(range(1, 201))


async def test_a_reaction_answers_each_event_with_one_effect(record: Record, nats_server: NatsServer) -> None:
    async def react(event: Recorded) -> Decision:
        return Decision([Write(f"clock-{event.position}", 0, [events_pb2.GameStarted()], "cup")])

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)) as progress:
        await append(record, "game-a", 0, 30)
        assert await progress.wait_until_reached(30, 60)
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
        assert await progress.wait_until_reached(await append(record, "game-a", 0), 60)
    assert [event.version for event in await record.read_stream("clock-a")] == [1, 2]


async def test_a_consumer_that_starts_again_goes_on_where_it_was(record: Record, nats_server: NatsServer) -> None:
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        assert await progress.wait_until_reached(await append(record, "game-a", 0, 10), 60)
    await append(record, "game-b", 0, 10)
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        await append(record, "game-c", 0, 10)
        assert await progress.wait_until_reached(30, 60)
    assert await positions(record) == list(range(1, 31))


async def test_what_nats_does_not_tell_of_is_taken_and_while_nothing_happens_the_record_is_left_alone(
    new_database: str, nats_server: NatsServer
) -> None:
    record, elsewhere = await Record.open(new_database), await Record.open(new_database)
    async with consuming(record, nats_server.url, PROJECTION, relay=False) as progress:
        assert await progress.wait_until_reached(await append(elsewhere, "game-a", 0), 60)
        await asyncio.sleep(1)  # it stores its position
        reads: list[str] = []
        event.listen(record.engine.sync_engine, "before_cursor_execute", lambda *told: reads.append(told[2]))
        await asyncio.sleep(2.5)
        assert len([read for read in reads if "FROM events" in read]) <= 1
        assert await progress.wait_until_reached(await append(elsewhere, "game-a", 1), 3)
    for opened in (record, elsewhere):
        await opened.close()


async def test_a_relay_waits_while_every_connection_is_taken(record: Record, nats_server: NatsServer) -> None:
    bus = await Bus.connect(nats_server.url)
    pull = await bus.subscribe("test")
    async with no_connection_left(record):
        relay = asyncio.create_task(Relay(record, bus).run())
        await asyncio.sleep(1)
        assert not relay.done()
    await append(record, "game-a", 0)
    assert len(await pull.messages(10)) == 1
    await cancel_tasks([relay])
    await pull.close()
    await bus.close()


async def test_a_cell_that_ends_leaves_the_consumers_of_cells_with_a_longer_name(nats_server: NatsServer) -> None:
    bus = await Bus.connect(nats_server.url)
    for cell in ("reus", "reus-b"):
        await (await bus.subscribe(durable(cell, "test.clock"), cell=cell)).close()
    await bus.remove_consumers("reus")
    assert [name for name in await bus.list_consumers() if name.startswith("reus")] == ["reus-b-test-clock"]
    await bus.remove_consumers("reus-b")
    assert [name for name in await bus.list_consumers() if name.startswith("reus")] == []
    await bus.close()


async def test_a_reaction_that_ends_notes_how_far_it_came(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "faristol.consumers.consumer.CONSUMER_POLL_SECONDS", 5.0
    )  # when it stores its position automatically
    seen: list[int] = []

    async def react(event: Recorded) -> None:
        seen.append(event.position)

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)):
        await append(record, "game-a", 0, 3)
        await until(lambda: _has_seen(seen, 3), asyncio.sleep(0))
        await append(record, "game-a", 3)
        await until(lambda: _has_seen(seen, 4), asyncio.sleep(0))
    assert await record.checkpoint("test.clock") == 4


async def _has_seen(seen: Sequence[int], last: int) -> bool:
    return last in seen


async def test_nothing_is_lost_when_jetstream_is_wiped_while_running(record: Record, nats_server: NatsServer) -> None:
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        assert await progress.wait_until_reached(await append(record, "game-a", 0, 5), 60)
        client = await nats.connect(nats_server.url_of("operator"))
        await client.jetstream().delete_stream(NOTIFICATION_STREAM)
        await client.close()
        await append(record, "game-b", 0, 5)
        assert await progress.wait_until_reached(10, 15)
        assert await progress.wait_until_reached(await append(record, "game-c", 0, 5), 60)
    assert await positions(record) == list(range(1, 16))


async def test_a_consumer_that_was_removed_is_made_again(record: Record, nats_server: NatsServer) -> None:
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        assert await progress.wait_until_reached(await append(record, "game-a", 0, 5), 60)
        client = await nats.connect(nats_server.url_of("operator"))
        await client.jetstream().delete_stream(NOTIFICATION_STREAM)
        reads = 0
        read = record.read

        async def count_read(*args: Any, **kwargs: Any) -> list[Recorded]:
            nonlocal reads
            reads += 1
            return await read(*args, **kwargs)

        record.read = count_read  # type: ignore[method-assign] # the real one, counted
        await asyncio.sleep(2)
        assert reads < 150, "an idle consumer looks into the record now and then, and does not spin"
        assert [info.name for info in await client.jetstream().consumers_info(NOTIFICATION_STREAM)]
        await client.close()


async def test_news_of_another_record_is_not_taken_for_ones_own(
    record: Record, nats_server: NatsServer, tmp_path: Path
) -> None:
    other = await Record.open(f"sqlite:///{tmp_path}/other.db")
    async with (
        consuming(record, nats_server.url, PROJECTION) as progress,
        consuming(other, nats_server.url, PROJECTION) as others,
    ):
        assert await progress.wait_until_reached(await append(record, "game-a", 0, 5), 60)
        assert await others.wait_until_reached(await append(other, "game-b", 0, 9), 60)
        assert await progress.wait_until_reached(await append(record, "game-c", 0, 5), 60)
    assert await positions(record) == list(range(1, 11))
    assert await positions(other) == list(range(1, 10))
    await other.close()


async def test_a_consumer_without_any_news_still_finds_what_was_appended(
    record: Record, nats_server: NatsServer
) -> None:
    async with consuming(record, nats_server.url, PROJECTION, relay=False) as progress:
        assert await progress.wait_until_reached(await append(record, "game-a", 0, 5), 60)


async def test_duplicates_and_disorder_on_the_bus_change_nothing(record: Record, nats_server: NatsServer) -> None:
    await append(record, "game-a", 0, 20)
    events = await record.read()
    async with consuming(record, nats_server.url, PROJECTION, relay=False) as progress:
        client = await nats.connect(nats_server.url_of("operator"))
        jetstream = client.jetstream()
        for event in (*reversed(events), *events, *events[::3]):
            given = headers(event, record.record_id, whole=True)
            without_id = {key: value for key, value in given.items() if key != "Nats-Msg-Id"}
            await jetstream.publish(subject(event, whole=True), event.payload, headers=without_id)
        await client.close()
        assert await progress.wait_until_reached(20, 60)
        assert await progress.wait_until_reached(await append(record, "game-b", 0, 1), 60)
    assert await positions(record) == list(range(1, 22))


async def test_two_replicas_of_a_consumer_do_the_work_once(record: Record, nats_server: NatsServer) -> None:
    async with (
        consuming(record, nats_server.url, PROJECTION) as consumer,
        consuming(record, nats_server.url, PROJECTION) as other,
    ):
        for number in range(30):
            await append(record, f"game-{number}", 0, 2)
        assert await consumer.wait_until_reached(60, 15)
        assert await other.wait_until_reached(60, 15)
    assert await positions(record) == list(range(1, 61))


async def test_a_relay_that_dies_is_followed_by_another(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.bus.relay.RELAY_LEASE_SECONDS", 0.4)
    bus = await Bus.connect(nats_server.url)
    first = asyncio.create_task(Relay(record, bus).run())
    await until(lambda: relayed_to(record, 1), append(record, "game-a", 0))

    async def crash(*_: object) -> None:
        """Crash without a release, as a killed relay does."""

    monkeypatch.setattr(record, "release", crash)
    second = asyncio.create_task(Relay(record, bus).run())
    first.cancel()
    await until(lambda: relayed_to(record, 2), append(record, "game-b", 0))
    await cancel_tasks([first, second])
    await bus.close()


async def test_a_relay_that_dies_with_a_clock_that_ran_ahead_is_followed_by_another(
    database_url: str, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.bus.relay.RELAY_LEASE_SECONDS", 0.4)
    ahead = await Record.open(database_url, lambda: datetime.now(UTC) + timedelta(seconds=50))
    record = await Record.open(database_url)
    bus = await Bus.connect(nats_server.url)
    first = asyncio.create_task(Relay(ahead, bus).run())
    await until(lambda: relayed_to(ahead, 1), append(ahead, "game-a", 0))

    async def crash(*_: object) -> None:
        """Crash without a release, as a killed relay does."""

    monkeypatch.setattr(ahead, "release", crash)
    await cancel_tasks([first])
    await ahead.close()
    second = asyncio.create_task(Relay(record, bus).run())
    await until(lambda: relayed_to(record, 2), append(record, "game-b", 0))
    await cancel_tasks([second])
    await record.close()
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


async def test_messages_that_no_relay_sent_change_nothing(record: Record, nats_server: NatsServer) -> None:
    await append(record, "game-a", 0, 5)
    event = (await record.read())[-1]
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        assert await progress.wait_until_reached(5, 60)
        client = await nats.connect(nats_server.url_of("operator"))
        jetstream = client.jetstream()
        forged = headers(event, record.record_id, whole=True) | {
            "Nats-Msg-Id": "x",
            "ce-sequence": "6",
            "ce-subject": "game-z",
        }
        await jetstream.publish(subject(event, whole=True), event.payload, headers=forged)
        await jetstream.publish("faristol.cup.game.Passed", b"?", headers={"ce-source": forged["ce-source"]})
        await jetstream.publish("faristol.cup.game.Passed", b"?", headers={**forged, "ce-sequence": "many"})
        await jetstream.publish("faristol.cup.game.Passed", b"?")
        await client.close()
        assert await progress.wait_until_reached(await append(record, "game-b", 0, 1), 60)
    async with record.reading() as connection:
        rows = (await connection.execute(select(SEEN).order_by(SEEN.c.position))).all()
    assert [(row.position, row.stream) for row in rows][4:] == [(5, "game-a"), (6, "game-b")]


async def test_a_reaction_is_woken_by_what_it_reacts_to_and_comes_past_the_rest(
    record: Record, nats_server: NatsServer
) -> None:
    async def react(event: Recorded) -> None:
        raise AssertionError(f"{event.name} is nothing that it reacts to")

    started = events_pb2.GameStarted.DESCRIPTOR.full_name
    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({started}), react)) as progress:
        last = await append(record, "game-a", 0, 20)
        assert await progress.wait_until_reached(last, 60)
        client = await nats.connect(nats_server.url_of("operator"))
        (told,) = [
            consumer.delivered.consumer_seq
            for consumer in await client.jetstream().consumers_info(NOTIFICATION_STREAM)
            if consumer.name.endswith("-test-clock") and consumer.delivered
        ]
        await client.close()
    assert told == 0


async def test_a_slow_projection_has_a_bounded_number_of_events_in_hand(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.consumers.consumer.CONSUMER_BATCH_EVENTS", 50)
    monkeypatch.setattr(Pull, "BATCH", 50)
    pulls: list[Pull] = []
    subscribe = Bus.subscribe

    async def note_pull(bus: Bus, durable: str, subjects: Sequence[str] = (), cell: str = "") -> Pull:
        pulls.append(await subscribe(bus, durable, subjects, cell))
        return pulls[-1]

    monkeypatch.setattr(Bus, "subscribe", note_pull)
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
        assert await progress.wait_until_reached(2_000, 30)
        await append(record, "game-last", 0, 1)
        assert await progress.wait_until_reached(2_001, 60)
    assert await positions(record) == list(range(1, 2_002))
    assert max(batches) <= 50
    assert max(waiting) <= 2 * 50
    assert sum(batches) == 2_001


async def test_a_consumer_that_is_far_behind_does_not_wait_between_batches(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.consumers.consumer.CONSUMER_BATCH_EVENTS", 20)
    monkeypatch.setattr("faristol.consumers.consumer.CONSUMER_POLL_SECONDS", 5.0)
    await append(record, "game-a", 0, 2_000)
    async with consuming(record, nats_server.url, PROJECTION, relay=False) as progress:
        assert await progress.wait_until_reached(2_000, 120), "one idle wait a batch would take 500 seconds"


async def test_a_server_of_ones_own_lets_nobody_else_in(nats_server: NatsServer) -> None:
    anonymous = "nats://" + nats_server.url.partition("@")[2]
    for url in (anonymous, anonymous.replace("//", "//cell:wrong@")):
        with pytest.raises(BusRefused, match=r"NATS at nats://127.0.0.1:\d+ does not let this process in"):
            await Bus.connect(url)


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
    with pytest.raises(BusError, match=r"nats-server exited at once with code \d+: it cannot be run here$"):
        await NatsServer.start(tmp_path / "data")


async def test_a_nats_that_cannot_be_reached_is_told_in_one_sentence() -> None:
    with pytest.raises(BusError, match=r"NATS at nats://127.0.0.1:1 cannot be reached") as told:
        await Bus.connect("nats://someone:secret@127.0.0.1:1")
    assert "secret" not in str(told.value)
