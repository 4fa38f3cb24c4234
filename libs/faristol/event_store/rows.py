"""Type-checked reads of rows that may have been tampered with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store.backends.databases import kind_of
from faristol.event_store.errors import CorruptData


def _columns(rows: Sequence[Any], types: Sequence[type]) -> Iterator[tuple[Sequence[Any], type]]:
    """Return the columns of rows, each with its type: a check by columns takes a third of the time of one by values."""
    return zip(zip(*rows, strict=True), types, strict=True) if rows else iter(())


async def read(
    connection: AsyncConnection, query: Select[Any], values: Mapping[str, object], types: Sequence[type], what: str
) -> Sequence[Any]:
    """Return the rows of a query whose columns have these types; the type of the first, the position, is always right.

    At a value of another type, the result ends before its row if the query takes ``most``. Raises ``CorruptData`` if
    it is in the first row: "position 7: ``what`` has …".
    """
    failure: Exception | None = None
    try:
        rows: Sequence[Any] = (await connection.execute(query, values)).all()
        if all(set(map(type, column)) == {expected} for column, expected in _columns(rows, types)):
            return rows
    except (DBAPIError, TypeError, ValueError) as error:  # for example a text that is not UTF-8, or a malformed blob
        failure = error
    wrong = await kind_of(connection).misfit(connection, query, values, types)
    if wrong is None:
        raise failure or AssertionError("Python and the database call the same types by other names")
    if wrong.before and "most" in values:
        return await read(connection, query, {**values, "most": wrong.before}, types, what)
    raise CorruptData(f"position {wrong.position}: {what} has {wrong.found}")
