"""The distribution of consumers over replicas: each consumer runs in one replica, by a lease, in fair shares."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import socket
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager

from sqlalchemy import ColumnElement, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES
from faristol.event_store.backends.tables import leases
from faristol.event_store.leases import is_held, take_lease

CONSUMER_LEASE_SECONDS = 4.0
"""Seconds after which a lease expires: the longest pause of a consumer whose replica died, plus one beat."""
LEASE_RENEWAL_SECONDS = 1.0
"""Seconds between two rounds, which renew the leases of this process."""

WORK = "work:"
"""Prefix of the lease on a consumer's work; its name follows."""
_REPLICA = "replica:"
"""Prefix of the lease that marks a replica as present."""

_IS_WORK = leases.c.name.startswith(WORK, autoescape=True)
_OURS = or_(_IS_WORK, leases.c.name.startswith(_REPLICA, autoescape=True))
_MAX_HOLDER_CHARACTERS = 64
"""Largest number of characters of a holder in the record."""

_log = logging.getLogger(__name__)


def holder_of(address: str) -> str:
    """Return the name, as a holder of leases, of a process that listens at an address.

    After a restart at the same address it is the same holder, and resumes with its leases at once.
    """
    name = f"{socket.gethostname()}/{address}"
    if len(name) > _MAX_HOLDER_CHARACTERS:
        digest = hashlib.sha256(name.encode()).hexdigest()[:8]
        name = f"{digest}-{name[9 - _MAX_HOLDER_CHARACTERS :]}"
    return name


async def holders_of_work(connection: AsyncConnection, now: ColumnElement[int]) -> dict[str, str]:
    """Return the process that works for each consumer; ``now`` is ``Record.time``."""
    rows = select(leases.c.name, leases.c.holder).where(_IS_WORK, is_held(now, CONSUMER_LEASE_SECONDS))
    return {row.name.removeprefix(WORK): row.holder for row in await connection.execute(rows)}


class WorkShare:
    """Whether this process works for a consumer at present."""

    def __init__(self, *, held: bool = False) -> None:
        """A share that is ``is_held`` from the start is for a consumer without other replicas."""
        self._held = asyncio.Event()
        self.works = False
        """Whether the consumer is working."""
        if held:
            self._held.set()

    @property
    def held(self) -> bool:
        """Whether this process works for the consumer, and continues to."""
        return self._held.is_set()

    async def begin(self) -> None:
        """Wait until this process holds the share."""
        await self._held.wait()

    @contextmanager
    def working(self) -> Iterator[None]:
        """Mark the consumer as working: another replica waits for the end, unless this process dies."""
        self.works = True
        try:
            yield
        finally:
            self.works = False

    def tell(self, *, held: bool) -> None:
        """Start the consumer, or have it stop after its current work."""
        if held:
            self._held.set()
        else:
            self._held.clear()


def plan(
    consumers: Collection[str], holders: Mapping[str, str], members: Collection[str], me: str
) -> tuple[Sequence[str], Sequence[str]]:
    """Decide which consumers a replica takes, and which ones it releases.

    ``holders`` are the replicas by consumer, ``members`` all replicas. A replica releases consumers beyond its fair
    share; all others remain in their places.
    """
    mine = [name for name in sorted(consumers) if holders.get(name) == me]
    free = [name for name in sorted(consumers) if name not in holders]
    least, more = divmod(len(consumers), len(members))
    most = least + bool(more)
    if len(mine) > most:
        return (), mine[most:]
    count = Counter(holder for name, holder in holders.items() if name in consumers)
    short = sum(max(0, least - count[member]) for member in members)
    if len(mine) > least and short > len(free):
        return (), mine[-1:]
    return free[: most - len(mine)], ()


