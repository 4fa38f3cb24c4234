"""The rights of a process in a database with roles."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Table

from faristol.event_store.backends import tables
from faristol.event_store.errors import RecordError

Privilege = Literal["SELECT", "INSERT", "UPDATE", "DELETE"]


class NoRoles(RecordError):
    """The database has no roles."""


@dataclass(frozen=True, slots=True)
class Right:
    """The privileges on a table."""

    table: Table
    privileges: Sequence[Privilege]
    columns: Collection[str] = ()
    """Columns that may be updated; empty for all."""


def _may(table: Table, *privileges: Privilege, columns: Collection[str] = ()) -> Right:
    return Right(table, privileges, columns)


_PROGRESS = (
    _may(tables.checkpoints, "SELECT", "INSERT", "UPDATE", "DELETE"),
    _may(tables.leases, "SELECT", "INSERT", "UPDATE"),
)

WRITES = (
    _may(tables.events, "SELECT", "INSERT"),
    _may(tables.counter, "SELECT", "UPDATE", columns=("position",)),
    _may(tables.commands, "SELECT", "INSERT"),
    # A registration may correct a name; only the owner of the tables may delete one.
    _may(
        tables.people,
        "SELECT",
        "INSERT",
        "UPDATE",
        columns=[column.name for column in tables.people.c if not column.primary_key],
    ),
    _may(tables.notes, "SELECT", "INSERT"),
    _may(tables.erased, "SELECT"),
    _may(tables.seals, "SELECT", "INSERT"),
    _may(tables.log_tiles, "SELECT", "INSERT", "UPDATE", columns=("hashes",)),
    _may(tables.log_checkpoints, "SELECT", "INSERT", "UPDATE", columns=("note", "published_at")),
    *_PROGRESS,
)
"""Rights of a process that decides: it appends events with names and notes, and seals.

It cannot change or delete an event.
"""

_PROGRESS_TABLES = {right.table.name for right in _PROGRESS}

READS = (
    *(_may(table, "SELECT") for table in tables.metadata.sorted_tables if table.name not in _PROGRESS_TABLES),
    *_PROGRESS,
)
"""Rights of a process that only reads the record and stores its checkpoints."""
