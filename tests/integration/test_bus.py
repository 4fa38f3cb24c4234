"""The promises of the bus: order, once, and nothing lost, with a real NATS server and a real record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nats
import pytest
from sqlalchemy import Column, Integer, MetaData, String, Table, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import Bus, BusError, Consumer, NatsServer, Progress, Projection, Reaction, Relay
from faristol.bus.connection import STREAM
from faristol.bus.envelope import headers, subject
from faristol.pb.game.v1 import events_pb2
from faristol.record import Decision, Metadata, Record, Recorded, Write

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


@asynccontextmanager
async def consuming(
    record: Record, url: str, work: Reaction | Projection, *, relay: bool = True
) -> AsyncIterator[Progress]:
    bus = await Bus.connect(url)
    progress = Progress(record, work.consumer if isinstance(work, Projection) else work.name)
    consumer = Consumer(record, bus, work, progress)
    await consumer.prepare()
    tasks = [asyncio.create_task(consumer.run())]
    if relay:
        tasks.append(asyncio.create_task(Relay(record, bus).run()))
    try:
        yield progress
        for task in tasks:
            assert not task.done(), task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
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


async def test_a_consumer_that_starts_again_goes_on_where_it_was(record: Record, nats_server: NatsServer) -> None:
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        assert await progress.reached(await append(record, "game-a", 0, 10), 10)
    await append(record, "game-b", 0, 10)
    async with consuming(record, nats_server.url, PROJECTION) as progress:
        await append(record, "game-c", 0, 10)
        assert await progress.reached(30, 10)
    assert await positions(record) == list(range(1, 31))


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
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
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


async def test_an_event_that_a_projection_cannot_take_stops_it_and_is_not_skipped(
    record: Record, nats_server: NatsServer
) -> None:
    async def fail(_: AsyncConnection, events: Sequence[Recorded]) -> None:
        raise ZeroDivisionError(events[0].event_id)

    bus = await Bus.connect(nats_server.url)
    progress = Progress(record, "seen@1")
    consumer = Consumer(record, bus, Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, fail), progress)
    await consumer.prepare()
    await append(record, "game-a", 0)
    with pytest.raises(ZeroDivisionError):
        await asyncio.wait_for(consumer.run(), 10)
    assert await record.checkpoint("seen@1") == 0
    await bus.close()


async def test_a_nats_that_cannot_be_reached_is_told_in_one_sentence() -> None:
    with pytest.raises(BusError, match=r"NATS at nats://127.0.0.1:1 cannot be reached") as told:
        await Bus.connect("nats://someone:secret@127.0.0.1:1")
    assert "secret" not in str(told.value)
