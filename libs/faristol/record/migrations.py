"""The tables of a record, made when there are none, and brought from one format to the next by an explicit command.

A process that serves looks at the format when it starts and goes on only when it is its own: it makes the tables
in an empty database, and never changes those that are there. ``faristol record migrate`` does. Each step and the
number that says that it was taken are one transaction, and one process at a time takes steps.

A step never changes again once a version with it was released. It makes what it needs by itself, because
``tables`` says what the tables are today and not what they were then. Processes of the version before may go on
while steps are taken, so a step adds and leaves what it finds alone; what is no longer used goes two formats later.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from sqlalchemy import URL, func, insert, inspect, select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import database, tables
from faristol.record.database import RecordError

_SETUP_LOCK = 0x6661726973746F6C  # any number will do that every process of a cell agrees on

Step = Callable[[AsyncConnection], Awaitable[None]]


class OtherFormat(Exception):
    """The record has another format than this version of Faristol reads."""

    def __init__(self, found: int) -> None:
        what = f"has format {found}, this version of Faristol reads format {tables.FORMAT}: "
        super().__init__(
            what + "bring it there with `faristol record migrate`"
            if found < tables.FORMAT
            else what + "a newer version has migrated it, and only that one can read it"
        )
        self.found = found


class NoRecord(Exception):
    """There is no record in the database."""


def none_at(url: URL) -> RecordError:
    """The error for a database in which there is no record, and none is to be made."""
    return RecordError(f"there is no record at {database.shown(url)}")


def is_there(url: URL) -> bool:
    """Whether there is a database to look into: SQLite makes a file for whoever looks."""
    return url.get_backend_name() != "sqlite" or Path(url.database or "").exists()


async def prepare(connection: AsyncConnection, *, create: bool = True) -> str:
    """Make the tables in a database that has none. Gives the id of the record.

    Raises ``OtherFormat`` when a record of another format is there, and ``NoRecord`` when there is none and none is
    to be made.
    """
    await _alone(connection)
    found = await _format(connection)
    if found is None:
        if not create:
            raise NoRecord
        await connection.run_sync(tables.metadata.create_all)
        new = {"id": 1, "position": 0, "format": tables.FORMAT, "record_id": str(uuid.uuid4())}
        await connection.execute(insert(tables.counter).values(new))
    elif found != tables.FORMAT:
        raise OtherFormat(found)
    return str((await connection.execute(select(tables.counter.c.record_id))).scalar_one())


async def migrate(url: str, taken: Callable[[int], None] = lambda _: None) -> int:
    """Bring the record at ``url`` to the format of this version. Gives the format that it had.

    ``taken`` is told every format that was reached. Raises ``RecordError`` when there is no record, when it has a
    newer format, or when the database fails; the steps taken before remain.
    """
    try:
        parsed = database.parse(url)
        if not is_there(parsed):
            raise none_at(parsed)
        reading, writing = database.engines(parsed)
    except (database.UnknownDatabase, OSError) as problem:
        raise RecordError(str(problem)) from problem
    before: int | None = None
    try:
        while True:
            async with writing.begin() as connection:
                await _alone(connection)
                found = await _format(connection)
                if found is None:
                    raise none_at(parsed)
                before = found if before is None else before
                if found == tables.FORMAT:
                    return before
                if found not in STEPS:
                    raise RecordError(f"the record at {database.shown(parsed)} {OtherFormat(found)}")
                await STEPS[found](connection)
                await connection.execute(update(tables.counter).values(format=found + 1))
            taken(found + 1)
    except (SQLAlchemyError, OSError) as problem:
        raise database.unusable(parsed, problem) from problem
    finally:
        await reading.dispose()
        await writing.dispose()


async def _alone(connection: AsyncConnection) -> None:
    """Wait for others that make or change tables. On SQLite the transaction itself is alone."""
    if connection.dialect.name == "postgresql":
        await connection.execute(select(func.pg_advisory_xact_lock(_SETUP_LOCK)))


async def _format(connection: AsyncConnection) -> int | None:
    """The format of the record, None when there is none."""
    if not await connection.run_sync(lambda there: inspect(there).has_table(tables.counter.name)):
        return None
    return int((await connection.execute(select(tables.counter.c.format))).scalar_one())


async def _to_2(connection: AsyncConnection) -> None:
    """The id of the record, seals, the ids of people who were erased, and no samples of names."""
    sqlite = connection.dialect.name == "sqlite"
    position, content = ("INTEGER", "BLOB") if sqlite else ("BIGINT", "BYTEA")
    statements = [
        "CREATE TABLE erased (player_id VARCHAR(64) NOT NULL, erased_at BIGINT NOT NULL, PRIMARY KEY (player_id))",
        f"CREATE TABLE seals (from_position {position} NOT NULL, to_position BIGINT NOT NULL, root {content} NOT NULL,"
        f" previous {content} NOT NULL, key_id VARCHAR(16) NOT NULL, signature {content} NOT NULL,"
        " sealed_at BIGINT NOT NULL, PRIMARY KEY (from_position), UNIQUE (to_position))",
    ]
    if not sqlite:
        statements += [
            "ALTER TABLE people ALTER COLUMN name SET STATISTICS 0, ALTER COLUMN club SET STATISTICS 0",
            # Without samples to come, those that were taken stay. A type, even the same, puts them away.
            "ALTER TABLE people ALTER COLUMN name TYPE VARCHAR(200), ALTER COLUMN club TYPE VARCHAR(200)",
        ]
    columns = await connection.run_sync(lambda there: inspect(there).get_columns("counter"))
    if all(column["name"] != "record_id" for column in columns):  # some of format 1 have it
        statements += _RECORD_ID_SQLITE if sqlite else _RECORD_ID_POSTGRESQL
    for statement in statements:
        values = {"record_id": str(uuid.uuid4())} if ":record_id" in statement else {}
        await connection.execute(text(statement), values)


async def _to_3(connection: AsyncConnection) -> None:
    """The countries of people, of which no samples are kept either; a process of format 2 writes none."""
    await connection.execute(text("ALTER TABLE people ADD COLUMN country VARCHAR(3) DEFAULT '' NOT NULL"))
    if connection.dialect.name == "postgresql":
        await connection.execute(text("ALTER TABLE people ALTER COLUMN country SET STATISTICS 0"))


async def _to_4(connection: AsyncConnection) -> None:
    """Notes beside the events, of which no samples are kept. A process of format 3 writes them into the events."""
    sqlite = connection.dialect.name == "sqlite"
    await connection.execute(
        text(
            f"CREATE TABLE notes (position {'INTEGER' if sqlite else 'BIGINT'} NOT NULL, text TEXT NOT NULL,"
            " player_ids TEXT NOT NULL, PRIMARY KEY (position))"
        )
    )
    if not sqlite:
        await connection.execute(text("ALTER TABLE notes ALTER COLUMN text SET STATISTICS 0"))


async def _to_5(connection: AsyncConnection) -> None:
    """An index of names, by which namesakes and officials are looked up."""
    await connection.execute(text("CREATE INDEX ix_people_name ON people (name)"))


_RECORD_ID_POSTGRESQL = (
    "ALTER TABLE counter ADD COLUMN record_id VARCHAR(36)",
    "UPDATE counter SET record_id = :record_id",
    "ALTER TABLE counter ALTER COLUMN record_id SET NOT NULL",
)
_RECORD_ID_SQLITE = (  # it cannot add a column that is never null
    "ALTER TABLE counter RENAME TO counter_1",
    "CREATE TABLE counter (id INTEGER NOT NULL, position BIGINT NOT NULL, format INTEGER NOT NULL,"
    " record_id VARCHAR(36) NOT NULL, PRIMARY KEY (id))",
    "INSERT INTO counter SELECT id, position, format, :record_id FROM counter_1",
    "DROP TABLE counter_1",
)

STEPS: Mapping[int, Step] = {1: _to_2, 2: _to_3, 3: _to_4, 4: _to_5}
"""What brings a record from each format to the next."""
