"""Replicas of a task that split what there is to do, so that they do not race for it."""

from __future__ import annotations

import asyncio
import logging
import uuid
import zlib
from collections import OrderedDict

from faristol.kernel.bounded import keep
from faristol.record import Record
from faristol.record.databases import FAILURES

PLACES = 64
"""Replicas that can share the work; more than these keep nothing, and stand by."""
LEASE = 10.0
"""Seconds for which a replica has its place without a word."""
RENEW = 3.0
"""Seconds between two looks."""
REMEMBERED = 16_384
"""Keys of which it is remembered who keeps them."""

_log = logging.getLogger(__name__)


class Replicas:
    """The replicas of a task by the places that they have leased, and which of them keeps what.

    A key is kept by the replica that ranks highest for it by a hash of both, so where one comes or goes only its own
    share changes hands. For some seconds two replicas may disagree, or a key be kept by one that is dead: who relies
    on this lets the record decide who was first, and takes over what is not done in time.
    """

    def __init__(self, record: Record, name: str) -> None:
        self._record = record
        self._names = {f"{name}/{place}": place for place in range(PLACES)}
        self._holder = str(uuid.uuid4())
        self._mine: str | None = None
        """The name of the place that this replica has."""
        self._live: tuple[int, ...] = ()
        self._keepers: OrderedDict[str, int] = OrderedDict()
        """Who keeps what, as far as it was asked for."""
        self._look_at = 0.0

    async def look(self) -> None:
        """Keep the own place, and see who else is there; does nothing until it is time. Raises what databases raise."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._look_at:
            return
        if self._mine is None or not await self._record.lease(self._mine, self._holder, LEASE):
            self._mine = await self._place()
        live = tuple(sorted(self._names[name] for name in await self._record.holders(self._names, LEASE)))
        if live != self._live:
            self._live = live
            self._keepers.clear()
        self._look_at = loop.time() + RENEW

    async def _place(self) -> str | None:
        """Take a place that nobody has; None where there is none."""
        taken = await self._record.holders(self._names, LEASE)
        for name in self._names:
            if name not in taken and await self._record.lease(name, self._holder, LEASE):
                return name
        _log.warning("all %d places are taken: this replica stands by", PLACES)
        return None

    async def leave(self) -> None:
        """Give the place back, so that the others need not wait for the end of its lease."""
        if self._mine is not None:
            try:
                await self._record.release(self._mine, self._holder)
            except FAILURES as problem:
                _log.info("a place among replicas runs out by itself: %s", problem)

    def keeper(self, key: str) -> int:
        """The place of the replica that keeps ``key``; -1 while none is known."""
        found = self._keepers.get(key)
        if found is None:
            found = max(self._live, key=lambda place: zlib.crc32(f"{place}/{key}".encode()), default=-1)
            keep(self._keepers, key, found, REMEMBERED)
        return found

    def keeps(self, key: str) -> bool:
        """Whether this replica keeps ``key``."""
        return self._mine is not None and self.keeper(key) == self._names[self._mine]
