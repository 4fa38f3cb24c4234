"""Counts of wrong PINs by address and by known device, in memory: the record has no addresses of persons."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta

from faristol.access_control.state import Guesses, one_more
from faristol.kernel.bounded import store_bounded

REMEMBERED_COUNT = 20_000
"""Limit of counted addresses and devices. An evicted one starts again at 0."""

FORGIVEN_COUNT = 2
"""Number of wrong PINs that a right one cancels: many users of a hall share an address, and mistype."""


class Counts:
    """Counts of wrong PINs by key. The first ``free`` of them cause no pause."""

    def __init__(self, free: int) -> None:
        self._free = free
        self._known: OrderedDict[str, Guesses] = OrderedDict()

    def pause(self, key: str, now: datetime) -> timedelta:
        """Return the remaining pause of a key; 0 for none."""
        known = self._known.get(key)
        return max(timedelta(0), known.free_from(self._free) - now) if known else timedelta(0)

    def add_wrong(self, key: str, now: datetime) -> None:
        """Count a wrong PIN of a key."""
        store_bounded(self._known, key, one_more(self._known.pop(key, None), now), REMEMBERED_COUNT)

    def add_right(self, key: str) -> None:
        """Cancel some of the wrong PINs of a key."""
        known = self._known.pop(key, None)
        if known and known.wrong > FORGIVEN_COUNT:
            self._known[key] = known._replace(wrong=known.wrong - FORGIVEN_COUNT)
