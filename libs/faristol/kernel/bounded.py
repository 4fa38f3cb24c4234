"""A bounded cache."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def store_bounded(kept: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    """Store ``value``, and evict the first entry of ``kept`` if it has more than ``most`` entries."""
    kept[key] = value
    if len(kept) > most:
        kept.popitem(last=False)
