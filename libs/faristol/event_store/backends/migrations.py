"""Creation of the tables of a record, and migration from one format to the next by an explicit command.

A serving process checks the format at its start and continues only if it can read it. It creates the tables in an empty
database, and never changes existing ones; ``faristol record migrate`` does. Each migration and its registration are one
transaction, and one process at a time runs them.

A format is reached in two steps, so that a version and its predecessor can run together on one record:

* ``pre-…`` only adds: a nullable column, a table, an index. It runs before the new version starts. The format remains
  the old one, so the old version continues and can restart; the table ``migrations`` stores the name. The new version
can serve then, too.
* ``post-…`` runs when no process of the old version is left. It may require data that the old version did not write,
and remove parts that only that version used. Only then the record has the new format.

A released migration never changes. It does not use ``tables``, which describes the current tables and not those of its
time. It waits for locks only briefly: a waiting table lock blocks every later request for the table.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from sqlalchemy import URL, BigInteger, Integer, LargeBinary, insert, inspect, select, text, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends import tables
from faristol.event_store.backends.backend import Backend, format_url
from faristol.event_store.backends.databases import kind_of, parse, unusable
from faristol.event_store.errors import RecordError, UnknownDatabase

_SETUP_LOCK_ID = 0x6661726973746F6C  # arbitrary, but the same for every process of a cell

LOCK_SECONDS = 3.0
"""Lock timeout of a migration, after which it pauses and retries."""

MAX_MIGRATION_ATTEMPTS = 20
"""Attempts in a row."""

MIGRATION_RETRY_SECONDS = 1.0
"""Seconds between two attempts."""

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
        """Whether it runs while the old version still serves."""
        return self.name.startswith("pre-")

    @property
    def format(self) -> int:
        """The format that it leads to."""
        return int(self.name.split("-")[1])


class OtherFormat(Exception):
    """The format of the record is not one that this version of Faristol reads."""

    def __init__(self, found: int, missing: Collection[str] = ()) -> None:
        """``missing`` are the names of pending ``pre-`` migrations."""
        what = f"has format {found}, this version of Faristol reads format {tables.RECORD_FORMAT}: "
        lacks = f" ({', '.join(missing)} not taken yet)" if missing else ""
        super().__init__(
            what + "bring it there with `faristol record migrate`" + lacks
            if found < tables.RECORD_FORMAT
            else what + "a newer version has migrated it, and only that one can read it"
        )


class NoRecord(Exception):
    """The database has no record."""


def none_at(url: URL) -> RecordError:
    """Return the error for a database without a record."""
    return RecordError(f"there is no record at {format_url(url)}")


async def prepare(connection: AsyncConnection, *, create: bool = True) -> str:
    """Create the tables in an empty database. Return the id of the record.

    Raises ``OtherFormat`` for a record of another format, and ``NoRecord`` for an empty database if ``create`` is
    false.
    """
    await kind_of(connection).alone(connection, _SETUP_LOCK_ID)
    found = await _format(connection)
    if found is None:
        if not create:
            raise NoRecord
        await connection.run_sync(tables.metadata.create_all)
        new = {"id": 1, "position": 0, "format": tables.RECORD_FORMAT, "record_id": str(uuid.uuid4())}
        await connection.execute(insert(tables.counter).values(new))
    else:
        await _check(connection, found)
    return str((await connection.execute(select(tables.counter.c.record_id))).scalar_one())


async def _check(connection: AsyncConnection, found: int) -> None:
    """Raise ``OtherFormat`` unless this version can serve a record of the format ``found``."""
    if found == tables.RECORD_FORMAT:
        return
    before = {step.name for step in MIGRATIONS if step.is_before and step.format == tables.RECORD_FORMAT}
    missing = before - await _list_completed(connection)
    if found != tables.RECORD_FORMAT - 1 or not before or missing:
        raise OtherFormat(found, sorted(missing))


async def migrate(url: str, taken: Callable[[Migration], None] = lambda _: None, *, before: bool = False) -> int | None:
    """Migrate the record at ``url`` to the format of this version. Return the format that it had.

    With ``before`` only the ``pre-`` migrations of this format run, and the old version can continue. The result is
    then None for a missing record, since a new one gets the current format. ``taken`` is called after each migration.

    Raises ``RecordError`` if the record is missing or has a newer format, if the database fails, and with ``before`` if
    the format is older than the previous one. Completed migrations remain.
    """
    try:
        parsed = parse(url)
        kind = kind_of(parsed)
        if not kind.may_exist(parsed):
            if before:
                return None
            raise none_at(parsed)
        backend = kind(parsed)
    except (UnknownDatabase, OSError) as error:
        raise RecordError(str(error)) from error
    had: int | None = None
    moved, tries = False, 0
    try:
        while True:
            try:
                found, step = await _take_next(backend, parsed, before=before)
            except (SQLAlchemyError, OSError) as error:
                tries += 1
                if tries == MAX_MIGRATION_ATTEMPTS or not kind.is_held(error):
                    raise
                _log.info("the migration waits for other transactions: %s", unusable(parsed, error))
                await asyncio.sleep(MIGRATION_RETRY_SECONDS)
                continue
            had, moved, tries = had if moved else found, True, 0
            if step is None:
                return had
            taken(step)
    except (SQLAlchemyError, OSError) as error:
        raise unusable(parsed, error) from error
    finally:
        await backend.close()


async def _take_next(backend: Backend, url: URL, *, before: bool) -> tuple[int | None, Migration | None]:
    """Run the next migration in a transaction. Return the format found, and the migration or None."""
    async with backend.writing() as connection:
        await backend.alone(connection, _SETUP_LOCK_ID)
        await backend.wait_for_locks(connection, LOCK_SECONDS)
        found = await _format(connection)
        if found is None and not before:
            raise none_at(url)
        if found is None or found == tables.RECORD_FORMAT:
            return found, None
        if not OLDEST_RECORD_FORMAT <= found < tables.RECORD_FORMAT:
            raise RecordError(f"the record at {format_url(url)} {OtherFormat(found)}")
        if before and found < tables.RECORD_FORMAT - 1:
            raise RecordError(
                f"the record at {format_url(url)} has format {found}, and can be made ready for format "
                f"{found + 1} while "
                f"others use it, not for format {tables.RECORD_FORMAT}: install the version between first, or end all "
                "processes and run `faristol record migrate` without --pre"
            )
        done = await _list_completed(connection)
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
    """Return the format of the record; None for an empty database."""
    if not await connection.run_sync(lambda there: inspect(there).has_table(tables.counter.name)):
        return None
    return int((await connection.execute(select(tables.counter.c.format))).scalar_one())


async def _salts(connection: AsyncConnection) -> None:
    """Add the salts of names. Existing names remain unbound until an event registers the person again."""
    kind = LargeBinary().compile(dialect=connection.dialect)
    await connection.execute(text(f"ALTER TABLE people ADD COLUMN salt {kind}"))


async def _details(connection: AsyncConnection) -> None:
    """Add the further details of persons."""
    await connection.execute(text("ALTER TABLE people ADD COLUMN details TEXT"))
    for statement in kind_of(connection).without_samples("people", "details"):
        await connection.execute(text(statement))


async def _use_details(connection: AsyncConnection) -> None:
    """Change no table. From this format on, further details can be stored, as no version without them runs."""


async def _log_tables(connection: AsyncConnection) -> None:
    """Add the tables of the transparency log. The log is built from the first event when a process signs it."""
    kind = LargeBinary().compile(dialect=connection.dialect)
    key = BigInteger().with_variant(Integer, "sqlite").compile(dialect=connection.dialect)
    await connection.execute(
        text(
            "CREATE TABLE log_tiles (level INTEGER NOT NULL, number BIGINT NOT NULL,"
            f" hashes {kind} NOT NULL, PRIMARY KEY (level, number))"
        )
    )
    await connection.execute(
        text(
            f"CREATE TABLE log_checkpoints (size {key} NOT NULL, origin VARCHAR(200) NOT NULL, root {kind} NOT NULL,"
            " note TEXT NOT NULL, made_at BIGINT NOT NULL, published_at BIGINT, PRIMARY KEY (size))"
        )
    )


async def _use_log(connection: AsyncConnection) -> None:
    """Change no table. From this format on, the log can be built."""


async def _list_completed(connection: AsyncConnection) -> set[str]:
    """Return the names of the completed ``pre-`` migrations of the next format."""
    if not await connection.run_sync(lambda there: inspect(there).has_table(_TAKEN)):
        return set()
    return set((await connection.execute(text(f"SELECT name FROM {_TAKEN}"))).scalars())  # noqa: S608 # a constant name


async def _note(connection: AsyncConnection, name: str) -> None:
    """Store the name of a completed ``pre-`` migration for processes that start."""
    if not await connection.run_sync(lambda there: inspect(there).has_table(_TAKEN)):
        await connection.execute(text(f"CREATE TABLE {_TAKEN} (name VARCHAR(64) PRIMARY KEY)"))
        for statement in kind_of(connection).readable(_TAKEN):
            await connection.execute(text(statement))
    await connection.execute(text(f"INSERT INTO {_TAKEN} VALUES (:name)"), {"name": name})  # noqa: S608 # as above


OLDEST_RECORD_FORMAT = 1
"""The oldest format that can be migrated."""

MIGRATIONS: Sequence[Migration] = (
    Migration("post-0002-salts", _salts),
    Migration("pre-0003-details", _details),
    Migration("post-0003-details", _use_details),
    Migration("pre-0004-log", _log_tables),
    Migration("post-0004-log", _use_log),
)
"""Migrations in order: for each format any number of ``pre-``, then exactly one ``post-``."""
