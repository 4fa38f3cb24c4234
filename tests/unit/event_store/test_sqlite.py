"""Queries that SQLite answers in a separate thread: they wait for few switches of threads, and block no other call."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import bindparam, insert, select
from sqlalchemy.exc import OperationalError

from faristol.event_store.backends import sqlite_driver, tables
from faristol.event_store.backends.databases import parse
from faristol.event_store.backends.sqlite import Sqlite, WriteTurn

CHECKPOINT = select(tables.checkpoints.c.position).where(tables.checkpoints.c.consumer == bindparam("consumer"))


@pytest.fixture
async def backend(tmp_path: Path) -> AsyncIterator[Sqlite]:
    opened = Sqlite(parse(f"sqlite:///{tmp_path}/record.db"))
    yield opened
    await opened.close()


async def make_tables(backend: Sqlite) -> None:
    async with backend.writing() as connection:
        await connection.run_sync(tables.metadata.create_all)


async def test_a_query_that_failed_is_answered_once_the_database_can_be_used(backend: Sqlite) -> None:
    with pytest.raises(OperationalError, match="no such table") as failed:
        await backend.fetch(CHECKPOINT, {"consumer": "somebody"})
    assert "somebody" not in str(failed.value), "what was asked for may be a name"
    await make_tables(backend)
    async with backend.writing() as connection:
        await connection.execute(insert(tables.checkpoints).values(consumer="somebody", position=7))
    assert await backend.fetch(CHECKPOINT, {"consumer": "somebody"}) == [(7,)]
    assert await backend.fetch(CHECKPOINT, {"consumer": "nobody"}) == []


async def test_a_query_holds_nobody_up_who_writes_and_the_next_one_has_what_was_written(backend: Sqlite) -> None:
    await make_tables(backend)
    for position in range(3):
        assert await backend.fetch(CHECKPOINT, {"consumer": f"c{position}"}) == []
        async with backend.writing() as connection:
            await connection.exec_driver_sql("PRAGMA busy_timeout = 0")
            await connection.execute(insert(tables.checkpoints).values(consumer=f"c{position}", position=position))
        assert await backend.fetch(CHECKPOINT, {"consumer": f"c{position}"}) == [(position,)]


async def test_what_was_asked_before_the_end_is_answered(backend: Sqlite) -> None:
    await make_tables(backend)
    asked = [asyncio.create_task(backend.fetch(CHECKPOINT, {"consumer": "somebody"})) for _ in range(50)]
    await asyncio.sleep(0)
    await backend.close()
    assert await asyncio.gather(*asked) == [[]] * 50


@pytest.fixture
async def connection(tmp_path: Path) -> AsyncIterator[sqlite_driver.Connection]:
    """Yield a connection to a table with the numbers from 0 to 2,499."""
    opened = sqlite_driver.connect(str(tmp_path / "record.db"), check_same_thread=False, isolation_level=None)
    await opened
    filled = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 2499) SELECT i FROM n"
    async with opened.cursor() as cursor:
        await cursor.execute(f"CREATE TABLE numbers AS {filled}")
    yield opened
    await opened.close()


async def test_a_query_switches_threads_once(connection: sqlite_driver.Connection) -> None:
    before = connection._finished
    assert connection.begin_at_once()
    async with connection.cursor() as cursor:
        await cursor.execute("SELECT i FROM numbers ORDER BY i LIMIT 3")
        assert await cursor.fetchall() == [(0,), (1,), (2,)]
    await connection.rollback()
    assert connection._finished == before + 1
    assert not connection._conn.in_transaction


async def test_more_rows_than_are_fetched_at_once_come_in_any_portions(connection: sqlite_driver.Connection) -> None:
    async with connection.cursor() as cursor:
        await cursor.execute("SELECT i FROM numbers ORDER BY i")
        found = [
            await cursor.fetchone(),
            *await cursor.fetchmany(1_200),
            *await cursor.fetchmany(2),
            *await cursor.fetchall(),
        ]
        assert found == [(number,) for number in range(2_500)]
        assert await cursor.fetchone() is None


async def test_a_caller_that_leaves_during_a_query_does_not_block_the_loop(
    connection: sqlite_driver.Connection,
) -> None:
    begun, released = threading.Event(), threading.Event()

    def wait() -> int:
        begun.set()
        return int(released.wait(10))

    connection._conn.create_function("wait", 0, wait)
    cursor = connection.cursor()
    query = asyncio.ensure_future(cursor.execute("SELECT wait()"))
    assert await asyncio.to_thread(begun.wait, 10)
    query.cancel()
    assert not connection.begin_at_once()
    leaving = [asyncio.ensure_future(cursor.close()), asyncio.ensure_future(connection.rollback())]
    await asyncio.sleep(0.01)
    assert not any(task.done() for task in leaving)
    released.set()
    async with asyncio.timeout(10):
        await asyncio.gather(*leaving)
    assert connection.begin_at_once()


async def test_to_close_a_connection_whose_thread_is_being_stopped_ends(connection: sqlite_driver.Connection) -> None:
    stopped = connection.stop()
    async with asyncio.timeout(10):
        with contextlib.suppress(ValueError):  # the connection is closed, or the thread has not closed it yet
            await connection.close()
        assert stopped is not None
        await stopped


async def test_appends_and_other_writers_take_turns_and_a_caller_that_left_keeps_none() -> None:
    turn, order = WriteTurn(), list[str]()

    async def write(name: str) -> None:
        async with turn.take(first=name.startswith("append")):
            order.append(name)
            await asyncio.sleep(0)

    async with turn.take():
        names = ("copy 1", "copy 2", "copy 3", "append 1", "append 2", "append 3")
        tasks = [asyncio.create_task(write(name)) for name in names]
        await asyncio.sleep(0)
        tasks[1].cancel()
    await asyncio.wait(tasks, timeout=5)
    assert order == ["append 1", "copy 1", "append 2", "copy 3", "append 3"]
    async with turn.take():
        leaving, staying = (asyncio.create_task(write(name)) for name in ("append 4", "copy 4"))
        await asyncio.sleep(0)
    leaving.cancel()  # it has the turn, and has not begun
    await asyncio.wait([leaving, staying], timeout=5)
    assert order[-1] == "copy 4"
