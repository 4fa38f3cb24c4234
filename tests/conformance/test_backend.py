"""The requirements that a record has of every database, tested on the backend itself."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from sqlalchemy import bindparam, delete, insert, literal_column, select, text, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Appended, Conflict, Decision, Metadata, Record, Write
from faristol.event_store.append.group import Group, Request
from faristol.event_store.append.group_commit import APPENDED_UNDER_LOCK
from faristol.event_store.backends import tables
from faristol.event_store.backends.backend import Backend
from faristol.event_store.backends.databases import is_wrong_statement, kind_of, parse
from faristol.event_store.event import utc_now
from faristol.event_store.integrity.verification import verify
from faristol.pb.game.v1 import events_pb2

CHECKPOINT = select(tables.checkpoints.c.position).where(tables.checkpoints.c.consumer == bindparam("consumer"))


@pytest.fixture
async def backend(database_url: str) -> AsyncIterator[Backend]:
    """Yield the backend of a record without events."""
    await (await Record.open(database_url)).close()
    url = parse(database_url)
    opened = kind_of(url)(url)
    yield opened
    await opened.close()


def request(stream: str, version: int) -> Request:
    passed = events_pb2.Passed(turn=1, player_id="anna")
    return Request(Decision([Write(stream, version, [passed], "cup")]), Metadata(), None, None)


async def test_a_request_that_is_refused_says_nothing_of_those_beside_it(backend: Backend) -> None:
    for version in range(3):  # the first call queries the record, later ones use the cache
        outcomes, _ = await backend.append(
            [request("game-a", version), request("game-b", 7), request("game-c", version)], utc_now
        )
        assert [type(outcome) for outcome in outcomes] == [Appended, Conflict, Appended]
    async with backend.reading() as connection:
        positions = (await connection.execute(select(tables.events.c.position))).scalars().all()
    assert sorted(positions) == [1, 2, 3, 4, 5, 6]


async def append_locked_count(record: Record, stream: str, version: int) -> int:
    """Append an event, and return the number of times that the lock of the counter was taken for it."""
    before = APPENDED_UNDER_LOCK.count
    await record.append(Decision([Write(stream, version, [events_pb2.Passed(turn=1)], "cup")]), Metadata())
    return APPENDED_UNDER_LOCK.count - before


async def test_two_processes_append_in_turn_without_the_lock_once_each_has_read_the_events_of_the_other(
    database_url: str,
) -> None:
    first, second = await Record.open(database_url), await Record.open(database_url)
    for version in range(0, 8, 2):
        counts = []
        for record, own in ((first, version), (second, version + 1)):
            await record.recent.after(version, limit=100, age=0)
            counts.append(await append_locked_count(record, "game-a", own))
        assert counts == ([1, 0] if not version else [0, 0])
    await append_locked_count(first, "game-b", 0)  # events of the other process were missed: under the lock
    assert await append_locked_count(second, "game-a", 8) == 1
    assert await append_locked_count(first, "game-b", 1) == 1
    assert (await verify(first)).wrong == ""
    await first.close()
    await second.close()


async def test_the_locked_end_of_the_record_has_the_hash_of_its_last_event_also_after_a_wait_for_the_lock(
    backend: Backend, database_url: str
) -> None:
    url = parse(database_url)
    other = kind_of(url)(url)
    for version in range(3):
        await backend.append([request("game-a", version)], utc_now)

    async def read_locked_end() -> tuple[int, bytes]:
        async with other.appending() as end:
            return end.begin, end.begin_hash

    async with backend.appending() as tail:
        waiting = asyncio.create_task(read_locked_end())
        await asyncio.sleep(0.2)
        assert not waiting.done()
        event = request("game-a", 3)
        group = Group(tail.begin, tail.begin_hash, {"game-a": (3, tail.begin_hash)}, {}, {}, 0)
        group.add(event)
        await tail.write(group.events)
    async with backend.reading() as connection:
        hashes = (await connection.execute(select(tables.events.c.hash).order_by(tables.events.c.position))).scalars()
        third, fourth = list(hashes)[2:]
    assert (tail.begin, tail.begin_hash) == (3, third)
    assert await waiting == (4, fourth)
    await other.close()


async def test_an_append_under_the_lock_leaves_the_heads_of_other_streams_cached(database_url: str) -> None:
    record = await Record.open(database_url)
    for version in range(2):
        await append_locked_count(record, "game-a", version)
        await append_locked_count(record, "game-b", version)

    async def set_checkpoint(connection: AsyncConnection) -> None:
        await connection.execute(insert(tables.checkpoints).values(consumer="test", position=0))

    passed = events_pb2.Passed(turn=1)
    await record.append(Decision([Write("game-c", 0, [passed], "cup")], also=set_checkpoint), Metadata())
    assert await append_locked_count(record, "game-a", 2) + await append_locked_count(record, "game-b", 2) == 0
    await record.close()


async def test_an_event_of_a_failover_at_a_known_position_is_not_taken_for_the_known_one(database_url: str) -> None:
    first, second = await Record.open(database_url), await Record.open(database_url)
    await append_locked_count(first, "game-a", 0)
    await append_locked_count(first, "game-a", 1)
    async with first.writing() as connection:  # the second event was lost, and another one was appended instead
        await connection.execute(delete(tables.events).where(tables.events.c.position == 2))
        await connection.execute(update(tables.counter).values(position=1))
    await append_locked_count(second, "game-a", 1)
    assert await append_locked_count(first, "game-a", 2) == 1
    assert (await verify(first)).wrong == ""
    await first.close()
    await second.close()


async def test_reads_are_of_one_moment(backend: Backend) -> None:
    async with backend.reading() as connection:
        count = text("SELECT count(*) FROM events")
        assert (await connection.execute(count)).scalar_one() == 0
        await backend.append([request("game-a", 0)], utc_now)
        assert (await connection.execute(count)).scalar_one() == 0
    assert len(await backend.fetch(select(tables.events.c.position), {})) == 1


async def test_a_block_that_raises_leaves_nothing(backend: Backend) -> None:
    with suppress(ZeroDivisionError):
        async with backend.writing() as connection:
            await connection.execute(insert(tables.checkpoints).values(consumer="a", position=1))
            raise ZeroDivisionError
    assert list(await backend.fetch(CHECKPOINT, {"consumer": "a"})) == []


async def test_a_new_row_leaves_the_old_one_and_an_upsert_replaces_what_it_names(backend: Backend) -> None:
    async with backend.writing() as connection:
        for position in (1, 2):
            await connection.execute(backend.new_row(tables.checkpoints).values(consumer="a", position=position))
        assert (await connection.execute(CHECKPOINT, {"consumer": "a"})).scalar_one() == 1
        for holder, until in (("x", 1), ("y", 2)):
            changed = backend.upsert(tables.leases, ["until"]).values(name="n", holder=holder, until=until)
            await connection.execute(changed)
        assert [tuple(row) for row in await connection.execute(select(tables.leases))] == [("n", "x", 2)]


async def test_transactions_under_one_lock_come_one_after_the_other(backend: Backend, database_url: str) -> None:
    url = parse(database_url)
    other = kind_of(url)(url)
    order: list[str] = []

    async def work(database: Backend, name: str) -> None:
        async with database.writing() as connection:
            await database.alone(connection, 7)
            order.append(name)
            await asyncio.sleep(0.05)
            order.append(name)

    await asyncio.gather(work(backend, "a"), work(other, "b"))
    assert order in (["a", "a", "b", "b"], ["b", "b", "a", "a"])
    await other.close()


@pytest.mark.parametrize("statement", ["SELECT nothing FROM events", "SELECT 1 FRM events", "SELECT no_function(1)"])
async def test_a_wrong_statement_is_no_failure_of_the_database(backend: Backend, statement: str) -> None:
    with pytest.raises(DBAPIError) as failed:
        async with backend.reading() as connection:
            await connection.execute(text(statement))
    assert is_wrong_statement(failed.value)
    assert not backend.is_away(failed.value)


async def test_a_wrong_statement_of_few_rows_is_told_as_any_other(backend: Backend) -> None:
    with pytest.raises(SQLAlchemyError):
        await backend.fetch(select(literal_column("nothing")).select_from(tables.events), {})
    assert list(await backend.fetch(CHECKPOINT, {"consumer": "a"})) == []


async def test_whoever_listens_hears_of_what_another_process_writes_or_is_told_at_once_that_nobody_tells(
    backend: Backend, database_url: str
) -> None:
    heard: asyncio.Queue[int] = asyncio.Queue()
    listens: list[bool] = []
    listener = asyncio.create_task(backend.listen(heard.put_nowait, listens.append))
    done, _ = await asyncio.wait([listener], timeout=0.5)
    if not done:
        other = await Record.open(database_url)
        await other.append(Decision([Write("game-a", 0, [events_pb2.Passed(turn=1)], "cup")]), Metadata())
        assert await asyncio.wait_for(heard.get(), 10) == 1
        await other.close()
        assert listens == [True]
        listener.cancel()
        await asyncio.wait([listener])
        assert listens == [True, False]


async def test_cleaning_says_when_it_cannot_be_done(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    assert await backend.clean() == ""
    monkeypatch.setattr(f"{type(backend).__module__}.CLEAN_LOCK_TIMEOUT_SECONDS", 1)
    async with backend.writing() as connection:
        await connection.execute(update(tables.counter).values(position=tables.counter.c.position))
        await connection.execute(insert(tables.people).values(player_id="a", name="A", club=""))
        assert await backend.clean() != ""
