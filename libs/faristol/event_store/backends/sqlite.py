"""A record in a SQLite file, for one machine without further installation.

SQLite has one writer at a time. The calls of every command (appends, and reads of few rows) use a connection in a
separate thread, without SQLAlchemy: one switch of threads for each. Other transactions have one for each statement
(``sqlite_driver``).
"""

from __future__ import annotations

import asyncio
import logging
import os
import re
import shutil
import sqlite3
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, suppress
from datetime import datetime
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

from sqlalchemy import (
    URL,
    BigInteger,
    ColumnElement,
    LargeBinary,
    Select,
    cast,
    event,
    func,
    literal,
)
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from faristol.event_store.append.group import EVENT_COLUMNS, Group, Request, Written
from faristol.event_store.append.group_commit import GroupCommit
from faristol.event_store.append.tail import Tail
from faristol.event_store.backends import sqlite_driver
from faristol.event_store.backends.backend import (
    CLEAN_LOCK_TIMEOUT_SECONDS,
    Backend,
    UnexpectedType,
    format_url,
    run_clean_statements,
)
from faristol.event_store.backends.rights import NoRoles, Right
from faristol.event_store.errors import UnknownDatabase
from faristol.event_store.event import Recorded, microseconds

T = TypeVar("T")

LOCK_TIMEOUT_SECONDS = 15.0
"""Lock timeout in seconds."""

CLEAN_SLICE_SECONDS = 0.2
"""Seconds for which cleaning blocks writers at a time, and pauses in between."""

COMMIT_POLL_SECONDS = 0.05
"""Seconds between two polls for commits by other processes."""

OPEN_RETRY_SECONDS = 0.01
"""Seconds before a retry if another process opens a new file at the same time."""

SQLITE_MIN_FREE_BYTES = 1024 * 1024
"""Bytes. On a full disk, a single row may still fit into free pages of the file."""

_OF_THE_STATEMENT = re.compile(r'no such (column|function)\b|.+ has no column named |near ".*": syntax error')
"""Messages of SQLite for an invalid statement. The code is also that of a transaction lost to a full disk.

A missing table is not included: a rebuild may have dropped it in favour of another.
"""

_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)
"""Codes of a write without room, in the file or in its shared memory."""

_SQL_TYPES: Mapping[type, str] = {int: "integer", str: "text", bytes: "blob"}
"""Names in SQLite of the types that we write."""

_ADVANCE_COUNTER = (
    "UPDATE counter SET position = ? WHERE id = 1 AND position = ?"
    " AND coalesce((SELECT hash FROM events WHERE events.position = counter.position), x'') = ?"
)
_INSERT_EVENTS = f"INSERT INTO events ({', '.join(EVENT_COLUMNS)}) VALUES ({', '.join('?' * len(EVENT_COLUMNS))})"  # noqa: S608 # column names
_INSERT_COMMANDS = "INSERT INTO commands (command_id, answer, position) VALUES (?, ?, ?)"
_MOVE_CHECKPOINTS = "UPDATE checkpoints SET position = ? WHERE consumer = ? AND position = ?"

_URI = "file:"

_log = logging.getLogger(__name__)

_NAMED = sqlite.dialect(paramstyle="named")