class WorkShares:
    """The consumers of this process, and its shares in their work.

    A lease avoids duplicate work but is not needed for correctness: if two replicas work for a moment, the checkpoint
    discards the work of the slower one. So a process that cannot renew its leases, because its database is unavailable
    or full, continues until it reads that another process has them.

    Replicas share with those that have the same consumers: in addition to the leases on its work, each holds a lease on
    a number, so that all know their number.
    """

    def __init__(self, record: Record, holder: str, consumers: Collection[str]) -> None:
        self._record = record
        self.holder = holder
        self._shares = {name: WorkShare() for name in consumers}
        digest = hashlib.sha256(" ".join(sorted(consumers)).encode()).hexdigest()[:16]
        self._group = f"{_REPLICA}{digest}:"
        self._number = ""
        """The lease that marks this replica as present."""
        self._leaving: set[str] = set()
        """Consumers that are released after their current work."""

    def of(self, consumer: str) -> WorkShare:
        """Return the share in a consumer's work."""
        return self._shares[consumer]

    async def keep(self) -> None:
        """Run rounds until cancelled."""
        while True:
            await asyncio.sleep(LEASE_RENEWAL_SECONDS)
            await self.look()

    async def look(self) -> None:
        """Renew held leases, take free ones, and release excess ones."""
        try:
            await self._give_up()
            await self._look()
        except FAILURES as error:
            _log.info("the workers of consumers cannot be stored: %r", error)

    async def release(self) -> None:
        """Release all leases, so that other replicas need not wait for their expiry."""
        try:
            async with self._record.writing() as connection:
                this = leases.c.name.in_([*self._list_held_leases(), self._number])
                await connection.execute(update(leases).where(this, leases.c.holder == self.holder).values(until=0))
        except FAILURES as error:
            _log.info("the leases of consumers expire by themselves: %r", error)

    def _list_held_leases(self) -> list[str]:
        """Return the leases on work that this process has."""
        return sorted(WORK + name for name, share in self._shares.items() if share.held or name in self._leaving)

    async def _give_up(self) -> None:
        for name in [name for name in self._leaving if not self._shares[name].works]:
            await self._record.release(WORK + name, self.holder)
            self._leaving.discard(name)

    async def _look(self) -> None:
        """Run a round in one transaction. Its results apply after the commit."""
        async with self._record.writing() as connection:
            now = self._record.time(connection)
            until = now + round(CONSUMER_LEASE_SECONDS * 1_000_000)
            mine = leases.c.name.in_([*self._list_held_leases(), self._number])
            await connection.execute(update(leases).where(mine, leases.c.holder == self.holder).values(until=until))
            seen = select(leases.c.name, leases.c.holder).where(_OURS, is_held(now, CONSUMER_LEASE_SECONDS))
            found = {row.name: row.holder for row in await connection.execute(seen)}
            number = self._number
            if found.get(number) != self.holder:
                number = await self._take_number(connection, found)
                found[number] = self.holder
            members = {holder for name, holder in found.items() if name.startswith(self._group)}
            holders = {name: found[WORK + name] for name in self._shares if WORK + name in found}
            take, give = plan(self._shares.keys(), holders, members, self.holder)
            for name in take:
                if await self._take(connection, WORK + name):
                    holders[name] = self.holder
        self._number = number
        self._leaving = {name for name in (*self._leaving, *give) if holders.get(name) == self.holder}
        for name, share in self._shares.items():
            share.tell(held=holders.get(name) == self.holder and name not in self._leaving)

    async def _take_number(self, connection: AsyncConnection, found: Mapping[str, str]) -> str:
        """Take the lease on the first free number."""
        number = 0
        while True:
            name = f"{self._group}{number}"
            if found.get(name, self.holder) == self.holder and await self._take(connection, name):
                return name
            number += 1

    async def _take(self, connection: AsyncConnection, name: str) -> bool:
        now = self._record.time(connection)
        return await take_lease(connection, name, self.holder, now, CONSUMER_LEASE_SECONDS, CONSUMER_LEASE_SECONDS)
