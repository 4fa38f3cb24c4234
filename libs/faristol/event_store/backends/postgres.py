"""A record in a PostgreSQL database, for many processes on many machines, with the options of its other clients."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import asyncpg
from sqlalchemy import (
    URL,
    BigInteger,
    ColumnElement,
    Select,
    bindparam,
    cast,
    event,
    extract,
    func,
    select,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from faristol.event_store.append.group import EVENT_COLUMNS, Group, Request, Written
from faristol.event_store.append.group_commit import COUNTER, GroupCommit
from faristol.event_store.append.tail import Tail
from faristol.event_store.backends import postgres_roles, tables
from faristol.event_store.backends.backend import CLEAN_LOCK_TIMEOUT_SECONDS, Backend, format_url, run_clean_statements
from faristol.event_store.backends.samples import format_no_samples
from faristol.event_store.errors import UnknownDatabase
from faristol.event_store.event import Recorded

OF_THE_DRIVER = ("host", "port", "user", "ssl", "passfile", "target_session_attrs")
"""Parameters that asyncpg accepts under these names."""

OF_LIBPQ = ("sslmode", "sslrootcert", "sslcert", "sslkey", "application_name")
"""Parameters of psql and other clients based on libpq."""

PASSWORD_FILE = "password_file"  # noqa: S105 # a parameter name
"""File with the password only. It is read for each connection, so that the password can be changed.

A password in the URL takes precedence: it may be of a role other than the file's.
"""

CONNECTIONS = "connections"
"""Parameter for the maximum number of connections of a process to the database."""

PARAMETERS = (*OF_THE_DRIVER, *OF_LIBPQ, PASSWORD_FILE, CONNECTIONS)
"""Query parameters that a URL may have."""

DEFAULT_MAX_CONNECTIONS = 16
"""Default maximum of connections of a process."""

MIN_CONNECTIONS = 4
"""Minimum: one connection writes, one listens, and a reader of the record must not delay a command."""


def connections_of(url: URL) -> int:
    """Return the maximum number of connections of a process. Raises ``ValueError`` if the value is invalid."""
    given = str(url.query.get(CONNECTIONS, DEFAULT_MAX_CONNECTIONS))
    if not (given.isascii() and given.isdecimal() and len(given) < 5 and int(given) >= MIN_CONNECTIONS):
        raise ValueError(f"{CONNECTIONS}={given!r}: expected a number of connections, {MIN_CONNECTIONS} or more")
    return int(given)


def driver_url(url: URL) -> URL:
    """Return a URL with only the parameters of the driver."""
    return url.set(query={name: value for name, value in url.query.items() if name in OF_THE_DRIVER})


def engine(url: URL, settings: Mapping[str, str], **more: Any) -> AsyncEngine:
    """Return an engine for a URL that ``accepted`` returned; sessions begin with the server ``settings``.

    The parameters of libpq are passed to the driver's own parser of such URLs.
    """
    others = {name: str(value) for name, value in url.query.items() if name in OF_LIBPQ}
    others.setdefault("application_name", "faristol")
    arguments: dict[str, Any] = {"server_settings": dict(settings), "dsn": f"postgresql:///?{urlencode(others)}"}
    if (file := url.query.get(PASSWORD_FILE)) and not url.password:
        arguments["password"] = _reader(Path(str(file)))
    return create_async_engine(driver_url(url), connect_args=arguments, **more)


def pool(url: URL) -> Mapping[str, int]:
    """Return the pool settings of a process: half of its connections stay open, the others are opened on demand."""
    most = connections_of(url)
    return {"pool_size": most - most // 2, "max_overflow": most // 2}


def _reader(file: Path) -> Callable[[], str]:
    def read() -> str:
        return file.read_text(encoding="utf-8").strip()

    return read


LOCK_TIMEOUT_SECONDS = 15.0
"""Lock timeout in seconds."""

FAST_WRITE_TIMEOUT_SECONDS = 30.0
"""Timeout in seconds of the statement of the fast path, including its wait for locks."""

LOCK_IDLE_TIMEOUT_SECONDS = 15.0
"""Seconds for which an idle process may hold the lock of the counter; then PostgreSQL ends its transaction."""

LISTEN_RETRY_SECONDS = 1.0
"""Seconds before a lost connection for notifications is reopened."""

CHANNEL = "faristol_appended"
"""Channel on which each process notifies the others of the position that it has written."""

UNAVAILABLE_SQLSTATES = ("08", "25P03", "53", "55P03", "57P", "XX001", "XX002")
"""SQLSTATEs of a database that is unavailable, busy, full, shutting down or damaged, as opposed to an invalid request.

