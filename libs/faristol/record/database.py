"""What differs between the databases under a record: how to connect, and how to write alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import URL, event, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


class RecordError(Exception):
    """The record cannot be used; the message says why and what to do."""


LOCK_TIMEOUT = 15.0
"""Seconds to wait for what another process holds."""


class UnknownDatabase(ValueError):
    """The URL is not one of a database that a record can stand on."""


def parse(url: str) -> URL:
    """A URL with the driver that is used here.

    ``sqlite:///PATH`` and ``postgresql://…`` are taken. Raises ``UnknownDatabase`` for anything else.
    """
    expected = "expected sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME"
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise UnknownDatabase(f"{url!r} is not a database URL: {expected}") from None
    match parsed.get_backend_name():
        case "sqlite":
            return parsed.set(drivername="sqlite+aiosqlite")
        case "postgresql" | "postgres":
            return parsed.set(drivername="postgresql+asyncpg")
        case other:
            raise UnknownDatabase(f"a record cannot stand on {other!r}: {expected}")


def shown(url: URL) -> str:
    """A URL as people may see it: no driver, no password."""
    return url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)


def unusable(url: URL, problem: Exception) -> RecordError:
    """The error for a database that fails."""
    reason = problem.orig if isinstance(problem, DBAPIError) else problem
    return RecordError(f"the database {shown(url)} cannot be used: {reason}")


def engines(url: URL) -> tuple[AsyncEngine, AsyncEngine]:
    """Engines to read with and to write with.

    SQLite has one writer at a time: its writing engine has one connection, which takes the write lock when
    a transaction begins and not in the middle of it, where a second writer could only be refused.
    """
    if url.get_backend_name() != "sqlite":
        settings = {"lock_timeout": f"{LOCK_TIMEOUT * 1_000:.0f}", "jit": "off"}
        engine = create_async_engine(
            url, pool_size=8, max_overflow=8, pool_pre_ping=True, connect_args={"server_settings": settings}
        )
        return engine, engine
    if url.database:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    reading = create_async_engine(url, pool_size=6, max_overflow=4)
    writing = create_async_engine(url, pool_size=1, max_overflow=0, pool_timeout=60)
    for engine, begin in ((reading, "BEGIN"), (writing, "BEGIN IMMEDIATE")):
        _take_over_transactions(engine, begin)
    return reading, writing


def _take_over_transactions(engine: AsyncEngine, begin: str) -> None:
    """Begin transactions with ``begin``, and have every commit on disk before it is acknowledged."""

    @event.listens_for(engine.sync_engine, "connect")
    def _connected(connection: Any, _: Any) -> None:
        configure(connection)

    @event.listens_for(engine.sync_engine, "begin")
    def _begun(connection: Any) -> None:
        connection.exec_driver_sql(begin)


def configure(connection: Any) -> None:
    """Set a new SQLite connection up: transactions begin where they are told to, and commits are on disk."""
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {LOCK_TIMEOUT * 1_000:.0f}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
