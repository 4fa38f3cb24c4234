"""The direct way on PostgreSQL: one statement, on a connection of its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import asyncpg
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from faristol.record.group import EVENT_COLUMNS, Group
from faristol.record.news import CHANNEL

TIMEOUT = 30.0
"""Seconds for one statement, the wait for others included."""

_TYPES: Mapping[str, str] = {
    "position": "bigint",
    "version": "int",
    "schema_version": "int",
    "payload": "bytea",
    "recorded_at": "bigint",
    "hash": "bytea",
}
"""Of the columns that are no text."""

_EVENTS = ", ".join(f"${number}::{_TYPES.get(column, 'text')}[]" for number, column in enumerate(EVENT_COLUMNS, 9))

# A consumer without a checkpoint stops the counter, and with it everything else. A checkpoint that has moved would
# become NULL, which it may not be: then the whole statement fails.
_WRITE = f"""
WITH counted AS (
    UPDATE counter SET position = $2 WHERE id = 1 AND position = $1
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
    SELECT given.* FROM counted, unnest({_EVENTS}) AS given
)
SELECT position, CASE WHEN $2 > $1 THEN pg_notify('{CHANNEL}', position::text) END FROM counted
"""  # noqa: S608 # made of the names of columns and types alone


class DirectPostgresql:
    """See ``Direct``."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._connection: AsyncConnection | None = None
        self._driver: Any = None

    async def write(self, group: Group) -> bool:
        """See ``Direct``."""
        commands = [(key, *answer) for key, answer in group.commands.items()]
        moves = [(consumer, *move) for consumer, move in group.moves.items()]
        columns = (*_columns(commands, 3), *_columns(moves, 3), *_columns(group.events, len(EVENT_COLUMNS)))
        try:
            driver = self._driver or await self._connect()
            return await driver.fetchval(_WRITE, group.begin, group.position, *columns, timeout=TIMEOUT) is not None
        except asyncpg.IntegrityConstraintViolationError:
            return False
        except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError) as problem:
            await self.close()
            raise OperationalError(_WRITE, None, problem) from problem

    async def _connect(self) -> Any:
        self._connection = await self._engine.connect()
        pooled = await self._connection.get_raw_connection()
        self._driver = pooled.driver_connection
        return self._driver

    async def close(self) -> None:
        """See ``Direct``."""
        connection, self._connection, self._driver = self._connection, None, None
        if connection:
            await connection.invalidate()
            await connection.close()


def _columns(rows: Collection[Sequence[Any]], number: int) -> Sequence[Sequence[Any]]:
    return tuple(zip(*rows, strict=True)) if rows else ((),) * number
