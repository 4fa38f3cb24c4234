"""A bounded cache, and batches of a bounded size."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")
T = TypeVar("T")


def store_bounded(kept: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    """Store ``value``, and evict the first entry of ``kept`` if it has more than ``most`` entries."""
    kept[key] = value
    if len(kept) > most:
        kept.popitem(last=False)


def split_batches(values: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield ``values`` in order, in batches of ``size``; the last one may be smaller."""
    return (values[start : start + size] for start in range(0, len(values), size))
