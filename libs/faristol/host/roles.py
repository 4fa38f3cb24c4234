"""The database roles of a cell: one that decides, and one that only reads the record and writes read models."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

from sqlalchemy import inspect, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.consumers import tables as beside
from faristol.event_store import Record, RecordError
from faristol.event_store.backends import rights, tables
from faristol.event_store.backends.databases import kind_of, unusable
from faristol.event_store.backends.rights import Right
from faristol.host.services import ASKING, RELAY, StartError


class Role(StrEnum):
    """Purpose of a role of the database."""

    WRITER = "writer"
    READER = "reader"


READERS = frozenset({"results", RELAY})
"""Services that append no events; their projections have the same names."""

_CONSUMER_TABLE_RIGHTS = tuple(
    Right(table, ("SELECT", "INSERT", "UPDATE", "DELETE")) for table in beside.metadata.sorted_tables
)

_NO_READ_MODELS = tables.metadata.tables.keys() | beside.metadata.tables.keys()

RIGHTS: Mapping[Role, Sequence[Right]] = {
    Role.WRITER: (*rights.WRITES, *_CONSUMER_TABLE_RIGHTS),
    Role.READER: (*rights.READS, *_CONSUMER_TABLE_RIGHTS),
}


def role_of(services: Collection[str]) -> Role:
    """Return the role that a process with these services needs."""
    return Role.READER if set(services) <= READERS | ASKING else Role.WRITER


async def check(record: Record, services: Collection[str]) -> None:
    """Check that a process with these services has its rights in the database. Raises ``StartError``."""
    role = role_of(services)
    try:
        async with record.reading() as connection:
            missing = await kind_of(connection).missing(connection, RIGHTS[role])
            others = {} if missing else await _kept_by_others(connection, services)
    except SQLAlchemyError as error:
        raise unusable(record.engine.url, error) from error
    if missing:
        raise StartError(
            f"the role of this process lacks rights for {', '.join(sorted(services))}: {'; '.join(missing)}"
            f" (`faristol record roles --{role} NAME` grants it)"
        )

    if others:
        whose = ", ".join(sorted(set(others.values())))
        raise StartError(
            f"{whose} keeps the read models of {', '.join(sorted(set(services) & READERS))}, which this role does not"
            " see: let those services use that role, or leave them out here"
        )


async def _kept_by_others(connection: AsyncConnection, services: Collection[str]) -> Mapping[str, str]:
    """Return the tables of these services that another database role owns, with their owners."""
    name = beside.generations.name
    if not await connection.run_sync(lambda sync: inspect(sync).has_table(name)):
        return {}
    asked = select(beside.generations.c.tables).where(beside.generations.c.name.in_(set(services) & READERS))
    kept = (await connection.execute(asked)).scalars()
    names = {table for row in kept for table in str(row).split()}
    names |= {table for service in services for table in beside.SERVICE_TABLES.get(service, ())}
    return await kind_of(connection).of_others(connection, names)


async def grant(record: Record, names: Mapping[Role, str]) -> None:
    """Grant database roles, given by name, their rights, on a connection of the tables' owner.

    Read models and other tables of a service are transferred to its role if another role of the cell created them. The
    call is idempotent. Raises ``RecordError`` on failure.
    """
    try:
        async with record.writing() as connection:
            await beside.make(connection)
            built = (await connection.execute(select(beside.generations.c.name, beside.generations.c.tables))).all()
            for role, name in names.items():
                own = [
                    table
                    for projection, kept in built
                    if _owner_of(projection, names) is role
                    for table in _read_models(projection, str(kept))
                ]
                own += [
                    table
                    for service, kept in beside.SERVICE_TABLES.items()
                    if _owner_of(service, names) is role
                    for table in kept
                ]
                await kind_of(connection).grant(connection, name, RIGHTS[role], own)
    except SQLAlchemyError as error:
        raise unusable(record.engine.url, error) from error


def _read_models(projection: str, kept: str) -> list[str]:
    """Return the tables of a projection, which have its name as prefix. Raises ``RecordError`` for any other name.

    Every role of the cell can write these rows, so they must not decide on the ownership of the record.
    """
    found = kept.split()
    for table in found:
        if table in _NO_READ_MODELS or not table.startswith(f"{projection}_"):
            raise RecordError(
                f"the projection {projection!r} names {table!r}, which is not its own table:"
                f" {beside.generations.name} was changed by hand, delete the row"
            )
    return found


def _owner_of(projection: str, names: Mapping[Role, str]) -> Role:
    """Return the role that owns the read models of a projection: a reading service's by its name, or the writer."""
    return Role.READER if projection in READERS and Role.READER in names else Role.WRITER


def describe_rights(names: Mapping[Role, str]) -> Sequence[str]:
    """Return a sentence for each role on its rights."""
    may = {
        Role.WRITER: "appends events, and cannot change or remove any",
        Role.READER: "reads the record and writes its read models",
    }
    return [f"{name}: {may[role]}" for role, name in names.items()]
