"""The roles of a cell in its database: who decides, and who only reads and keeps read models."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum

from sqlalchemy import inspect, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.bus import tables as beside
from faristol.host.services import ASKING, RELAY, StartError
from faristol.record import Record, RecordError, rights, tables
from faristol.record.databases import kind_of, unusable
from faristol.record.rights import Right


class Role(StrEnum):
    """What a role of the database is for."""

    WRITER = "writer"
    READER = "reader"


READERS = frozenset({"results", RELAY})
"""Services that append nothing, and the projections that they keep."""

_BESIDE = tuple(Right(table, ("SELECT", "INSERT", "UPDATE", "DELETE")) for table in beside.metadata.sorted_tables)

_NO_READ_MODELS = tables.metadata.tables.keys() | beside.metadata.tables.keys()

RIGHTS: Mapping[Role, Sequence[Right]] = {
    Role.WRITER: (*rights.WRITES, *_BESIDE),
    Role.READER: (*rights.READS, *_BESIDE),
}


def role_of(services: Collection[str]) -> Role:
    """The role that is enough for a process with these services."""
    return Role.READER if set(services) <= READERS | ASKING else Role.WRITER


async def check(record: Record, services: Collection[str]) -> None:
    """Check that a process with these services may do its work in the database. Raises ``StartError``."""
    role = role_of(services)
    try:
        async with record.reading() as connection:
            missing = await kind_of(connection).missing(connection, RIGHTS[role])
            others = {} if missing else await _kept_by_others(connection, services)
    except SQLAlchemyError as problem:
        raise unusable(record.engine.url, problem) from problem
    if missing:
        raise StartError(
            f"the database does not let this process do what {', '.join(sorted(services))} must: {'; '.join(missing)}"
            f" (`faristol record roles --{role} NAME` grants it)"
        )

    if others:
        whose = ", ".join(sorted(set(others.values())))
        raise StartError(
            f"{whose} keeps the read models of {', '.join(sorted(set(services) & READERS))}, which this role does not"
            " see: let those services use that role, or leave them out here"
        )


async def _kept_by_others(connection: AsyncConnection, services: Collection[str]) -> Mapping[str, str]:
    """The tables of these services that another role of the database keeps, and which."""
    name = beside.generations.name
    if not await connection.run_sync(lambda sync: inspect(sync).has_table(name)):
        return {}
    asked = select(beside.generations.c.tables).where(beside.generations.c.name.in_(set(services) & READERS))
    kept = (await connection.execute(asked)).scalars()
    names = {table for row in kept for table in str(row).split()}
    names |= {table for service in services for table in beside.KEPT.get(service, ())}
    return await kind_of(connection).of_others(connection, names)


async def grant(record: Record, names: Mapping[Role, str]) -> None:
    """Give roles of the database, by name, what each is for; by a connection of who owns the tables.

    Read models, and what else a service keeps, become theirs who keep them where another role of the cell made them.
    Granting again changes nothing. Raises ``RecordError`` where that cannot be.
    """
    try:
        async with record.writing() as connection:
            await beside.make(connection)
            built = (await connection.execute(select(beside.generations.c.name, beside.generations.c.tables))).all()
            for role, name in names.items():
                own = [
                    table
                    for projection, kept in built
                    if _keeper(projection, names) is role
                    for table in _read_models(projection, str(kept))
                ]
                own += [
                    table for service, kept in beside.KEPT.items() if _keeper(service, names) is role for table in kept
                ]
                await kind_of(connection).grant(connection, name, RIGHTS[role], own)
    except SQLAlchemyError as problem:
        raise unusable(record.engine.url, problem) from problem


def _read_models(projection: str, kept: str) -> list[str]:
    """The tables of a projection, which carry its name. Raises ``RecordError`` where a row names any other.

    Every role of the cell writes these rows: they decide nothing about who owns the record.
    """
    found = kept.split()
    for table in found:
        if table in _NO_READ_MODELS or not table.startswith(f"{projection}_"):
            raise RecordError(
                f"the projection {projection!r} names {table!r}, which is no table of its own: somebody changed"
                f" {beside.generations.name}; look who, and delete the row"
            )
    return found


def _keeper(projection: str, names: Mapping[Role, str]) -> Role:
    """Who keeps the read models of a projection: it is called after its service, or is of one that appends."""
    return Role.READER if projection in READERS and Role.READER in names else Role.WRITER


def told(names: Mapping[Role, str]) -> Sequence[str]:
    """What was granted, a sentence for each role."""
    may = {
        Role.WRITER: "appends facts, and changes or removes none",
        Role.READER: "reads the record and keeps read models",
    }
    return [f"{name}: {may[role]}" for role, name in names.items()]
