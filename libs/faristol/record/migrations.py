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

from sqlalchemy import URL, LargeBinary, insert, inspect, select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import tables
from faristol.record.backend import shown
from faristol.record.databases import kind_of, parse, unusable
from faristol.record.errors import RecordError, UnknownDatabase

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
    return RecordError(f"there is no record at {shown(url)}")


async def prepare(connection: AsyncConnection, *, create: bool = True) -> str:
    """Make the tables in a database that has none. Gives the id of the record.

    Raises ``OtherFormat`` when a record of another format is there, and ``NoRecord`` when there is none and none is
    to be made.
    """
    await kind_of(connection).alone(connection, _SETUP_LOCK)
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
        parsed = parse(url)
        kind = kind_of(parsed)
        if not kind.may_exist(parsed):
            raise none_at(parsed)
        backend = kind(parsed)
    except (UnknownDatabase, OSError) as problem:
        raise RecordError(str(problem)) from problem
    before: int | None = None
    try:
        while True:
            async with backend.writing() as connection:
                await kind_of(connection).alone(connection, _SETUP_LOCK)
                found = await _format(connection)
                if found is None:
                    raise none_at(parsed)
                before = found if before is None else before
                if found == tables.FORMAT:
                    return before
                if found not in STEPS:
                    raise RecordError(f"the record at {shown(parsed)} {OtherFormat(found)}")
                await STEPS[found](connection)
                await connection.execute(update(tables.counter).values(format=found + 1))
            taken(found + 1)
    except (SQLAlchemyError, OSError) as problem:
        raise unusable(parsed, problem) from problem
    finally:
        await backend.close()


async def _format(connection: AsyncConnection) -> int | None:
    """The format of the record, None when there is none."""
    if not await connection.run_sync(lambda there: inspect(there).has_table(tables.counter.name)):
        return None
    return int((await connection.execute(select(tables.counter.c.format))).scalar_one())


async def _salts(connection: AsyncConnection) -> None:
    """Names can be bound to events. Those that are there are not, until an event names the person again."""
    kind = LargeBinary().compile(dialect=connection.dialect)
    await connection.execute(text(f"ALTER TABLE people ADD COLUMN salt {kind}"))


STEPS: Mapping[int, Step] = {1: _salts}
"""What brings a record from each format to the next."""
