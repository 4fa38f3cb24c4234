"""The tables of a record, made when there are none, and brought from one format to the next by an explicit command.

A process that serves looks at the format when it starts and goes on only when it reads it: it makes the tables
in an empty database, and never changes those that are there. ``faristol record migrate`` does. Each migration and what
says that it was taken are one transaction, and one process at a time takes them.

A format is reached in two steps, so that a version and the one before it run together on one record:

* ``pre-…`` adds, and leaves alone what it finds: a column that may be empty, a table, an index. It is taken before the
  new version starts. The format stays what it was, for the version before goes on, and starts, as if nothing had
  happened; the table ``migrations`` keeps the name. The new version serves then, too.
* ``post-…`` is taken when no process of the version before runs any more. It may demand what that one did not write,
  and take away what that one alone used. Only then the record has the new format.

A migration never changes again once a version with it was released. It makes what it needs by itself, because
``tables`` says what the tables are today and not what they were then. It waits for locks for a moment alone: whoever
waits for the lock of a table keeps everybody who comes later waiting behind it.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import URL, LargeBinary, insert, inspect, select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.record import tables
from faristol.record.backend import Backend, shown
from faristol.record.databases import kind_of, parse, unusable
from faristol.record.errors import RecordError, UnknownDatabase

_SETUP_LOCK = 0x6661726973746F6C  # any number will do that every process of a cell agrees on

LOCK_SECONDS = 3.0
"""For how long a migration waits for locks of others before it lets them pass and tries again."""

TRIES = 20
"""How often it tries."""

PAUSE = 1.0
"""Seconds between two tries."""

_TAKEN = "migrations"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Migration:
    """A step to a format."""

    name: str
    """``pre-FORMAT-WHAT`` or ``post-FORMAT-WHAT``, with the format in four digits."""
    take: Callable[[AsyncConnection], Awaitable[None]]

    @property
    def is_before(self) -> bool:
        """Whether it is taken while the version before still runs."""
        return self.name.startswith("pre-")

    @property
    def format(self) -> int:
        """The format that it leads to."""
        return int(self.name.split("-")[1])


class OtherFormat(Exception):
    """The record has another format than this version of Faristol reads."""

    def __init__(self, found: int, missing: Collection[str] = ()) -> None:
        """``missing`` are the names of migrations that have not been taken."""
        what = f"has format {found}, this version of Faristol reads format {tables.FORMAT}: "
        lacks = f" ({', '.join(missing)} not taken yet)" if missing else ""
        super().__init__(
            what + "bring it there with `faristol record migrate`" + lacks
            if found < tables.FORMAT
            else what + "a newer version has migrated it, and only that one can read it"
        )


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
    else:
        await _check(connection, found)
    return str((await connection.execute(select(tables.counter.c.record_id))).scalar_one())


async def _check(connection: AsyncConnection, found: int) -> None:
    """Raise ``OtherFormat`` unless this version serves a record of the format that was ``found``."""
    if found == tables.FORMAT:
        return
    before = {step.name for step in MIGRATIONS if step.is_before and step.format == tables.FORMAT}
    missing = before - await _taken(connection)
    if found != tables.FORMAT - 1 or not before or missing:
        raise OtherFormat(found, sorted(missing))


async def migrate(url: str, taken: Callable[[Migration], None] = lambda _: None, *, before: bool = False) -> int | None:
    """Bring the record at ``url`` to the format of this version. Gives the format that it had.

    With ``before`` it is only made ready for it: the ``pre-`` migrations of this format are taken, and the version
    before goes on. Where there is no record, None is given then: whoever makes it makes it of today. ``taken`` is told
    every migration that was taken. Raises ``RecordError`` when there is no record, when it has a newer format or, with
    ``before``, one that is older than the last, and when the database fails; what was taken before remains.
    """
    try:
        parsed = parse(url)
        kind = kind_of(parsed)
        if not kind.may_exist(parsed):
            if before:
                return None
            raise none_at(parsed)
        backend = kind(parsed)
    except (UnknownDatabase, OSError) as problem:
        raise RecordError(str(problem)) from problem
    had: int | None = None
    moved, tries = False, 0
    try:
        while True:
            try:
                found, step = await _take_next(backend, parsed, before=before)
            except (SQLAlchemyError, OSError) as problem:
                tries += 1
                if tries == TRIES or not kind.is_held(problem):
                    raise
                _log.info("the migration lets others pass: %s", unusable(parsed, problem))
                await asyncio.sleep(PAUSE)
                continue
            had, moved, tries = had if moved else found, True, 0
            if step is None:
                return had
            taken(step)
    except (SQLAlchemyError, OSError) as problem:
        raise unusable(parsed, problem) from problem
    finally:
        await backend.close()


async def _take_next(backend: Backend, url: URL, *, before: bool) -> tuple[int | None, Migration | None]:
    """Take the next migration in a transaction; gives the format that was found, and it, or None where none is left."""
    async with backend.writing() as connection:
        await backend.alone(connection, _SETUP_LOCK)
        await backend.wait_for_locks(connection, LOCK_SECONDS)
        found = await _format(connection)
        if found is None and not before:
            raise none_at(url)
        if found is None or found == tables.FORMAT:
            return found, None
        if not OLDEST <= found < tables.FORMAT:
            raise RecordError(f"the record at {shown(url)} {OtherFormat(found)}")
        if before and found < tables.FORMAT - 1:
            raise RecordError(
                f"the record at {shown(url)} has format {found}, and can be made ready for format {found + 1} while "
                f"others use it, not for format {tables.FORMAT}: install the version between first, or end all "
                "processes and run `faristol record migrate` without --pre"
            )
        done = await _taken(connection)
        step = next(each for each in MIGRATIONS if each.format > found and each.name not in done)
        if before and not step.is_before:
            return found, None
        await step.take(connection)
        if step.is_before:
            await _note(connection, step.name)
        else:
            await connection.execute(update(tables.counter).values(format=step.format))
            await connection.execute(text(f"DROP TABLE IF EXISTS {_TAKEN}"))
        return found, step


async def _format(connection: AsyncConnection) -> int | None:
    """The format of the record, None when there is none."""
    if not await connection.run_sync(lambda there: inspect(there).has_table(tables.counter.name)):
        return None
    return int((await connection.execute(select(tables.counter.c.format))).scalar_one())


async def _salts(connection: AsyncConnection) -> None:
    """Names can be bound to events. Those that are there are not, until an event names the person again."""
    kind = LargeBinary().compile(dialect=connection.dialect)
    await connection.execute(text(f"ALTER TABLE people ADD COLUMN salt {kind}"))


async def _taken(connection: AsyncConnection) -> set[str]:
    """The names of the ``pre-`` migrations of the next format that were taken."""
    if not await connection.run_sync(lambda there: inspect(there).has_table(_TAKEN)):
        return set()
    return set((await connection.execute(text(f"SELECT name FROM {_TAKEN}"))).scalars())  # noqa: S608 # a name of ours


async def _note(connection: AsyncConnection, name: str) -> None:
    """Keep the name of a ``pre-`` migration, where whoever starts finds it."""
    if not await connection.run_sync(lambda there: inspect(there).has_table(_TAKEN)):
        await connection.execute(text(f"CREATE TABLE {_TAKEN} (name VARCHAR(64) PRIMARY KEY)"))
        for statement in kind_of(connection).readable(_TAKEN):
            await connection.execute(text(statement))
    await connection.execute(text(f"INSERT INTO {_TAKEN} VALUES (:name)"), {"name": name})  # noqa: S608 # as above


OLDEST = 1
"""The oldest format that can be brought to today's."""

MIGRATIONS: Sequence[Migration] = (Migration("post-0002-salts", _salts),)
"""In the order in which they are taken: of each format any number before, then exactly one after."""
