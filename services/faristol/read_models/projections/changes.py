"""Changes of rows that need no function of their own: fields of an event in columns, and items in lists. Pure.

Each function returns the change of a row by an event; further arguments, such as its position, do not matter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from faristol.kernel.likeness import read_shared_fields

Change = Callable[..., None]
"""Takes a row and an event."""


def copies(**fields: str) -> Change:
    """Copy fields of the event to columns: by each column, its field."""

    def change(row: Any, event: Any, *_: object) -> None:
        for column, field in fields.items():
            setattr(row, column, getattr(event, field))

    return change


def sets(**values: object) -> Change:
    """Set columns to these values."""

    def change(row: Any, event: Any, *_: object) -> None:
        for column, value in values.items():
            setattr(row, column, value)

    return change


def adds(column: str, kind: type[Any]) -> Change:
    """Append to a list an item with the fields of the event."""

    def change(row: Any, event: Any, *_: object) -> None:
        setattr(row, column, (*getattr(row, column), kind(**read_shared_fields(event, kind))))

    return change


def removes(column: str, by: str) -> Change:
    """Remove from a list the items with the field ``by`` of the event."""

    def change(row: Any, event: Any, *_: object) -> None:
        wanted = getattr(event, by)
        setattr(row, column, tuple(each for each in getattr(row, column) if getattr(each, by) != wanted))

    return change


def replaces(column: str, kind: type[Any], by: str) -> Change:
    """Add to a sorted list an item with the fields of the event, in place of those with its field ``by``."""
    remove, add = removes(column, by), adds(column, kind)

    def change(row: Any, event: Any, *_: object) -> None:
        remove(row, event)
        add(row, event)
        setattr(row, column, tuple(sorted(getattr(row, column))))

    return change
