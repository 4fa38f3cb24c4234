"""Long lists on pages in parts: a page with 1,000 rows and their forms has 2 MB, and takes seconds to render. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Generic, NamedTuple, TypeVar

from fastapi import Query

from faristol.gateway.api.parameters import DIGITS

T = TypeVar("T")

PART_ROWS = 100
"""Rows of a part."""

MAX_OFFSET = 1_000_000
"""Limit of an offset in a query."""

MAX_OFFSET_DIGITS = 6
"""Limit of the digits of an offset that a page reads itself."""

Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET), DIGITS]
"""Query parameter with the number of rows before those that are shown."""


class ListPart(NamedTuple, Generic[T]):
    """Rows of a list that a page shows, and their place in it."""

    rows: Sequence[T]
    first: int
    """Number of the first row, from 1."""
    total: int
    """Number of all rows."""

    @property
    def last(self) -> int:
        """Number of the last row."""
        return self.first + len(self.rows) - 1

    @property
    def before(self) -> int | None:
        """Offset of the part before; None at the beginning."""
        return max(0, self.first - 1 - PART_ROWS) if self.first > 1 else None

    @property
    def after(self) -> int | None:
        """Offset of the part after; None at the end."""
        return self.last if self.last < self.total else None


def read_offset(text: str) -> int:
    """Return the offset in a query; 0 for any other text."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= MAX_OFFSET_DIGITS else 0


def part_of(rows: Sequence[T], offset: int) -> ListPart[T]:
    """Return the part of a list at an offset; the first part for an offset beyond the list."""
    offset = offset if offset < len(rows) else 0
    return ListPart(rows[offset : offset + PART_ROWS], offset + 1, len(rows))
