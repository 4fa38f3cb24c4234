"""The tables in use of a projection: one row names them, and an update of that row switches to others."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import MetaData, Table, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import tables
from faristol.consumers.work import Projection
from faristol.event_store import Record
from faristol.event_store.backends.databases import kind_of
from faristol.event_store.backends.tables import checkpoints
from faristol.event_store.backends.tables import metadata as of_record
from faristol.event_store.event import microseconds, utc_now
from faristol.event_store.positions import start_checkpoint

T = TypeVar("T")

_live, _all = tables.projections, tables.generations
_PARKED = (tables.parked.c.consumer == _live.c.consumer) & (tables.parked.c.key == bindparam("key"))
_READ = (
    select(
        _live.c.version,
        _live.c.generation,
        _live.c.consumer,
        func.coalesce(tables.parked.c.done, checkpoints.c.position).label("position"),
    )
    .join_from(_live, checkpoints, checkpoints.c.consumer == _live.c.consumer)
    .join(tables.parked, _PARKED, isouter=True)
    .where(_live.c.name == bindparam("name"), _live.c.version <= bindparam("version"))
    .order_by(_live.c.version.desc())
    .limit(1)
)


class NotBuilt(Exception):
    """The projection has no readable tables yet."""


class ProjectionError(Exception):
    """A request of an operator for a projection is impossible; the message states the reason."""


@dataclass(frozen=True, slots=True)
class Live:
    """The tables in use of a projection, and their position."""

    version: int
    generation: int
    position: int
    """Position of the record that the rows include."""


async def live(connection: AsyncConnection, projection: Projection, key: str = "") -> Live:
    """Return the tables that this version of the projection reads: its own, or those of an older version until then.

    The position is that of the rows of ``key``, which are behind the others while it is parked. Raises ``NotBuilt`` if
    no tables exist.
    """
    values = {"key": key, "name": projection.name, "version": projection.version}
    row = (await connection.execute(_READ, values)).one_or_none()
    if row is None:
        raise NotBuilt(f"{projection.consumer} is not built yet")
    return Live(row.version, row.generation, row.position)


async def read(
    record: Record, projection: Projection, look: Callable[[AsyncConnection, Live], Awaitable[T]], key: str = ""
) -> tuple[T, Live]:
    """Return the result of ``look`` on the tables in use, from one snapshot, and the position of ``key``.

    If a switch happens in between, it looks again. Raises ``NotBuilt``, also if the tables in use are those of an older
    version and lack a column, and the exceptions of ``look``.
    """
    before: Live | None = None
    while True:
        async with record.reading() as connection:
            found = await live(connection, projection, key)
            try:
                return await look(connection, found), found
            except DBAPIError as error:
                # The tables may have been dropped after a switch: then there is a new generation.
                if before and (before.version, before.generation) == (found.version, found.generation):
                    if found.version < projection.version and kind_of(connection).lacks_column(error):
                        raise NotBuilt(f"{projection.consumer} is not built yet") from error
                    raise
                before = found


async def own(connection: AsyncConnection, projection: Projection) -> int | None:
    """Return the generation in use of this version; None if it has no tables."""
    query = select(_live.c.generation).where(_live.c.name == projection.name, _live.c.version == projection.version)
    found: int | None = (await connection.execute(query)).scalar_one_or_none()
    return found


async def create_first_generation(connection: AsyncConnection, projection: Projection) -> None:
    """Create the tables of a projection that has none of any version, for reading from the start."""
    await tables.make(connection)
    await checkpoint_held(connection, projection.consumer)
    names = await connection.execute(select(func.count()).where(_live.c.name == projection.name))
    if names.scalar_one():
        return
    # A rebuild before the first start, perhaps interrupted, has already used numbers.
    first = projection.at(await next_generation(connection, projection.name, projection.version))
    await add(connection, first)
    await _read_from_now_on(connection, first)


async def add(connection: AsyncConnection, projection: Projection) -> None:
    """Create the tables of a generation that is not in use yet."""
    await tables.make(connection, projection.tables)
    await connection.execute(
        insert(_all).values(
            name=projection.name,
            version=projection.version,
            generation=projection.generation,
            tables=" ".join(table.name for table in projection.tables.sorted_tables),
            position=0,
            since=microseconds(utc_now()),
        )
    )


async def next_generation(connection: AsyncConnection, name: str, version: int) -> int:
    """Return a number that no generation of this version has or had. The caller must hold the live checkpoint."""
    table = tables.numbers
    given = select(table.c.generation).where(table.c.name == name, table.c.version == version)
    there = select(func.max(_all.c.generation)).where(_all.c.name == name, _all.c.version == version)
    number = max([(await connection.execute(query)).scalar() or 0 for query in (given, there)]) + 1
    noted = kind_of(connection).upsert(table, ["generation"])
    await connection.execute(noted.values(name=name, version=version, generation=number))
    return number


async def built_to(connection: AsyncConnection, projection: Projection, position: int) -> bool:
    """Note the position of a rebuild. Return False if its tables were dropped: another rebuild has replaced it."""
    moved = await connection.execute(
        update(_all)
        .where(
            _all.c.name == projection.name,
            _all.c.version == projection.version,
            _all.c.generation == projection.generation,
        )
        .values(position=position)
    )
    return moved.rowcount == 1


async def checkpoint_held(connection: AsyncConnection, consumer: str) -> int:
    """Lock the live checkpoint until the end of this transaction, and return it.

    Every switch or drop of tables locks it first, so the tables in use cannot change between a check and a drop.
    """
    await start_checkpoint(connection, consumer)
    query = select(checkpoints.c.position).where(checkpoints.c.consumer == consumer).with_for_update()
    return int((await connection.execute(query)).scalar_one())


async def switch(connection: AsyncConnection, projection: Projection, position: int) -> None:
    """Switch to this generation, whose rows include the record up to ``position``, the live checkpoint."""
    await connection.execute(
        update(checkpoints).where(checkpoints.c.consumer == projection.consumer).values(position=position)
    )
    await _read_from_now_on(connection, projection)


async def _read_from_now_on(connection: AsyncConnection, projection: Projection) -> None:
    values = {"generation": projection.generation, "consumer": projection.consumer, "since": microseconds(utc_now())}
    row = kind_of(connection).upsert(_live, values)
    await connection.execute(row.values(name=projection.name, version=projection.version, **values))


async def drop_unread(connection: AsyncConnection, name: str, version: int, generation: int | None = None) -> None:
    """Drop a generation of a version, or all of them, unless it is in use. The caller must hold the live checkpoint."""
    reads = select(_live.c.generation).where(_live.c.name == name, _live.c.version == version)
    this = (_all.c.name == name) & (_all.c.version == version) & _all.c.generation.not_in(reads)
    if generation is not None:
        this &= _all.c.generation == generation
    for names in (await connection.execute(select(_all.c.tables).where(this))).scalars().all():
        await _drop_tables(connection, names.split())
    await connection.execute(delete(_all).where(this))


async def drop(record: Record, name: str, version: int) -> None:
    """Drop a version: its tables, its checkpoint, its row. A running process of that version creates it again.

    Raises ``ProjectionError`` if the version does not exist, if it is the newest one, or if it names tables of the
    record.
    """
    async with record.writing() as connection:
        await tables.make(connection)
        rows = (await connection.execute(select(_live).where(_live.c.name == name))).all()
        this = next((row for row in rows if row.version == version), None)
        if this is None:
            there = ", ".join(str(row.version) for row in rows) or "none"
            raise ProjectionError(f"there is no version {version} of the projection {name!r}; there are: {there}")
        if version == max(row.version for row in rows):
            raise ProjectionError(f"version {version} of {name} is the version in use: rebuild it, or keep it")
        await checkpoint_held(connection, this.consumer)
        await next_generation(connection, name, version)  # its numbers are not reused if it is created again
        await connection.execute(delete(_live).where(_live.c.name == name, _live.c.version == version))
        await connection.execute(delete(checkpoints).where(checkpoints.c.consumer == this.consumer))
        await connection.execute(delete(tables.stopped).where(tables.stopped.c.consumer == this.consumer))
        await connection.execute(delete(tables.parked).where(tables.parked.c.consumer == this.consumer))
        await drop_unread(connection, name, version)


async def _drop_tables(connection: AsyncConnection, names: Sequence[str]) -> None:
    """Drop tables of a projection. Raises ``ProjectionError`` for a table of the record or a protected table."""
    kept = {name for of in tables.SERVICE_TABLES.values() for name in of}
    for name in names:
        if name in of_record.tables or name in tables.metadata.tables or name in kept:
            raise ProjectionError(f"a row of {_all.name} names {name}, which is not a read model: delete the row")
    gone = MetaData()
    for name in names:
        Table(name, gone)
    await connection.run_sync(gone.drop_all)
