"""The end of the record: notifications of appends, and a cache of the latest events for all consumers in this process.

Notifications shorten waits but may be lost: a caller that needs certainty also reads the record.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from faristol.event_store.append.group import EventRow
from faristol.event_store.backends.backend import Backend
from faristol.event_store.event import Recorded, to_recorded
from faristol.event_store.tasks import cancel_tasks


class News:
    """Notifications of the appends of this process, and of others if the database supports it."""

    def __init__(self, backend: Backend, reconnected: Callable[[], None] = lambda: None) -> None:
        """``reconnected`` is called whenever notifications of other processes begin."""
        self._backend = backend
        self._reconnected = reconnected
        self.latest = 0
        """The last position notified; 0 if none."""
        self._heard = asyncio.Event()
        self._listener: asyncio.Task[None] | None = None
        self._is_closed = False
        self._told_since = math.inf
        """Time since when the database sends notifications, by the loop's clock; infinity while it sends none."""

    def tell(self, position: int) -> None:
        """Report that the record is written up to ``position``."""
        if position > self.latest:
            self.latest = position
            heard, self._heard = self._heard, asyncio.Event()
            heard.set()

    @property
    def of_others(self) -> bool:
        """Whether the database sends notifications of other processes' appends; false before ``listen`` or ``wait``."""
        return self._told_since < math.inf

    def quiet_since(self, position: int) -> float:
        """Return since when no event after a position was written without a notification, by the loop's clock.

        Infinity if one may have been written, or if a notification came. A notification can be lost with a connection,
        so a caller who relies on this also polls the record from time to time.
        """
        self.listen()
        return self._told_since if self.latest <= position else math.inf

    def listen(self) -> None:
        """Subscribe to the appends of other processes, if the database supports it."""
        if self._listener is None and not self._is_closed:
            self._listener = asyncio.create_task(self._backend.listen(self.tell, self._listens), name="news")

    def _listens(self, on: bool) -> None:  # noqa: FBT001 # the signature of ``Backend.listen``
        self._told_since = asyncio.get_running_loop().time() if on else math.inf
        if on:
            self._reconnected()

    async def wait(self, timeout: float, after: int | None = None) -> bool:
        """Wait for a notification, at most ``timeout`` seconds; return False on a timeout.

        With ``after``, an earlier notification of a later position counts too.
        """
        self.listen()
        if after is not None and self.latest > after:
            return True
        try:
            async with asyncio.timeout(timeout):  # `wait_for` of Python 3.11 can lose a cancellation
                await self._heard.wait()
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Cancel the subscription. A caller that still waits gets no new one."""
        self._is_closed = True
        listener, self._listener = self._listener, None
        if listener:
            await cancel_tasks([listener])


RECENT_CACHE_EVENTS = 1_024
"""Number of events cached."""
NOTIFIED_POLL_SECONDS = 5.0
"""Seconds between polls of the end of the record while the database sends notifications."""


class Read(Protocol):
    """Reads events from the database."""

    def __call__(self, after_position: int, *, limit: int) -> Awaitable[list[Recorded]]:
        """Return events after a position, in order."""


class Recent:
    """The end of the record, as far as this process has read it.

    A process has a dozen consumers, and each reads every event: the first one loads it, the others find it here. The
    cache has no gap, since positions have none and an event is never visible before an earlier one.
    """

    def __init__(self, read: Read, quiet_since: Callable[[int], float] = lambda position: math.inf) -> None:
        """``quiet_since`` returns the start of the time without a notification of an event after a position."""
        self._read = read
        self._quiet_since = quiet_since
        self._before = 0
        """The position before the first cached event."""
        self._kept: list[Recorded] = []
        self._looked_at = -math.inf
        """Time of the start of the last read that reached the end of the record, by the loop's clock."""
        self._turn = asyncio.Lock()

    async def after(self, position: int, *, limit: int, at_least: int = 0, age: float = math.inf) -> list[Recorded]:
        """Return events after ``position``, in order; if they are fewer than ``limit``, all requested ones.

        The requested events are those up to ``at_least``, and those appended more than ``age`` seconds ago; newer ones
        may be included. If a notification of the database is lost, its event can come ``NOTIFIED_POLL_SECONDS`` seconds
        late, unless ``age`` is 0. Events are shared and must not be changed. Raises the exceptions of the database.
        """
        now = asyncio.get_running_loop().time()
        since = now - age
        if 0 < age < NOTIFIED_POLL_SECONDS:
            since = min(since, max(now - NOTIFIED_POLL_SECONDS, self._quiet_since(max(position, self._last))))
        if position >= self._before and not self._has(at_least, since):
            async with self._turn:
                if position > self._last + (RECENT_CACHE_EVENTS if self._kept else 0):
                    self._before, self._kept = position, []
                at_the_end = False
                while not (at_the_end or self._has(at_least, since) or self._last >= position + limit):
                    at_the_end = await self._look(limit)
        if position < self._before:  # the caller's position is before the cache
            return await self._read(position, limit=limit)
        start = position - self._before
        return self._kept[start : start + limit]

    @property
    def last_position(self) -> int:
        """The position of the last event in the cache; 0 before the first read of its end."""
        return self._last if self._looked_at > -math.inf else 0

    async def since(self, position: int, *, age: float = 0) -> list[Recorded] | None:
        """Return all events after ``position``; None unless the cache has each of them, or only newer ones are missing.

        ``age`` is that of ``after``: by default, all events that were committed before the call are included.
        """
        if not self._before <= position <= self.last_position:
            return None
        events = await self.after(position, limit=RECENT_CACHE_EVENTS, age=age)
        return events if position >= self._before and len(events) < RECENT_CACHE_EVENTS else None

    async def _look(self, limit: int) -> bool:
        """Read on from the end of the cache. Return whether that reached the end of the record."""
        begun = asyncio.get_running_loop().time()
        after, kept = self._last, self._kept
        found = await self._read(after, limit=limit)
        if kept is not self._kept:
            return False
        self._extend(found[self._last - after :], limit)  # without events that ``add`` has cached during the read
        if len(found) == limit:
            return False
        self._looked_at = begun
        return True

    def clear(self) -> None:
        """Clear the cache; it continues after its last position."""
        self._before, self._kept = self._last, []
        self._looked_at = -math.inf

    def add(self, events: Sequence[EventRow]) -> None:
        """Cache events that this process has appended, if no other process has appended before them."""
        if events and self.last_position == events[0][0] - 1:
            self._extend([to_recorded(row) for row in events], RECENT_CACHE_EVENTS)

    def _extend(self, events: Sequence[Recorded], limit: int) -> None:
        self._kept += events
        if (gone := len(self._kept) - max(RECENT_CACHE_EVENTS, limit)) > 0:
            del self._kept[:gone]
            self._before += gone

    def _has(self, position: int, since: float) -> bool:
        return self._last >= position and self._looked_at >= since

    @property
    def _last(self) -> int:
        return self._before + len(self._kept)
