"""What a database does for a record. ``sqlite`` and ``postgres`` do it, and nothing else knows which one it has.

Another database is one more file with a class like theirs, its name in ``databases.BACKENDS``, and the tests in
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

from faristol.record.group import Outcome, Request
from faristol.record.rights import Right

PATIENCE = 60
"""Seconds that ``clean`` waits for others to let go of the database."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """The first row of a query in which a value is of another type than was written."""

    before: int
    """Rows before it."""
    position: int
    """Value of its first column."""
    found: str
    """What it has, and what was expected."""


class Backend(Protocol):
    """A database that a record stands on.

    All of them speak SQLAlchemy: tables, reads and most writes are the same code for each. What stands here is where
    they differ. The static methods are of the kind of database and need none that is open. What a method does here is
    so of a database that has no roles, keeps its columns' types, and is on another machine.
    """

    engine: AsyncEngine
    """To read with, where each statement may be of a moment of its own."""

    is_read_only: bool = False
    """It is a file that this process may read and not write."""

    @staticmethod
    def accepted(url: URL) -> URL:
        """The URL with the driver that is used. Raises ``UnknownDatabase`` for one that no record can stand on."""

    @staticmethod
    def may_exist(url: URL) -> bool:
        """False when it is certain that there is no such database, and connecting would make one."""
        return True

    @staticmethod
    def is_away(problem: Exception) -> bool:
        """Whether a failure passes by itself: the database is starting, full, busy or cannot be reached."""

    @staticmethod
    def is_full(problem: BaseException) -> bool:
        """Whether a failure of the driver says that there is no room on the disk."""

    @staticmethod
    def is_wrong_statement(problem: DBAPIError) -> bool:
        """Whether the code of a failure says that a statement is wrong, where the class of the exception does not."""

    @staticmethod
    def insert(table: Table) -> Any:
        """The insert of the dialect, which knows what to do when a row is there."""

    @classmethod
    def new_row(cls, table: Table) -> Insert:
        """An insert that does nothing when the primary key is taken."""
        made: Insert = cls.insert(table).on_conflict_do_nothing()
        return made

    @classmethod
    def upsert(cls, table: Table, changed: Collection[str]) -> Insert:
        """An insert that replaces the ``changed`` columns when the primary key is taken."""
        new = cls.insert(table)
        values = {name: new.excluded[name] for name in changed}
        made: Insert = new.on_conflict_do_update(index_elements=table.primary_key, set_=values)
        return made

    @staticmethod
    def readable(table: str) -> Sequence[str]:
        """Statements after which every role may read a table that nothing secret is in; none where there are none."""
        return ()

    @staticmethod
    async def alone(connection: AsyncConnection, lock: int) -> None:
        """Wait until no other transaction holds this lock, and hold it to the end of this one."""

    @staticmethod
    async def wait_for_locks(connection: AsyncConnection, seconds: float) -> None:
        """Have this transaction wait so long for what others hold, and fail then; where it can wait at all."""

    @staticmethod
    def is_held(problem: Exception) -> bool:
        """Whether a failure says that others held for too long what was waited for, and nothing else."""
        return False

    @staticmethod
    def time(now: Callable[[], datetime]) -> ColumnElement[int]:
        """What a statement takes for now, in microseconds since 1970: one clock for all who share the database.

        It is the server's where there is one, and ``now`` where everybody is on one machine.
        """

    @staticmethod
    async def misfit(
        connection: AsyncConnection, query: Select[Any], values: Mapping[str, object], types: Sequence[type]
    ) -> Misfit | None:
        """Where a column has a value of another type than these, in a database that lets that happen."""
        return None

    @staticmethod
    async def grant(connection: AsyncConnection, role: str, rights: Sequence[Right], own: Collection[str]) -> None:
        """Give a role these rights and no others; ``own`` are the names of tables that become its own.

        Raises ``RecordError`` where that cannot be, ``NoRoles`` in a database that has none.
        """

    @staticmethod
    async def missing(connection: AsyncConnection, rights: Sequence[Right]) -> list[str]:
        """Which of these rights the role of this connection has not got, in words; none where there are no roles."""
        return []

    @staticmethod
    async def of_others(connection: AsyncConnection, names: Collection[str]) -> Mapping[str, str]:
        """Which tables are where this role does not look, and whose they are; none where there are no roles."""
        return {}

    @staticmethod
    def lacks_rights(problem: Exception) -> bool:
        """Whether a failure says that the role may not do that."""
        return False

    def __init__(self, url: URL) -> None:
        """Take an accepted URL. Nothing is connected yet; raises ``OSError`` when a file cannot be made."""

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection whose reads are of one moment."""

    def writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A transaction, durable when the block ends, and rolled back when it raises."""

    async def fetch(self, query: Select[Any], values: Mapping[str, object]) -> Sequence[Any]:
        """The few rows of a query that is built once and asked for every command."""

    async def append(self, requests: Sequence[Request], now: Callable[[], datetime]) -> Sequence[Outcome]:
        """Write the requests in one transaction, as if one came after the other; give the outcome of each.

        Positions are gapless, and no reader sees an event before one with a smaller position. ``now`` is asked for
        the time of the append. Raises when the database fails: then nobody knows whether anything was written.
        """

    async def has_room(self) -> bool:
        """Whether the disk has room for more than a row, as far as one can see from here."""
        return True

    async def listen(self, heard: Callable[[int], None], listening: Callable[[bool], None]) -> None:
        """Tell of the positions that other processes write, until cancelled; return at once where nobody tells.

        ``listening`` is told when that begins, so that whatever is written from then on is told of, and when it ends.
        """

    async def clean(self) -> str:
        """Overwrite on disk what was deleted. Gives why that could not be done; empty when it was."""

    async def close(self) -> None:
        """Give every connection back. Nothing is asked afterwards."""


def shown(url: URL) -> str:
    """A URL as people may see it: no driver, no password."""
    return url.set(drivername=url.get_backend_name()).render_as_string(hide_password=True)


async def cleaned(engine: AsyncEngine, statements: Sequence[str]) -> str:
    """Run what ``Backend.clean`` takes, each statement by itself; one that gives a true value found others at work.

    The engine is disposed of.
    """
    try:
        async with engine.connect() as connection:
            for statement in statements:
                done = await connection.execute(text(statement))
                if done.returns_rows and done.scalar_one():
                    return "the database is in use"
    except (SQLAlchemyError, OSError) as problem:
        return str(getattr(problem, "orig", problem))
    finally:
        await engine.dispose()
    return ""
