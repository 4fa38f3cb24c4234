"""The direct way on SQLite: one transaction in a thread of its own.

That is one hop between threads for a group, where the driver below SQLAlchemy has one for every call.
"""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from sqlalchemy.exc import OperationalError

from faristol.record import database
from faristol.record.group import EVENT_COLUMNS, Group

_COUNT = "UPDATE counter SET position = ? WHERE id = 1 AND position = ?"
_EVENTS = f"INSERT INTO events ({', '.join(EVENT_COLUMNS)}) VALUES ({', '.join('?' * len(EVENT_COLUMNS))})"  # noqa: S608 # names of columns
_COMMANDS = "INSERT INTO commands (command_id, answer, position) VALUES (?, ?, ?)"
_MOVES = "UPDATE checkpoints SET position = ? WHERE consumer = ? AND position = ?"


class DirectSqlite:
    """See ``Direct``."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="appender")
        self._connection: sqlite3.Connection | None = None

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
        """See ``Direct``."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._disconnect)
        self._thread.shutdown()


def _rows(connection: sqlite3.Connection, group: Group) -> bool:
    """Write every row of a group; False when the counter or a checkpoint is elsewhere."""
    if connection.execute(_COUNT, (group.position, group.begin)).rowcount != 1:
        return False
    connection.executemany(_EVENTS, group.events)
    connection.executemany(_COMMANDS, [(key, *answer) for key, answer in group.commands.items()])
    moves = ((after, consumer, before) for consumer, (before, after) in group.moves.items())
    return all(connection.execute(_MOVES, move).rowcount == 1 for move in moves)
