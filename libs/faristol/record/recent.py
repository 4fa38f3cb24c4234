"""The latest events, kept in memory for all who follow the record in this process."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from typing import Protocol

from faristol.record.event import Recorded

KEPT = 1_024
"""Events that are kept."""
QUIET = 5.0
"""Seconds for which the end of the record is not looked for again, where the database would have told of an event."""


class Read(Protocol):
    """Reads events from the database."""

    def __call__(self, after_position: int, *, limit: int) -> Awaitable[list[Recorded]]:
        """Events in the order of their positions, after one."""


class Recent:
    """The end of the record, as far as this process has read it.

    A process has a dozen consumers, and each wants every event: the first one to ask reads it, the others find it here.
    What is kept has no hole, for positions have none and an event is never visible before an earlier one.
    """

    def __init__(self, read: Read, quiet_since: Callable[[int], float] = lambda position: math.inf) -> None:
        """``quiet_since`` says since when the database would have told of an event after a position, and has not."""
        self._read = read
        self._quiet_since = quiet_since
        self._before = 0
        """The position before the first event kept."""
        self._kept: list[Recorded] = []
        self._looked_at = -math.inf
        """When the last look began that came to the end of the record, by the loop's clock."""
        self._turn = asyncio.Lock()

    async def after(self, position: int, *, limit: int, at_least: int = 0, age: float = math.inf) -> list[Recorded]:
        """Events after ``position``, in order; where they are fewer than ``limit``, all of those asked for.

        Asked for is every event up to ``at_least``, and every one appended more than ``age`` seconds ago; newer
        ones may be there. Where the database tells of events, and its telling of one is lost, that one can come
        ``QUIET`` seconds late, unless ``age`` is 0. Events are shared: nobody changes them. Raises what the database
        raises.
        """
        now = asyncio.get_running_loop().time()
        since = now - age
        if 0 < age < QUIET:
            since = min(since, max(now - QUIET, self._quiet_since(max(position, self._last))))
        if position >= self._before and not self._has(at_least, since):
            async with self._turn:
                if position > self._last + (KEPT if self._kept else 0):
                    self._before, self._kept = position, []
                at_the_end = False
                while not (at_the_end or self._has(at_least, since) or self._last >= position + limit):
                    at_the_end = await self._look(limit)
        if position < self._before:  # it lags behind what is kept
            return await self._read(position, limit=limit)
        start = position - self._before
        return self._kept[start : start + limit]

    async def _look(self, limit: int) -> bool:
        """Read on from what is kept; whether that came to the end of the record."""
        begun = asyncio.get_running_loop().time()
        found = await self._read(self._last, limit=limit)
        self._kept += found
        if (gone := len(self._kept) - max(KEPT, limit)) > 0:
            del self._kept[:gone]
            self._before += gone
        if len(found) == limit:
            return False
        self._looked_at = begun
        return True

    def _has(self, position: int, since: float) -> bool:
        return self._last >= position and self._looked_at >= since

    @property
    def _last(self) -> int:
        return self._before + len(self._kept)
