"""Order of items on cut sheets, and font sizes of names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeVar

T = TypeVar("T")

_SIZES = ((22, "large"), (40, "middle"), (80, "small"))


def stack_pages(items: Sequence[T], parts: int) -> list[list[T | None]]:
    """Return pages of ``parts`` items, arranged so that cutting the pile and stacking its parts restores the order.

    First come the first parts of all pages, then the second parts: of 8 items on pages of 2, page 1 has items 1 and 5.
    Unused parts of the last pages are None.
    """
    pages = -(-len(items) // parts)
    piles = [items[start * pages : (start + 1) * pages] for start in range(parts)]
    return [list(page) for page in zip_longest(*piles)] if pages else []


def name_size(name: str) -> str:
    """Return the CSS class of a name: longer names are smaller, so that 200 characters fit."""
    return next((css for most, css in _SIZES if len(name) <= most), "tiny")
