"""A subscriber to the record gets every event once and in order, during the work of other processes."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from typing import cast

import pytest
from sqlalchemy import insert, text, update

from faristol.event_store import Conflict, Decision, Metadata, Record, Recorded, Write
from faristol.event_store.backends import tables
from faristol.event_store.tasks import cancel_tasks
from faristol.pb.game.v1 import events_pb2
from faristol.personal_data.people import store_player

PASSED = "faristol.game.v1.Passed"


def build_passed(turn: int = 1) -> events_pb2.Passed:
    return events_pb2.Passed(turn=turn, player_id="anna")


def write(stream: str, version: int, *turns: int, tournament: str = "cup") -> Decision:
    return Decision([Write(stream, version, [build_passed(turn) for turn in turns], tournament)])


@pytest.fixture
async def other(record: Record, database_url: str) -> AsyncIterator[Record]:
    """Yield the record as opened by another process."""
    opened = await Record.open(database_url)
    yield opened
    await opened.close()


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faristol.event_store.record.FOLLOW_BATCH_EVENTS", 3)


class Follower:
    """Collects the events of a subscription."""

    def __init__(self, events: AsyncIterator[Recorded]) -> None:
        self._events = events
        self.seen: list[Recorded] = []
        self._more = asyncio.Event()
        self._task = asyncio.create_task(self._collect())

    async def _collect(self) -> None:
        async with aclosing(cast("AsyncGenerator[Recorded, None]", self._events)) as events:
            async for event in events:
                self.seen.append(event)
                self._more.set()

    @property
    def positions(self) -> list[int]:
        return [event.position for event in self.seen]

    async def until(self, count: int, seconds: float = 10) -> list[int]:
        async with asyncio.timeout(seconds):
            while len(self.seen) < count:
                self._more.clear()
                await self._more.wait()
        return self.positions

    async def stop(self) -> None:
        await cancel_tasks([self._task])


@asynccontextmanager
async def following(events: AsyncIterator[Recorded]) -> AsyncIterator[Follower]:
    follower = Follower(events)
    try:
        yield follower
    finally:
        await follower.stop()


@pytest.mark.usefixtures("small_steps")
async def test_a_follower_catches_up_and_then_hears_what_comes(record: Record) -> None:
    await record.append(write("game-a", 0, *range(10)), Metadata())
    async with following(record.follow(4)) as follower:
        assert await follower.until(6) == [5, 6, 7, 8, 9, 10]
        for version in range(10, 15):
            await record.append(write("game-a", version, 1), Metadata())
        assert await follower.until(11) == list(range(5, 16))
    assert follower.seen == await record.read(4)


@pytest.mark.usefixtures("small_steps")
async def test_a_follower_of_one_tournament_or_type_gets_just_those(record: Record) -> None:
    async with (
        following(record.follow(tournament="league")) as league,
        following(record.follow(types=[PASSED])) as passes,
    ):
        for number in range(12):
            tournament = "league" if number % 4 == 0 else "cup"
            new_events = [build_passed(), events_pb2.SheetSigned(player_id="anna")]
            await record.append(Decision([Write(f"game-{number}", 0, new_events, tournament)]), Metadata())
        assert await league.until(6) == [1, 2, 9, 10, 17, 18]
        assert await passes.until(12) == list(range(1, 25, 2))


@pytest.mark.usefixtures("small_steps")
async def test_nothing_is_missed_or_doubled_while_two_processes_append(record: Record, other: Record) -> None:
    async def appends(process: Record, name: str) -> None:
        for number in range(40):
            while True:
                shared = await process.read_stream("game-shared")
                both = [*write(f"game-{name}-{number}", 0, 1, 2).writes, *write("game-shared", len(shared), 1).writes]
                try:
                    await process.append(Decision(both), Metadata())
                except Conflict:
                    continue
                break

    async with following(record.follow()) as follower, following(other.follow()) as second:
        await asyncio.gather(
            *(appends(process, f"{id(process)}-{number}") for process in (record, other) for number in (1, 2))
        )
        assert await follower.until(480) == list(range(1, 481))
        assert await second.until(480) == list(range(1, 481))


async def test_nothing_is_skipped_while_a_transaction_that_took_positions_is_held_open(
    record: Record, other: Record
) -> None:
    await record.append(write("game-a", 0, 1), Metadata())
    async with following(record.follow(poll=0.02)) as follower:
        await follower.until(1)
        async with other.writing() as held:
            await held.execute(update(tables.counter).values(position=3))
            await held.execute(insert(tables.events), [row(2), row(3)])
            waiting = asyncio.create_task(record.append(write("game-b", 0, 1), Metadata()))
            await asyncio.sleep(0.5)
            assert not waiting.done()
            assert follower.positions == [1]
        assert (await waiting).position == 4
        assert await follower.until(4) == [1, 2, 3, 4]


async def test_a_transaction_that_is_given_up_leaves_no_hole(record: Record, other: Record) -> None:
    async with following(record.follow(poll=0.02)) as follower:
        with suppress(ZeroDivisionError):
            async with other.writing() as held:
                await held.execute(update(tables.counter).values(position=2))
                await held.execute(insert(tables.events), [row(1), row(2)])
                waiting = asyncio.create_task(record.append(write("game-b", 0, 1), Metadata()))
                await asyncio.sleep(0.2)
                raise ZeroDivisionError
        assert (await waiting).position == 1
        assert await follower.until(1) == [1]


def row(position: int) -> dict[str, object]:
    """Return the row that an appender in another process writes; no test depends on its hash."""
    return {
        "position": position,
        "stream": "game-held",
        "version": position,
        "event_id": str(uuid.uuid4()),
        "type": PASSED,
        "schema_version": 1,
        "tournament": "cup",
        "payload": build_passed().SerializeToString(),
        "metadata": "{}",
        "recorded_at": 0,
        "hash": bytes(32),
    }


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_a_transaction_that_appends_nothing_holds_nobody_up(record: Record, other: Record) -> None:
    async with following(record.follow(poll=0.02)) as follower, other.writing() as held:
        await store_player(held, "anna", "Anna Puig", "Prat")
        for version in range(3):
            await record.append(write("game-a", version, 1), Metadata())
        assert await follower.until(3, 2) == [1, 2, 3]


async def test_what_another_process_appends_is_heard_of_at_once(record: Record, other: Record) -> None:
    async with following(record.follow(poll=60)) as follower:
        await asyncio.sleep(0.2)
        for version in range(3):
            await other.append(write("game-a", version, 1), Metadata())
            await follower.until(version + 1, 5)


async def test_what_no_news_came_of_is_found_by_looking(record: Record, other: Record) -> None:
    async with following(record.follow(poll=0.05)) as follower:
        await other.append(write("game-a", 0, 1), Metadata())
        await follower.until(1)
        record.news.tell = lambda position: None  # type: ignore[method-assign] # news that never come
        await other.append(write("game-a", 1, 1), Metadata())
        assert await follower.until(2) == [1, 2]


async def cut_listeners(record: Record) -> None:
    """Cut the connections on which the database notifies of appends."""
    async with record.engine.connect() as connection:
        cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
        await connection.execute(text(f"{cut} AND query LIKE 'LISTEN%'"))


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_what_the_database_could_not_tell_of_is_looked_for_once_it_tells_again(
    record: Record, other: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.event_store.backends.postgres.LISTEN_RETRY_SECONDS", 0.5)
    assert not await record.news.wait(0.5)
    await cut_listeners(other)
    await asyncio.sleep(0.2)
    assert await record.recent.after(0, limit=10, age=0.01) == []
    await other.append(write("game-a", 0, 1), Metadata())
    async with asyncio.timeout(60):
        while not record.news.of_others:  # noqa: ASYNC110 # nobody tells of that
            await asyncio.sleep(0.05)
    assert [event.position for event in await record.recent.after(0, limit=10, age=0.01)] == [1]


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
async def test_news_come_again_after_their_connection_was_cut(
    record: Record, other: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.event_store.backends.postgres.LISTEN_RETRY_SECONDS", 0.05)
    assert not await record.news.wait(0.1)
    await cut_listeners(other)
    await asyncio.sleep(0.5)
    heard = asyncio.create_task(record.news.wait(10))
    await asyncio.sleep(0.05)
    await other.append(write("game-a", 0, 1), Metadata())
    assert await heard
