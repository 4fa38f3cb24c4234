"""In which order things stand on paper, and how large a name can be written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeVar

T = TypeVar("T")

_SIZES = ((22, "large"), (40, "middle"), (80, "small"))


def stacked(items: Sequence[T], parts: int) -> list[list[T | None]]:
    """Pages of ``parts`` each, so that they are in order when the whole pile is cut and its parts are laid together.

    The first part of every page comes before the second part of the first: of 8 on pages of 2 the first page has the
    first and the fifth. None where the last pages have a part to spare.
    """
    pages = -(-len(items) // parts)
    piles = [items[start * pages : (start + 1) * pages] for start in range(parts)]
    return [list(page) for page in zip_longest(*piles)] if pages else []


def name_size(name: str) -> str:
    """The class by which a name is written: the longer, the smaller, so that 200 characters stay in their field."""
    return next((css for most, css in _SIZES if len(name) <= most), "tiny")
