"""The beginning of a sequence, without a copy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TypeVar, overload

T_co = TypeVar("T_co", covariant=True)


class Prefix(Sequence[T_co]):
    """The first ``length`` items of a sequence, which must not change.

    A question about each of n events asks for those before it: copies of them would take O(n²) time.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Sequence[T_co], length: int) -> None:
        self._items = items
        self._length = min(length, len(items))

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | Sequence[T_co]:
        """Return the item at an index, or a copy of a slice."""
        found = range(self._length)[index]
        return self._items[found] if isinstance(found, int) else [self._items[place] for place in found]

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T_co]:
        return islice(self._items, self._length)
