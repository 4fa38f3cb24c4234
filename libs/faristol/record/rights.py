"""What a process has to be allowed in its database, where the database tells roles from each other."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Table

from faristol.record import tables
from faristol.record.errors import RecordError

Privilege = Literal["SELECT", "INSERT", "UPDATE", "DELETE"]


class NoRoles(RecordError):
    """The database does not tell roles from each other."""


@dataclass(frozen=True, slots=True)
class Right:
    """What may be done with a table."""

    table: Table
    privileges: Sequence[Privilege]
    columns: Collection[str] = ()
    """The columns that alone may be updated; every one where none are named."""


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
    # A name may be put right by registering the person again; only the owner takes one away.
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
    *_PROGRESS,
)
"""Of who decides: appends facts, with the names and notes beside them, and seals. Nobody changes or removes a fact."""

_PROGRESS_TABLES = {right.table.name for right in _PROGRESS}

READS = (
    *(_may(table, "SELECT") for table in tables.metadata.sorted_tables if table.name not in _PROGRESS_TABLES),
    *_PROGRESS,
)
"""Of who follows the record: reads all of it, and says how far it came."""
