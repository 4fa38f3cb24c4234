"""What differs between the databases under a record: how to connect, and how to write alone."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import URL, event, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DataError,
    DBAPIError,
    IntegrityError,
    NotSupportedError,
    ProgrammingError,
)
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


class RecordError(Exception):
    """The record cannot be used; the message says why and what to do."""


class RecordAway(RecordError):
    """The database does not answer now and may answer later: its server is starting, full, or cannot be reached."""


AWAY = ("08", "25P03", "53", "55P03", "57P")
"""SQLSTATEs that say that the database is away, busy, full or ending, and not that we asked something wrong."""

LOCK_TIMEOUT = 15.0
"""Seconds to wait for what another process holds."""


class UnknownDatabase(ValueError):
    """The URL is not one of a database that a record can stand on."""


EXPECTED = "expected sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME"
PARAMETERS = ("host", "port", "user", "ssl", "passfile", "target_session_attrs")
"""What may stand behind the question mark in the URL of a PostgreSQL database."""

_OF_THE_STATEMENT = ("0A", "22", "23", "42")
"""Classes of SQLSTATE that say that a statement is wrong and not that the database is away."""

_OF_THE_STATEMENT_SQLITE = re.compile(r'no such (column|function)\b|.+ has no column named |near ".*": syntax error')
"""What SQLite says of such a statement, with the code that it also has for a transaction which a full disk took away.

A table that is not there may have been dropped by a rebuild, and then there is another.
"""

_WITH_PASSWORD = re.compile(r"//[^/]*@")


def parse(url: str) -> URL:
    """A URL with the driver that is used here.

    ``sqlite:///PATH`` and ``postgresql://…`` are taken. Raises ``UnknownDatabase`` for anything else.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # the second one for a port that is no number
        raise UnknownDatabase(f"{_WITH_PASSWORD.sub('//', url)!r} is not a database URL: {EXPECTED}") from None
    match parsed.get_backend_name():
        case "sqlite":
            return _sqlite(parsed)
        case "postgresql" | "postgres":
            return _postgresql(parsed)
        case other:
            raise UnknownDatabase(f"a record cannot stand on {other!r}: {EXPECTED}")


def _sqlite(url: URL) -> URL:
    if url.host or url.port or url.username:
        raise UnknownDatabase(f"{shown(url)} names a host, and a file has none: expected sqlite:///PATH")
    path = url.database or ""
    if not path or path == ":memory:" or path.startswith("file:") or "\0" in path:
        raise UnknownDatabase(f"{shown(url)} names no file, and a record is one: expected sqlite:///PATH")
    if url.query:
        raise UnknownDatabase(
            f"{shown(url)} has {next(iter(url.query))!r} behind the question mark: expected sqlite:///PATH and nothing "
            "more (%3F for a question mark in the path)"
        )
    return url.set(drivername="sqlite+aiosqlite")


def _postgresql(url: URL) -> URL:
    for name in url.query:
        if name not in PARAMETERS:
            raise UnknownDatabase(f"{name!r} is no parameter of a database URL: expected {', '.join(PARAMETERS)}")
    given = url.set(drivername="postgresql+asyncpg")
    try:
        _, settings = given.get_dialect()().create_connect_args(given)
    except (ArgumentError, ValueError) as problem:
        raise UnknownDatabase(f"the host or port of {shown(url)} cannot be used: {problem}") from None
    ports = settings.get("port") or ()
    for port in (url.port, *(ports if isinstance(ports, Sequence) else (ports,))):
        if port is not None and not 0 < port < 65_536:
            raise UnknownDatabase(f"{port} in {shown(url)} is no port: expected 1 to 65535")
    return given


def shown(url: URL) -> str:
    """A URL as people may see it: no driver, no password."""
    return url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)


def unusable(url: URL, problem: Exception) -> RecordError:
    """The error for a database that fails: ``RecordAway`` where it is worth another try."""
    reason = problem.orig if isinstance(problem, DBAPIError) else problem
    passing = isinstance(problem, OSError) or (isinstance(problem, DBAPIError) and sqlstate(problem).startswith(AWAY))
    kind = RecordAway if passing and url.get_backend_name() == "postgresql" else RecordError
    return kind(f"the database {shown(url)} cannot be used: {reason}")


def sqlstate(problem: DBAPIError) -> str:
    """The five characters by which PostgreSQL tells what failed, empty where it said none."""
    return str(getattr(problem.orig, "sqlstate", "") or "")


def wrong_statement(problem: DBAPIError) -> bool:
    """Whether a statement is what the database cannot take, as opposed to a database that cannot be used."""
    if problem.connection_invalidated:
        return False
    if isinstance(problem, DataError | IntegrityError | NotSupportedError | ProgrammingError):
        return True
    return sqlstate(problem).startswith(_OF_THE_STATEMENT) or bool(_OF_THE_STATEMENT_SQLITE.match(str(problem.orig)))


def engines(url: URL, connect: Mapping[str, Any] | None = None) -> tuple[AsyncEngine, AsyncEngine]:
    """Engines to read with and to write with; ``connect`` is what the driver is given beside the URL.

    SQLite has one writer at a time: its writing engine has one connection, which takes the write lock when
    a transaction begins and not in the middle of it, where a second writer could only be refused. What is written
    may be a name, so no error repeats it.
    """
    if url.get_backend_name() != "sqlite":
        # Whatever the role or the server was set to: what is acknowledged is on disk.
        settings = {"lock_timeout": f"{LOCK_TIMEOUT * 1_000:.0f}", "jit": "off", "synchronous_commit": "on"}
        engine = create_async_engine(
            url,
            pool_size=8,
            max_overflow=8,
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={"server_settings": settings, **(connect or {})},
        )
        return engine, engine
    if url.database:
        file = Path(url.database)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)  # names stand in it; the files that SQLite puts beside it take its mode
    given = {"factory": Connection, **(connect or {})}
    reading = create_async_engine(url, pool_size=6, max_overflow=4, hide_parameters=True, connect_args=given)
    writing = create_async_engine(
        url, pool_size=1, max_overflow=0, pool_timeout=60, hide_parameters=True, connect_args=given
    )
    for engine, begin in ((reading, "BEGIN"), (writing, "BEGIN IMMEDIATE")):
        _take_over_transactions(engine, begin)
    return reading, writing


class Connection(sqlite3.Connection):
    """A connection that gives its locks back when it is closed.

    SQLite keeps them while anybody has a cursor with rows to come, and the traceback of a caller who was cancelled in
    the middle of a transaction has one: until that is forgotten, nobody could write.
    """

    def close(self) -> None:
        """Roll back what is not committed, and close."""
        with suppress(sqlite3.Error):  # closed already, or beyond help
            self.rollback()
        super().close()


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