A damaged page is whole on a standby: callers retry until it has taken over.
"""

DISK_FULL = "53100"
"""SQLSTATE of a full disk."""

LOCK_NOT_AVAILABLE = "55P03"
"""SQLSTATE of a lock timeout."""

UNDEFINED_SQLSTATES = frozenset({"42703", "42P01"})
"""SQLSTATEs of a column and of a table that do not exist."""

NOT_ALLOWED = "42501"
"""SQLSTATE of a missing privilege."""

_INVALID_STATEMENT_CLASSES = ("0A", "22", "23", "42")
"""Classes of SQLSTATE of an invalid statement, as opposed to an unavailable database."""

NO_SAMPLES = format_no_samples(tables.people.name, *tables.PERSONAL_COLUMNS)

_CLEANING = (
    # An operator may have enabled samples of names. ANALYZE keeps old samples even if new ones are disabled; setting
    # the type of the columns, to the same one, removes them.
    NO_SAMPLES,
    "ALTER TABLE people ALTER COLUMN name TYPE VARCHAR(200), ALTER COLUMN club TYPE VARCHAR(200),"
    " ALTER COLUMN country TYPE VARCHAR(3), ALTER COLUMN details TYPE TEXT",
    "VACUUM (FULL, ANALYZE) people",
    "VACUUM FULL notes",
    "VACUUM FULL pg_statistic",  # without the privilege, PostgreSQL only warns
)

_LOCK_COUNTER = COUNTER.returning(
    func.set_config("idle_in_transaction_session_timeout", f"{LOCK_IDLE_TIMEOUT_SECONDS * 1_000:.0f}", True)
)
_CLOCK_MICROSECONDS: ColumnElement[int] = cast(extract("epoch", func.clock_timestamp()) * 1_000_000, BigInteger)
_NOTIFY = select(func.pg_notify(CHANNEL, bindparam("position")))

_COLUMN_TYPES: Mapping[str, str] = {
    "position": "bigint",
    "version": "int",
    "schema_version": "int",
    "payload": "bytea",
    "recorded_at": "bigint",
    "hash": "bytea",
}
"""Types of the columns that are not text."""

_EVENT_ARRAYS = ", ".join(
    f"${number}::{_COLUMN_TYPES.get(column, 'text')}[]" for number, column in enumerate(EVENT_COLUMNS, 10)
)

# A missing checkpoint prevents the update of the counter, and so everything else. A moved checkpoint would be set to
# NULL, which is not allowed: then the whole statement fails.
_WRITE = f"""
WITH counted AS (
    UPDATE counter SET position = $2 WHERE id = 1 AND position = $1
        AND coalesce((SELECT hash FROM events WHERE events.position = counter.position), ''::bytea) = $9
        AND (SELECT count(*) FROM checkpoints WHERE consumer = ANY ($6::text[])) = cardinality($6::text[])
    RETURNING position
), answered AS (
    INSERT INTO commands (command_id, answer, position)
    SELECT given.* FROM counted, unnest($3::text[], $4::bytea[], $5::bigint[]) AS given
), moved AS (
    UPDATE checkpoints SET position = CASE WHEN checkpoints.position = given.before THEN given.after END
    FROM counted, unnest($6::text[], $7::bigint[], $8::bigint[]) AS given (consumer, before, after)
    WHERE checkpoints.consumer = given.consumer
), written AS (
    INSERT INTO events ({", ".join(EVENT_COLUMNS)})
    SELECT given.* FROM counted, unnest({_EVENT_ARRAYS}) AS given
)
SELECT position, CASE WHEN $2 > $1 THEN pg_notify('{CHANNEL}', position::text) END FROM counted
"""  # noqa: S608 # only names of columns and types

_log = logging.getLogger(__name__)


class Postgres(Backend):
    """The PostgreSQL backend; ``Backend`` describes the methods."""

    @staticmethod
    def check_url(url: URL) -> URL:
        for name in url.query:
            if name not in PARAMETERS:
                raise UnknownDatabase(
                    f"{name!r} is not a parameter of a database URL: expected {', '.join(PARAMETERS)}"
                )
        given = url.set(drivername="postgresql+asyncpg")
        try:
            _, settings = given.get_dialect()().create_connect_args(driver_url(given))
        except (ArgumentError, ValueError) as error:
            raise UnknownDatabase(f"the host or port of {format_url(url)} cannot be used: {error}") from None
        try:
            connections_of(given)
        except ValueError as error:
            raise UnknownDatabase(f"the URL {format_url(url)} has {error}") from None
        ports = settings.get("port") or ()
        for port in (url.port, *(ports if isinstance(ports, Sequence) else (ports,))):
            if port is not None and not 0 < port < 65_536:
                raise UnknownDatabase(f"{port} in {format_url(url)} is not a port: expected 1 to 65535")
        return given

    @staticmethod
    def is_away(problem: Exception) -> bool:
        return isinstance(problem, OSError) or _sqlstate(problem).startswith(UNAVAILABLE_SQLSTATES)

    @staticmethod
    def is_full(problem: BaseException) -> bool:
        return getattr(problem, "sqlstate", None) == DISK_FULL

    @staticmethod
    def is_wrong_statement(problem: DBAPIError) -> bool:
        return _sqlstate(problem).startswith(_INVALID_STATEMENT_CLASSES)

    @staticmethod
    def lacks_column(problem: DBAPIError) -> bool:
        return _sqlstate(problem) in UNDEFINED_SQLSTATES

    insert = staticmethod(postgresql.insert)

    @staticmethod
    def readable(table: str) -> Sequence[str]:
        return (f"GRANT SELECT ON {table} TO PUBLIC",)

    @staticmethod
    def without_samples(table: str, column: str) -> Sequence[str]:
        return (format_no_samples(table, column),)

    @staticmethod
    async def alone(connection: AsyncConnection, lock: int) -> None:
        await connection.execute(select(func.pg_advisory_xact_lock(lock)))

    @staticmethod
    async def wait_for_locks(connection: AsyncConnection, seconds: float) -> None:
        await connection.execute(select(func.set_config("lock_timeout", f"{seconds * 1_000:.0f}", True)))

    @staticmethod
    def is_held(problem: Exception) -> bool:
        return _sqlstate(problem) == LOCK_NOT_AVAILABLE

    @staticmethod
    def time(_: Callable[[], datetime]) -> ColumnElement[int]:
        return _CLOCK_MICROSECONDS

    grant = staticmethod(postgres_roles.grant)
    missing = staticmethod(postgres_roles.missing)
    of_others = staticmethod(postgres_roles.of_others)

    @staticmethod
    def lacks_rights(problem: Exception) -> bool:
        return _sqlstate(problem) == NOT_ALLOWED

    def __init__(self, url: URL) -> None:
        # Acknowledged data is on disk, whatever the settings of the role or the server are.
        settings = {"lock_timeout": f"{LOCK_TIMEOUT_SECONDS * 1_000:.0f}", "jit": "off", "synchronous_commit": "on"}
        self._url = url
        self._transactions = engine(
            url,
            settings,
            hide_parameters=True,  # parameters may contain names of people
            **pool(url),
        )
        event.listen(self._transactions.sync_engine, "checkout", _check_open)
        # The same connections without transactions around single statements.
        self.engine = self._transactions.execution_options(isolation_level="AUTOCOMMIT")
        self._group_commit = GroupCommit(self.writing, self._write_at_once, lock=_LOCK_COUNTER, notify=_NOTIFY)
        self._appends: AsyncConnection | None = None
        """The dedicated connection of the fast path."""
        self._driver: Any = None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        async with self._transactions.connect() as connection:
            yield await connection.execution_options(isolation_level="REPEATABLE READ")

    def writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._transactions.begin()

    async def fetch(self, query: Select[Any], values: Mapping[str, object]) -> Sequence[Any]:
        async with self.engine.connect() as connection:
            rows: Sequence[Any] = (await connection.execute(query, values)).all()
        return rows

    async def append(self, requests: Sequence[Request], now: Callable[[], datetime]) -> Written:
        return await self._group_commit.append(requests, now)

    def appending(self) -> AbstractAsyncContextManager[Tail]:
        return self._group_commit.appending()

    def follow(self, after: int, events: Sequence[Recorded]) -> None:
        self._group_commit.follow(after, events)

    async def _write_at_once(self, group: Group) -> bool:
        """Write a group on the fast path of ``GroupCommit``: one statement."""
        commands = [(key, *answer) for key, answer in group.commands.items()]
        moves = [(consumer, *move) for consumer, move in group.moves.items()]
        events = _columns(group.events, len(EVENT_COLUMNS))
        values = (*_columns(commands, 3), *_columns(moves, 3), group.begin_hash, *events)
        try:
            driver = self._driver or await self._connect()
            return (
                await driver.fetchval(_WRITE, group.begin, group.position, *values, timeout=FAST_WRITE_TIMEOUT_SECONDS)
                is not None
            )
        except asyncpg.IntegrityConstraintViolationError:
            return False
        except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError) as error:
            await self._disconnect()
            raise OperationalError(_WRITE, None, error) from error

    async def _connect(self) -> Any:
        self._appends = await self.engine.connect()
        self._driver = (await self._appends.get_raw_connection()).driver_connection
        return self._driver

    async def _disconnect(self) -> None:
        connection, self._appends, self._driver = self._appends, None, None
        if connection:
            await connection.invalidate()
            await connection.close()

    async def listen(self, heard: Callable[[int], None], listening: Callable[[bool], None]) -> None:
        while True:
            try:
                await self._listen_once(heard, listening)
            except (SQLAlchemyError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
                _log.info("notifications of appends by other processes are delayed: %s", error)
            await asyncio.sleep(LISTEN_RETRY_SECONDS)

    async def _listen_once(self, heard: Callable[[int], None], listening: Callable[[bool], None]) -> None:
        """Listen until the connection is lost."""
        async with self.engine.connect() as connection:
            driver: Any = (await connection.get_raw_connection()).driver_connection
            lost = asyncio.Event()
            driver.add_termination_listener(lambda *_: lost.set())
            try:
                await driver.add_listener(CHANNEL, lambda *payload: heard(int(payload[-1])))
                listening(True)
                await lost.wait()
            finally:
                listening(False)
                await connection.invalidate()  # a connection that listens must not return to the pool

    async def clean(self) -> str:
        patient = engine(self._url, {"lock_timeout": f"{CLEAN_LOCK_TIMEOUT_SECONDS}s"}, isolation_level="AUTOCOMMIT")
        return await run_clean_statements(patient, _CLEANING)

    async def close(self) -> None:
        await self._disconnect()
        await self._transactions.dispose()


def _check_open(connection: Any, *_: object) -> None:
    """Replace a pooled connection that was lost while idle, without a query to the server."""
    if connection.driver_connection.is_closed():
        raise DisconnectionError


def _sqlstate(problem: Exception) -> str:
    """Return the SQLSTATE of a failure; empty if it has none."""
    return str(getattr(getattr(problem, "orig", None), "sqlstate", "") or "")


def _columns(rows: Collection[Sequence[Any]], number: int) -> Sequence[Sequence[Any]]:
    return tuple(zip(*rows, strict=True)) if rows else ((),) * number