class Sqlite(Backend):
    """The SQLite backend; ``Backend`` describes the methods."""

    @staticmethod
    def check_url(url: URL) -> URL:
        expected = "expected sqlite:///PATH"
        if url.host or url.port or url.username:
            raise UnknownDatabase(f"{format_url(url)} names a host, which a file does not have: {expected}")
        path = url.database or ""
        if not path or path == ":memory:" or path.startswith("file:") or "\0" in path:
            raise UnknownDatabase(f"{format_url(url)} names no file, but a record is a file: {expected}")
        if url.query:
            raise UnknownDatabase(
                f"{format_url(url)} has {next(iter(url.query))!r} after the question mark: {expected}, "
                "without parameters "
                "(%3F for a question mark in the path)"
            )
        return url.set(drivername="sqlite+aiosqlite")

    @staticmethod
    def may_exist(url: URL) -> bool:
        return _file(url).exists()

    @staticmethod
    def is_away(problem: Exception) -> bool:
        """Check whether a failure is transient: the file is locked by another process, or the disk is full."""
        code = getattr(getattr(problem, "orig", None), "sqlite_errorcode", 0)
        return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL)

    @staticmethod
    def is_full(problem: BaseException) -> bool:
        return isinstance(problem, sqlite3.Error) and getattr(problem, "sqlite_errorcode", 0) in _FULL

    @staticmethod
    def is_wrong_statement(problem: DBAPIError) -> bool:
        return isinstance(problem.orig, sqlite3.Error) and bool(_OF_THE_STATEMENT.match(str(problem.orig)))

    @staticmethod
    def lacks_column(problem: DBAPIError) -> bool:
        return "no such " in str(problem.orig)

    insert = staticmethod(sqlite.insert)

    @staticmethod
    async def alone(_: AsyncConnection, __: int) -> None:
        """Return at once: every write transaction is exclusive."""

    @staticmethod
    async def wait_for_locks(_: AsyncConnection, __: float) -> None:
        """Return at once: a write transaction has its lock from the start."""

    @staticmethod
    def time(now: Callable[[], datetime]) -> ColumnElement[int]:
        """Return the time of ``now``: all users of a file are on one machine."""
        return literal(microseconds(now()), BigInteger)

    @staticmethod
    async def misfit(
        connection: AsyncConnection, query: Select[Any], values: Mapping[str, object], types: Sequence[type]
    ) -> UnexpectedType | None:
        """Find a value of another type, which SQLite allows in any column, or a text that is not UTF-8."""
        columns = list(query.selected_columns)
        looked: list[Any] = [columns[0]]
        for column in columns:
            looked += [func.typeof(column), cast(column, LargeBinary)]
        for before, (position, *found) in enumerate(await connection.execute(query.with_only_columns(*looked), values)):
            for column, expected, kind, content in zip(columns, types, found[::2], found[1::2], strict=True):
                if kind != _SQL_TYPES[expected]:
                    text = f"a value of type {kind} as its {column.name}, which is of type {_SQL_TYPES[expected]}"
                    return UnexpectedType(before, position, text)
                if expected is str and not _is_text(content):
                    return UnexpectedType(before, position, f"bytes that are no UTF-8 as its {column.name}")
        return None

    @staticmethod
    async def grant(_: AsyncConnection, __: str, ___: Sequence[Right], ____: Collection[str]) -> None:
        raise NoRoles("SQLite has no roles: a user who can write the file can change all of it")

    def __init__(self, url: URL) -> None:
        self._file = file = _file(url)
        self.is_read_only = file.exists() and not _may_write(file)
        if self.is_read_only:
            url = url.set(database=_read_only(file), query={"uri": "true"})
        else:
            file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # readers of the record see racks
            file.touch(mode=0o600)  # it contains names; files that SQLite creates beside it get its mode
        self.engine = _engine(url, sqlite_driver.BEGIN, is_read_only=self.is_read_only, pool_size=6, max_overflow=4)
        # BEGIN IMMEDIATE takes the write lock at the start of a transaction. Later, a second writer could only be
        # refused.
        alone = {"pool_size": 1, "max_overflow": 0, "pool_timeout": 60}
        self._writer = _engine(url, "BEGIN IMMEDIATE", is_read_only=self.is_read_only, **alone)
        self._turn = WriteTurn()
        """Held by the writer of this process."""
        where = _read_only(file) if self.is_read_only else str(file)
        self._appends = _Thread(where, "appends")
        self._queries = _Thread(where, "queries")
        self._group_commit = GroupCommit(self._writer.begin, self._write_at_once)

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self.engine.connect()

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        async with self._turn.take(), self._writer.begin() as connection:
            yield connection

    async def fetch(self, query: Select[Any], values: Mapping[str, object]) -> Sequence[Any]:
        statement = _compile(query)
        try:
            return await self._queries.run(partial(_rows, statement=statement, values=values))
        except sqlite3.Error as error:
            raise DBAPIError.instance(statement, None, error, sqlite3.Error, hide_parameters=True) from error

    async def append(self, requests: Sequence[Request], now: Callable[[], datetime]) -> Written:
        # The group is built in the turn: a copy that has the turn before moves the end of the record.
        async with self._turn.take(first=True):
            return await self._group_commit.append(requests, now)

    @asynccontextmanager
    async def appending(self) -> AsyncIterator[Tail]:
        async with self._turn.take(), self._group_commit.appending() as tail:
            yield tail

    def follow(self, after: int, events: Sequence[Recorded]) -> None:
        self._group_commit.follow(after, events)

    async def _write_at_once(self, group: Group) -> bool:
        """Write a group on the fast path of ``GroupCommit``: one transaction in the thread that appends."""
        try:
            return await self._appends.run(partial(_write, group=group))
        except sqlite3.IntegrityError:
            return False
        except sqlite3.Error as error:
            raise OperationalError("append", None, error) from error

    async def has_room(self) -> bool:
        return (await asyncio.to_thread(shutil.disk_usage, self._file)).free >= SQLITE_MIN_FREE_BYTES

    async def listen(self, heard: Callable[[int], None], listening: Callable[[bool], None]) -> None:
        """Report appends by other processes: SQLite counts the commits of other connections in shared memory.

        A report comes up to ``COMMIT_POLL_SECONDS`` seconds after its append. A poll takes some microseconds, so it
        runs in the event loop.
        """
        while not self.is_read_only:
            try:
                with closing(sqlite3.connect(self._file, timeout=0, isolation_level=None)) as connection:
                    await _poll_commits(connection, heard, listening)
            except sqlite3.Error as error:
                _log.info("notifications of appends by other processes are delayed: %s", error)
            finally:
                listening(False)
            await asyncio.sleep(OPEN_RETRY_SECONDS)

    async def clean(self) -> str:
        give_up = asyncio.get_running_loop().time() + CLEAN_LOCK_TIMEOUT_SECONDS
        if problem := await run_clean_statements(self._alone(CLEAN_LOCK_TIMEOUT_SECONDS), ("VACUUM",)):
            return problem
        # The checkpoint waits for readers while it blocks writers: so it gets a short timeout, and writers run in
        # between.
        while problem := await run_clean_statements(
            self._alone(CLEAN_SLICE_SECONDS), ("PRAGMA wal_checkpoint(TRUNCATE)",)
        ):
            if asyncio.get_running_loop().time() > give_up:
                break
            await asyncio.sleep(CLEAN_SLICE_SECONDS)
        return problem

    def _alone(self, patience: float) -> AsyncEngine:
        """Return an engine without transactions, with a lock timeout in seconds."""
        return create_async_engine(self.engine.url, isolation_level="AUTOCOMMIT", connect_args={"timeout": patience})

    async def close(self) -> None:
        await self._appends.close()
        await self._queries.close()
        await self.engine.dispose()
        await self._writer.dispose()


