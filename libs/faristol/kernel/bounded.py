"""Memory of what was used last, with a bound."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def keep(kept: OrderedDict[K, V], key: K, value: V, most: int) -> None:
    """Keep ``value``, and forget the oldest in the order of ``kept`` where there are more than ``most``."""
    kept[key] = value
    if len(kept) > most:
        kept.popitem(last=False)
