"""The driver of SQLite below SQLAlchemy, with one switch of threads for a statement and for a commit.

Problem. ``aiosqlite`` calls SQLite in a thread of the connection. Each call switches threads twice, which costs more
than a small query: to open a cursor, to execute, to fetch the rows and to close the cursor are four calls, and a
transaction has two more. A process with many short queries spends most of its time in these switches.

Idea. Only calls that can wait for the disk or for a lock need the thread. A statement and its rows are one call. To
open or close a cursor, to begin a transaction that takes no lock yet, and to roll back wait for neither: the event loop
makes these calls itself while the thread has no call of this connection (``Connection.is_idle``).

Invariant: at most one thread uses a connection at a time.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Self

import aiosqlite

BEGIN = "BEGIN"
"""The statement that begins a transaction without a lock."""

FETCHED_ROWS = 1_000
"""Rows that are fetched with a statement; further ones are fetched when they are read."""


class Connection(aiosqlite.Connection):
    """A connection to a file of SQLite."""

    _queued = 0
    """Calls that were given to the thread."""
    _finished = 0
    """Calls that the thread has finished, also those whose callers have left."""

    @property
    def is_idle(self) -> bool:
        """Whether the thread has no call of this connection."""
        return self._queued == self._finished

    def cursor(self) -> Cursor:  # type: ignore[override] # a cursor that needs no wait
        """Open a cursor."""
        return Cursor(self, self._conn.cursor())

    def begin_at_once(self) -> bool:
        """Begin a transaction without a lock. Return False if the thread has a call of this connection."""
        if self.is_idle:
            self._conn.execute(BEGIN)
        return self.is_idle

    async def rollback(self) -> None:
        """Roll back the transaction."""
        if self.is_idle:
            self._conn.rollback()
        else:
            await super().rollback()

    def stop(self) -> asyncio.Future[Any] | None:
        """Stop the thread once: it has ended before a second request, whose caller would wait without end."""
        return super().stop() if self._running else None

    async def _execute(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function in the thread."""
        self._queued += 1
        return await super()._execute(self._finish, partial(fn, *args, **kwargs))  # type: ignore[no-untyped-call]

    def _finish(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        finally:
            self._finished += 1


class Cursor(aiosqlite.Cursor):
    """A cursor that has the first rows of its statement."""

    _conn: Connection
    _rows: Sequence[Any] = ()
    """Rows that were fetched and not read."""
    _has_more = False
    """Whether SQLite may have further rows."""

    async def __aenter__(self) -> Self:
        return self

    async def execute(self, sql: str, parameters: Iterable[Any] | None = None) -> Self:
        """Execute a statement, and fetch its first rows."""
        await self._conn._execute(self._run, sql, parameters or ())
        return self

    def _run(self, sql: str, parameters: Any) -> None:
        cursor = self._cursor
        cursor.execute(sql, parameters)
        self._rows = cursor.fetchmany(FETCHED_ROWS) if cursor.description else ()
        self._has_more = len(self._rows) == FETCHED_ROWS

    async def fetchone(self) -> Any:
        """Return the next row; None after the last one."""
        return next(iter(await self.fetchmany(1)), None)

    async def fetchmany(self, size: int | None = None) -> Sequence[Any]:
        """Return the next rows."""
        most = self.arraysize if size is None else size
        found, self._rows = self._rows[:most], self._rows[most:]
        if len(found) < most and self._has_more:
            more = await self._conn._execute(self._cursor.fetchmany, most - len(found))
            self._has_more = len(more) == most - len(found)
            found = [*found, *more]
        return found

    async def fetchall(self) -> Sequence[Any]:
        """Return all further rows."""
        found, self._rows = self._rows, ()
        if self._has_more:
            self._has_more = False
            found = [*found, *await self._conn._execute(self._cursor.fetchall)]
        return found

    async def close(self) -> None:
        """Close the cursor."""
        if self._conn.is_idle:
            self._cursor.close()
        else:
            await super().close()


def connect(path: str, **options: Any) -> Connection:
    """Return a connection that is opened when it is awaited, as SQLAlchemy expects it (``async_creator_fn``)."""
    connection = Connection(partial(sqlite3.connect, path, **options), FETCHED_ROWS)
    connection._thread.daemon = True  # a connection that was not closed does not keep the process from ending
    return connection
