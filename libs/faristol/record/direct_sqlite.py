"""The direct ways on SQLite: a transaction, or a question of one statement, in a thread of its own.

That is one hop between threads for a group or a question, where the driver below SQLAlchemy has one for every call.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.sql import Select

from faristol.record import database
from faristol.record.group import EVENT_COLUMNS, Group

_COUNT = "UPDATE counter SET position = ? WHERE id = 1 AND position = ?"
_EVENTS = f"INSERT INTO events ({', '.join(EVENT_COLUMNS)}) VALUES ({', '.join('?' * len(EVENT_COLUMNS))})"  # noqa: S608 # names of columns
_COMMANDS = "INSERT INTO commands (command_id, answer, position) VALUES (?, ?, ?)"
_MOVES = "UPDATE checkpoints SET position = ? WHERE consumer = ? AND position = ?"


_DIALECT = sqlite.dialect(paramstyle="named")


class _Threaded:
    """A connection that is used in one thread, and made again when it failed."""

    def __init__(self, path: Path, thread: str) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=thread)
        self._connection: sqlite3.Connection | None = None

    def _connect(self) -> sqlite3.Connection:
        self._connection = sqlite3.connect(self._path, check_same_thread=False)
        database.configure(self._connection)
        return self._connection

    def _disconnect(self) -> None:
        """Close the connection; what it had begun is rolled back."""
        connection, self._connection = self._connection, None
        if connection:
            with suppress(sqlite3.Error):
                connection.close()

    async def close(self) -> None:
        """Give back what is held, once what was asked before is done; nothing is asked afterwards."""
        await asyncio.to_thread(self._thread.shutdown)
        self._disconnect()


class Questions(_Threaded):
    """Asks what is asked for every command: statements of few rows, each of one moment."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "asker")
        self._written: dict[int, tuple[Select[Any], str]] = {}

    async def ask(self, query: Select[Any], values: Mapping[str, object]) -> list[tuple[Any, ...]]:
        """The rows that answer ``query``, one that is built once. Raises the ``DBAPIError`` that SQLAlchemy would."""
        known = self._written.get(id(query))
        if known is None:
            known = self._written[id(query)] = (query, str(query.compile(dialect=_DIALECT)))
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._ask, known[1], values)

    def _ask(self, statement: str, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
        try:
            connection = self._connection or self._connect()
            return connection.execute(statement, dict(values)).fetchall()
        except sqlite3.Error as problem:
            self._disconnect()
            raise DBAPIError.instance(statement, None, problem, sqlite3.Error, hide_parameters=True) from problem


class DirectSqlite(_Threaded):
    """See ``Direct``."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "appender")

    async def write(self, group: Group) -> bool:
        """See ``Direct``."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._write, group)

    def _write(self, group: Group) -> bool:
        try:
            connection = self._connection or self._connect()
            connection.execute("BEGIN IMMEDIATE")
            if written := _rows(connection, group):
                connection.execute("COMMIT")
            else:
                connection.execute("ROLLBACK")
        except sqlite3.IntegrityError:
            self._disconnect()
            return False
        except sqlite3.Error as problem:
            self._disconnect()
            raise OperationalError("append", None, problem) from problem
        return written


def _rows(connection: sqlite3.Connection, group: Group) -> bool:
    """Write every row of a group; False when the counter or a checkpoint is elsewhere."""
    if connection.execute(_COUNT, (group.position, group.begin)).rowcount != 1:
        return False
    connection.executemany(_EVENTS, group.events)
    connection.executemany(_COMMANDS, [(key, *answer) for key, answer in group.commands.items()])
    moves = ((after, consumer, before) for consumer, (before, after) in group.moves.items())
    return all(connection.execute(_MOVES, move).rowcount == 1 for move in moves)
