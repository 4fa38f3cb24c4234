"""Wrong PINs by address and by known device, in memory: no address of a person is ever on the record."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime, timedelta

from faristol.credentials.guesses import Guesses, one_more
from faristol.kernel.bounded import keep

REMEMBERED_COUNT = 20_000
"""Addresses and devices whose wrong PINs are counted. The one that is forgotten begins anew."""

FORGIVEN_COUNT = 2
"""Wrong PINs that a right one makes good: in a hall many share one address, and people mistype."""


class Counts:
    """Wrong PINs by a key. ``free`` of them cost no pause."""

    def __init__(self, free: int) -> None:
        self._free = free
        self._known: OrderedDict[str, Guesses] = OrderedDict()

    def pause(self, key: str, now: datetime) -> timedelta:
        """Give how long a key has to wait; 0 where it need not."""
        known = self._known.get(key)
        return max(timedelta(0), known.free_from(self._free) - now) if known else timedelta(0)

    def add_wrong(self, key: str, now: datetime) -> None:
        """Count a wrong PIN of a key."""
        keep(self._known, key, one_more(self._known.pop(key, None), now), REMEMBERED_COUNT)

    def add_right(self, key: str) -> None:
        """Forgive a key some of its wrong PINs."""
        known = self._known.pop(key, None)
        if known and known.wrong > FORGIVEN_COUNT:
            self._known[key] = known._replace(wrong=known.wrong - FORGIVEN_COUNT)
