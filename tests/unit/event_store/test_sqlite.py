"""Queries of few rows, which SQLite answers in a separate thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import bindparam, insert, select
from sqlalchemy.exc import OperationalError

from faristol.event_store.backends import tables
from faristol.event_store.backends.databases import parse
from faristol.event_store.backends.sqlite import Sqlite

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
