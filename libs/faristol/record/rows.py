"""Rows as they lie in the database, when somebody may have put anything there.

PostgreSQL keeps what its columns are declared to hold. SQLite keeps any value in any column, and text that is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import LargeBinary, Select, cast, func
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

_KINDS: Mapping[type, str] = {int: "integer", str: "text", bytes: "blob"}
"""What SQLite calls the types that we write."""


class Wrong(Exception):
    """Something is not as it was written. The message says what and where."""


async def read(
    connection: AsyncConnection, query: Select[Any], values: Mapping[str, object], types: Sequence[type], what: str
) -> Sequence[Any]:
    """The rows of a query whose columns have these types; the first is the position, which SQLite keeps right.

    When a value has another type, the rows before it are given if the query takes ``most``. When it is in the first
    row, ``Wrong`` is raised: "position 7: ``what`` has …".
    """
    try:
        rows: Sequence[Any] = (await connection.execute(query, values)).all()
        right = all(type(value) is expected for row in rows for value, expected in zip(row, types, strict=True))
    except (DBAPIError, TypeError, ValueError):  # a text that is no UTF-8, a blob that is none
        if connection.dialect.name != "sqlite" or await _first_wrong(connection, query, values, types) is None:
            raise
        right = False
    if right:
        return rows
    wrong = await _first_wrong(connection, query, values, types)
    assert wrong, "Python and SQLite call the same types by other names"
    if wrong.before and "most" in values:
        return await read(connection, query, {**values, "most": wrong.before}, types, what)
    raise Wrong(f"position {wrong.position}: {what} has {wrong.found}")


@dataclass(frozen=True, slots=True)
class _Strange:
    """A row in which a value is not what was written."""

    before: int
    """Rows before it."""
    position: int
    found: str


async def _first_wrong(
    connection: AsyncConnection, query: Select[Any], values: Mapping[str, object], types: Sequence[type]
) -> _Strange | None:
    """Where the first value of another type is."""
    columns = list(query.selected_columns)
    looked: list[Any] = [columns[0]]
    for column in columns:
        looked += [func.typeof(column), cast(column, LargeBinary)]
    for before, (position, *found) in enumerate(await connection.execute(query.with_only_columns(*looked), values)):
        for column, expected, kind, content in zip(columns, types, found[::2], found[1::2], strict=True):
            if kind != _KINDS[expected]:
                said = f"a value of type {kind} as its {column.name}, which is of type {_KINDS[expected]}"
                return _Strange(before, position, said)
            if expected is str and not _is_text(content):
                return _Strange(before, position, f"bytes that are no UTF-8 as its {column.name}")
    return None


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