async def _poll_commits(
    connection: sqlite3.Connection, heard: Callable[[int], None], listening: Callable[[bool], None]
) -> None:
    """Report the last position of the record after each commit of another connection, until cancelled."""
    last_commit, last_position = None, 0
    while True:
        (commit,) = connection.execute("PRAGMA data_version").fetchone()
        if commit != last_commit:
            (position,) = connection.execute("SELECT position FROM counter").fetchone()
            if position > last_position:
                heard(position)
            if last_commit is None:
                listening(True)
            last_commit, last_position = commit, position
        await asyncio.sleep(COMMIT_POLL_SECONDS)


class WriteTurn:
    """The turn of the writers of a process: one at a time.

    Commands wait for appends, which take about a millisecond of a processor. Copies and projections take up to 200. So
    an append comes before the others that wait. But two appends do not come one after the other while another writer
    waits: each gets its turn.
    """

    def __init__(self) -> None:
        self._is_held = False
        self._is_first = False
        """Whether an append had the turn last."""
        self._queues: Mapping[bool, deque[asyncio.Future[None]]] = {True: deque(), False: deque()}
        """Writers that wait: appends, and others."""

    @asynccontextmanager
    async def take(self, *, first: bool = False) -> AsyncIterator[None]:
        """Wait for the turn, and hold it in the block; ``first`` is for appends."""
        if self._is_held:
            given = asyncio.get_running_loop().create_future()
            self._queues[first].append(given)
            try:
                await given
            except asyncio.CancelledError:
                if not given.cancelled():
                    self._pass()
                raise
        self._is_held, self._is_first = True, first
        try:
            yield
        finally:
            self._pass()

    def _pass(self) -> None:
        """Give the turn to the next writer that still waits."""
        for queue in (self._queues[not self._is_first], self._queues[self._is_first]):
            while queue:
                if not (given := queue.popleft()).done():
                    given.set_result(None)
                    return
        self._is_held = False


