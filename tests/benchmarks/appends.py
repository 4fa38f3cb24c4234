"""Measure the events that are appended per second: by the record, by the `eventsourcing` library, by plain inserts."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import asyncpg
from eventsourcing.application import Application
from eventsourcing.persistence import ApplicationRecorder
from sqlalchemy import MetaData, Table, insert, text
from sqlalchemy.ext.asyncio import create_async_engine
from tests.benchmarks import library
from tests.benchmarks.figures import Figures, compare_speeds

from faristol.event_store import AppendCommand, Decision, Metadata, Record, Write
from faristol.event_store.append.group import EVENT_COLUMNS
from faristol.event_store.backends.databases import parse
from faristol.pb.game.v1 import events_pb2

CALLER_COUNT = 16
RUN_COUNT = 5
APPEND_COUNT = 6_400
LIBRARY_APPEND_COUNT = 1_600


def build_passed(turn: int) -> events_pb2.Passed:
    """Return a small event."""
    return events_pb2.Passed(turn=turn, player_id="anna-puig")


async def from_callers(append: Callable[[str, int], Awaitable[object]], count: int = APPEND_COUNT) -> float:
    """Return the appends per second from concurrent callers, each with a separate stream."""
    name = uuid.uuid4().hex[:8]

    async def caller(number: int) -> None:
        for version in range(count // CALLER_COUNT):
            await append(f"game-{name}-{number}", version)

    start = time.perf_counter()
    await asyncio.gather(*map(caller, range(CALLER_COUNT)))
    return count / (time.perf_counter() - start)


async def time_appends(record: Record) -> float:
    """Return the record, one event per request."""

    async def append(stream: str, version: int) -> None:
        await record.append(
            Decision([Write(stream, version, [build_passed(version)], "bench")]), Metadata(actor="anna-puig")
        )

    return await from_callers(append)


async def time_commands(record: Record) -> float:
    """Return the same, with deduplication: the command of each request and its answer."""

    async def append(stream: str, version: int) -> None:
        decision = Decision([Write(stream, version, [build_passed(version)], "bench")])
        command = AppendCommand(str(uuid.uuid4()), lambda position: b"%d" % position)
        await record.append(decision, Metadata(actor="anna-puig"), command=command)

    return await from_callers(append)


def row(stream: str, version: int) -> tuple[Any, ...]:
    """Return the row that the record writes for such a request, without the position, which a sequence gives, and a
    hash.
    """
    payload = build_passed(version).SerializeToString()
    kind, event_id, at = "faristol.game.v1.Passed", str(uuid.uuid4()), 1_772_877_600_000_000
    return stream, version, event_id, kind, 1, "bench", payload, '{"actor":"anna-puig"}', at, bytes(32)


COLUMNS = EVENT_COLUMNS[1:]
PLAIN = (
    "DROP TABLE IF EXISTS plain",
    "DROP SEQUENCE IF EXISTS plain_position",
    "CREATE SEQUENCE plain_position",
    "CREATE TABLE plain (LIKE events INCLUDING ALL)",
    "ALTER TABLE plain ALTER position SET DEFAULT nextval('plain_position')",
)


async def plain_by_driver(url: str) -> float:
    """Return plain inserts of the same row into such a table, each committed by itself, over 16 bare connections."""
    connections: asyncio.Queue[Any] = asyncio.Queue()
    for _ in range(CALLER_COUNT):
        connections.put_nowait(await asyncpg.connect(url))
    places = ", ".join(f"${number}" for number in range(1, len(COLUMNS) + 1))
    statement = f"INSERT INTO plain ({', '.join(COLUMNS)}) VALUES ({places})"  # names of columns

    async def append(stream: str, version: int) -> None:
        connection = connections.get_nowait()
        await connection.execute(statement, *row(stream, version))
        connections.put_nowait(connection)

    try:
        return await from_callers(append)
    finally:
        while not connections.empty():
            await connections.get_nowait().close()


async def plain_by_sqlalchemy(url: str) -> float:
    """Return the same by way of SQLAlchemy, as the rest of a service would do it."""
    engine = create_async_engine(parse(url), pool_size=CALLER_COUNT, max_overflow=0)
    metadata = MetaData()
    async with engine.connect() as connection:
        await connection.run_sync(lambda there: metadata.reflect(there, only=["plain"]))
    statement = insert(Table("plain", metadata))

    async def append(stream: str, version: int) -> None:
        async with engine.begin() as connection:
            await connection.execute(statement, dict(zip(COLUMNS, row(stream, version), strict=True)))

    try:
        return await from_callers(append)
    finally:
        await engine.dispose()


async def append_figures(name: str, url: str, library_url: str) -> Figures:
    """Return the figures of the contestants on one database, measured alternately."""
    record = await Record.open(url)
    app: Application[uuid.UUID] = Application(env=library.environment(library_url))
    postgresql = record.engine.dialect.name == "postgresql"
    speeds: dict[str, list[float]] = {}

    async def measure(contestant: str, speed: Awaitable[float]) -> None:
        speeds.setdefault(contestant, []).append(await speed)

    try:
        for _ in range(RUN_COUNT):
            await measure("eventsourcing", asyncio.to_thread(by_library, app.recorder))
            if postgresql:
                await _make_plain(record, PLAIN)
                await measure("plain inserts by the bare driver", plain_by_driver(url))
                await measure("plain inserts by SQLAlchemy", plain_by_sqlalchemy(url))
            await measure("the record", time_appends(record))
            await measure("the record, with commands", time_commands(record))
    finally:
        app.close()
        await record.close()
    reach = {"eventsourcing": 5.0}
    if postgresql:
        reach = {"eventsourcing": 10.0, "plain inserts by the bare driver": 2.0, "plain inserts by SQLAlchemy": 2.0}
    return compare_speeds(f"{name}, appends of one event, {CALLER_COUNT} callers", speeds, "the record", reach)


def by_library(recorder: ApplicationRecorder) -> float:
    """Return the library, with the same payload."""
    return library.appends(recorder, build_passed(1).SerializeToString(), LIBRARY_APPEND_COUNT, CALLER_COUNT)


async def _make_plain(record: Record, statements: Sequence[str]) -> None:
    async with record.writing() as connection:
        for statement in statements:
            await connection.execute(text(statement))
