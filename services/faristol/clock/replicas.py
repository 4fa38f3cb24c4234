"""Replicas of a task, which share its keys instead of competing for them."""

from __future__ import annotations

import asyncio
import logging
import uuid
import zlib
from collections import OrderedDict

from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES
from faristol.kernel.bounded import store_bounded

MAX_ACTIVE_REPLICAS = 64
"""Limit of active replicas; further ones wait."""
REPLICA_LEASE_SECONDS = 10.0
"""Duration of a replica's lease, in seconds."""
REPLICA_RENEWAL_SECONDS = 3.0
"""Interval of lease renewals, in seconds."""
MAX_CACHED_OWNERS = 16_384
"""Limit of keys whose owner is cached."""

_log = logging.getLogger(__name__)


class Replicas:
    """The replicas of a task by their leased places, and the assignment of keys to them.

    A key belongs to the replica with the highest hash of place and key (rendezvous hashing): if a replica joins or
    leaves, only its own share moves. For some seconds two replicas may disagree, or an owner may be dead. Callers must
    therefore resolve conflicts by the record, and take over work that is not done in time.
    """

    def __init__(self, record: Record, name: str) -> None:
        self._record = record
        self._names = {f"{name}/{place}": place for place in range(MAX_ACTIVE_REPLICAS)}
        self._holder = str(uuid.uuid4())
        self._mine: str | None = None
        """The lease name of this replica's place."""
        self._live: tuple[int, ...] = ()
        self._owners: OrderedDict[str, int] = OrderedDict()
        """Cached owners, by key."""
        self._look_at = 0.0

    async def look(self) -> None:
        """Renew the lease and read the live replicas, at most once per interval. Raises errors of the database."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._look_at:
            return
        if self._mine is None or not await self._record.lease(self._mine, self._holder, REPLICA_LEASE_SECONDS):
            self._mine = await self._place()
        live = tuple(
            sorted(self._names[name] for name in await self._record.holders(self._names, REPLICA_LEASE_SECONDS))
        )
        if live != self._live:
            self._live = live
            self._owners.clear()
        self._look_at = loop.time() + REPLICA_RENEWAL_SECONDS

    async def _place(self) -> str | None:
        """Lease a free place and return its name, or None if all are taken."""
        taken = await self._record.holders(self._names, REPLICA_LEASE_SECONDS)
        for name in self._names:
            if name not in taken and await self._record.lease(name, self._holder, REPLICA_LEASE_SECONDS):
                return name
        _log.warning("all %d places are in use: this replica is on standby", MAX_ACTIVE_REPLICAS)
        return None

    async def leave(self) -> None:
        """Release the place, so that the others need not wait for its lease to expire."""
        if self._mine is not None:
            try:
                await self._record.release(self._mine, self._holder)
            except FAILURES as error:
                _log.info("a place among replicas expires by itself: %s", error)

    def owner_of(self, key: str) -> int:
        """Return the place of the replica that owns ``key``; -1 if none is known."""
        found = self._owners.get(key)
        if found is None:
            found = max(self._live, key=lambda place: zlib.crc32(f"{place}/{key}".encode()), default=-1)
            store_bounded(self._owners, key, found, MAX_CACHED_OWNERS)
        return found

    def owns(self, key: str) -> bool:
        """Check whether this replica owns ``key``."""
        return self._mine is not None and self.owner_of(key) == self._names[self._mine]