class _Thread:
    """A connection in a separate thread, reopened after a failure."""

    def __init__(self, where: str, name: str) -> None:
        """``where`` is the path of a file, or a URI."""
        self._where = where
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._connection: sqlite3.Connection | None = None

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` with the connection. If it raises an error of SQLite, its transaction is rolled back."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self._run, work)

    def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            if self._connection is None:
                is_uri = self._where.startswith(_URI)
                self._connection = sqlite3.connect(self._where, check_same_thread=False, uri=is_uri)
                _configure(self._connection, is_read_only=is_uri)
            return work(self._connection)
        except sqlite3.Error:
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            with suppress(sqlite3.Error):
                connection.close()

    async def close(self) -> None:
        """Close the connection after all pending work."""
        await asyncio.to_thread(self._executor.shutdown)
        self._disconnect()


class _Connection(sqlite3.Connection):
    """A connection that releases its locks when it is closed.

    SQLite holds locks while a cursor has pending rows, even after a rollback, and the traceback of a cancelled caller
    may refer to such a cursor. Until it is collected, writers would be blocked, or ``clean`` would wait for the reader
    and block them.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._cursors: WeakSet[sqlite3.Cursor] = WeakSet()

    def cursor(self, factory: Any = sqlite3.Cursor) -> Any:
        made = super().cursor(factory)
        self._cursors.add(made)
        return made

    def close(self) -> None:
        with suppress(sqlite3.Error):  # already closed, or broken
            for cursor in list(self._cursors):
                cursor.close()
            self.rollback()
        super().close()


def _engine(url: URL, begin: str, *, is_read_only: bool = False, **pool: float) -> AsyncEngine:
    """Return an engine whose transactions begin with ``begin``. Errors omit parameters, which may be names."""
    arguments = {"factory": _Connection, "async_creator_fn": sqlite_driver.connect}
    engine = create_async_engine(url, hide_parameters=True, connect_args=arguments, **pool)

    @event.listens_for(engine.sync_engine, "connect")
    def _configure_new(connection: Any, _: Any) -> None:
        _configure(connection, is_read_only=is_read_only)

    @event.listens_for(engine.sync_engine, "begin")
    def _begin(connection: Any) -> None:
        driver: sqlite_driver.Connection = connection.connection.driver_connection
        if begin != sqlite_driver.BEGIN or not driver.begin_at_once():
            connection.exec_driver_sql(begin)

    return engine


def _configure(connection: Any, *, is_read_only: bool) -> None:
    """Set up explicit transactions, and commits that are on disk before they are acknowledged."""
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {LOCK_TIMEOUT_SECONDS * 1_000:.0f}")
    if not is_read_only:
        _use_wal(cursor)
    for pragma in ("synchronous = FULL", "foreign_keys = ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _use_wal(cursor: Any) -> None:
    """Switch the file to a write-ahead log.

    If several processes open a new file at once, SQLite refuses all but one immediately, regardless of the timeout.
    """
    give_up = time.monotonic() + LOCK_TIMEOUT_SECONDS
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
        time.sleep(OPEN_RETRY_SECONDS)


@cache
def _compile(query: Select[Any]) -> str:
    return str(query.compile(dialect=_NAMED))


def _rows(connection: sqlite3.Connection, *, statement: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    return connection.execute(statement, dict(values)).fetchall()


def _write(connection: sqlite3.Connection, *, group: Group) -> bool:
    connection.execute("BEGIN IMMEDIATE")
    written = _insert(connection, group)
    connection.execute("COMMIT" if written else "ROLLBACK")
    return written


def _insert(connection: sqlite3.Connection, group: Group) -> bool:
    """Insert the rows of a group. Return False if the counter, its event or a checkpoint differs."""
    if connection.execute(_ADVANCE_COUNTER, (group.position, group.begin, group.begin_hash)).rowcount != 1:
        return False
    connection.executemany(_INSERT_EVENTS, group.events)
    connection.executemany(_INSERT_COMMANDS, [(key, *answer) for key, answer in group.commands.items()])
    moves = ((after, consumer, before) for consumer, (before, after) in group.moves.items())
    return all(connection.execute(_MOVE_CHECKPOINTS, move).rowcount == 1 for move in moves)


def _may_write(file: Path) -> bool:
    """Check whether this process may write a file, and the files of SQLite beside it."""
    by_whom = os.access in os.supports_effective_ids
    return all(os.access(path, os.W_OK, effective_ids=by_whom) for path in (file, file.absolute().parent))


def _read_only(file: Path) -> str:
    """Return the URI of a file that is only readable, as on a read-only medium.

    The latest data may still be in the log beside it: SQLite reads it with the files that it finds there. Without a log
    the file is complete, and SQLite opens it as immutable.
    """
    log = file.with_name(f"{file.name}-wal")
    whole = "" if log.exists() and log.stat().st_size else "&immutable=1"
    return f"{file.absolute().as_uri()}?mode=ro{whole}"


def _file(url: URL) -> Path:
    return Path(url.database or "")


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
