"""The database interface of a record. Only ``sqlite`` and ``postgres`` know which database they use.

Another database needs a module with a class like theirs, an entry in ``databases.BACKENDS``, and the tests in
``tests/conformance``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from sqlalchemy import URL, ColumnElement, Insert, Select, Table, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from faristol.event_store.append.group import Request, Written
from faristol.event_store.append.tail import Tail
from faristol.event_store.backends.rights import Right
from faristol.event_store.event import Recorded

CLEAN_LOCK_TIMEOUT_SECONDS = 60
"""Timeout in seconds with which ``clean`` waits for locks of other connections."""


@dataclass(frozen=True, slots=True)
class UnexpectedType:
    """The first row of a query with a value of an unexpected type."""

    before: int
    """Number of rows before it."""
    position: int
    """Value of its first column."""
    found: str
    """The type found and the type expected, in words."""


class Backend(Protocol):
    """A database for a record.

    All backends use SQLAlchemy: tables, reads and most writes are the same code. This protocol has only the
    differences. Static methods depend only on the kind of database and need no open one. The default implementations
    are for a database without roles, with typed columns, on another machine.
    """

    engine: AsyncEngine
    """Engine for reads whose statements may each see another snapshot."""

    is_read_only: bool = False
    """True for a file that this process may read but not write."""

    @staticmethod
    def check_url(url: URL) -> URL:
        """Return the URL with the driver in use. Raises ``UnknownDatabase`` if a record cannot use the database."""

    @staticmethod
    def may_exist(url: URL) -> bool:
        """Return False if the database certainly does not exist and connecting would create it."""
        return True

    @staticmethod
    def is_away(problem: Exception) -> bool:
        """Check whether a failure is transient: the database is starting, full, busy or unreachable."""

    @staticmethod
    def is_full(problem: BaseException) -> bool:
        """Check whether a failure of the driver means that the disk is full."""

    @staticmethod
    def is_wrong_statement(problem: DBAPIError) -> bool:
        """Check whether the code of a failure means an invalid statement, if its class does not show it."""

    @staticmethod
    def lacks_column(problem: DBAPIError) -> bool:
        """Check whether a failure means that a column or a table does not exist."""

    @staticmethod
    def insert(table: Table) -> Any:
        """Return an insert of the dialect, which supports ON CONFLICT."""

    @classmethod
    def new_row(cls, table: Table) -> Insert:
        """Return an insert without effect if the primary key exists."""
        made: Insert = cls.insert(table).on_conflict_do_nothing()
        return made

    @classmethod
    def upsert(cls, table: Table, changed: Collection[str]) -> Insert:
        """Return an insert that updates the ``changed`` columns if the primary key exists."""
        new = cls.insert(table)
        values = {name: new.excluded[name] for name in changed}
        made: Insert = new.on_conflict_do_update(index_elements=table.primary_key, set_=values)
        return made

    @staticmethod
    def readable(table: str) -> Sequence[str]:
        """Return statements that let every role read a table without secret data; empty if there are no roles."""
        return ()

    @staticmethod
    def without_samples(table: str, column: str) -> Sequence[str]:
        """Return statements that prevent samples of a column, which would survive an erasure; empty without samples."""
        return ()

    @staticmethod
    async def alone(connection: AsyncConnection, lock: int) -> None:
        """Acquire an exclusive lock for the rest of the transaction."""

    @staticmethod
    async def wait_for_locks(connection: AsyncConnection, seconds: float) -> None:
        """Set the lock timeout of this transaction, if the database supports one."""

    @staticmethod
    def is_held(problem: Exception) -> bool:
        """Check whether a failure is a lock timeout."""
        return False

    @staticmethod
    def time(now: Callable[[], datetime]) -> ColumnElement[int]:
        """Return the SQL expression for the current time, in microseconds since 1970.

        The clock is the same for all users of the database: the server's, or ``now`` if all of them are on one machine.
        """

    @staticmethod
    async def misfit(
        connection: AsyncConnection, query: Select[Any], values: Mapping[str, object], types: Sequence[type]
    ) -> UnexpectedType | None:
        """Find a column with a value of a type other than these, in a database that does not enforce types."""
        return None

    @staticmethod
    async def grant(connection: AsyncConnection, role: str, rights: Sequence[Right], own: Collection[str]) -> None:
        """Grant a role exactly these rights; ``own`` are the names of tables that it becomes the owner of.

        Raises ``RecordError`` if that is impossible, ``NoRoles`` in a database without roles.
        """

    @staticmethod
    async def missing(connection: AsyncConnection, rights: Sequence[Right]) -> list[str]:
        """List those of these rights that the role of this connection lacks, in words; empty if there are no roles."""
        return []

    @staticmethod
    async def of_others(connection: AsyncConnection, names: Collection[str]) -> Mapping[str, str]:
        """Return the tables outside the search path of this role, with their owners; empty if there are no roles."""
        return {}

    @staticmethod
    def lacks_rights(problem: Exception) -> bool:
        """Check whether a failure means that the role lacks a right."""
        return False

    def __init__(self, url: URL) -> None:
        """Set up the engine for an accepted URL, without connecting. Raises ``OSError`` if a file cannot be created."""

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Return a connection whose reads see one snapshot."""

    def writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Return a transaction that commits durably at the end of the block, and rolls back if the block raises."""

    async def fetch(self, query: Select[Any], values: Mapping[str, object]) -> Sequence[Any]:
        """Return the few rows of a query that runs for every command and is built once."""

    async def append(self, requests: Sequence[Request], now: Callable[[], datetime]) -> Written:
        """Write the requests in one transaction, in order; return the outcome of each, and the written rows.

        Positions are gapless, and no reader sees an event before one with a smaller position. ``now`` returns the time
        of the append. Raises if the database fails: then it is unknown whether the transaction was committed.
        """

    def appending(self) -> AbstractAsyncContextManager[Tail]:
        """Return a transaction that holds the lock of the counter, for rows that are events already.

        It commits durably at the end of the block, and rolls back if the block raises.
        """

    def follow(self, after: int, events: Sequence[Recorded]) -> None:
        """Note the latest events, which this process has read without a gap after a position: appends rely on them."""

    async def has_room(self) -> bool:
        """Check whether the disk has room for more than a row, as far as this process can see."""
        return True

    async def listen(self, heard: Callable[[int], None], listening: Callable[[bool], None]) -> None:
        """Report the positions that other processes write, until cancelled; return at once if unsupported.

        ``listening`` is called with True when reports begin, before an event can be missed, and with False when they
        end.
        """

    async def clean(self) -> str:
        """Overwrite deleted data on disk. Return why that failed; empty on success."""

    async def close(self) -> None:
        """Close every connection."""


def format_url(url: URL) -> str:
    """Return a URL for display, without driver and password."""
    return url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)


async def run_clean_statements(engine: AsyncEngine, statements: Sequence[str]) -> str:
    """Run the statements of ``Backend.clean``, each in its own transaction.

    A statement that returns a true value found the database in use. Disposes of the engine.
    """
    try:
        async with engine.connect() as connection:
            for statement in statements:
                done = await connection.execute(text(statement))
                if done.returns_rows and done.scalar_one():
                    return "the database is in use"
    except (SQLAlchemyError, OSError) as error:
        return str(getattr(error, "orig", error))
    finally:
        await engine.dispose()
    return ""
