"""Timers of a service: they check games or tournaments when their time comes, or when an event starts their time.

A timer keeps only the times of the next checks. A process that starts reads the starting events again, so no time is
lost with a process. Several processes may run the same timer: the expected version of a write lets one of them write.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Sequence
from typing import ClassVar

from faristol.consumers.stopped import is_transient
from faristol.event_store import Record, Recorded

TIMER_POLL_SECONDS = 1.0
"""Longest interval between two checks, in seconds."""
TIMER_READ_DELAY_SECONDS = 0.05
"""Delay in seconds after a notification before events are read, by default, and before a check after a conflict."""
MINUTES_TIMER_READ_DELAY_SECONDS = 1.0
"""Delay after a notification before events are read, for a timer whose times are minutes away."""
TIMER_BATCH_EVENTS = 1_000
"""Events per read."""

_MIN_WAIT_SECONDS = 0.001

_log = logging.getLogger(__name__)


class DueTimer(ABC):
    """Checks keys, such as ids of games, each at the time that its last check returned."""

    start_types: ClassVar[Collection[str]]
    """Full names of the event types that start the time of a key, by which the keys are found at the start."""
    work: ClassVar[str]
    """The work that waits while the database is unavailable, for the log."""
    read_delay_seconds: ClassVar[float] = TIMER_READ_DELAY_SECONDS
    """Delay after a notification before events are read. During it, all events of busy tables cost one read."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._position = 0
        self._checks: dict[str, float] = {}
        """Time of the next check of each key, in loop time."""

    async def run(self) -> None:
        """Check until cancelled. Retries while the database is unavailable."""
        begun = False
        while True:
            wait = TIMER_POLL_SECONDS
            try:
                await (self._read() if begun else self._begin())
                begun = True
                wait = await self._look()
            except Exception as problem:
                if not is_transient(problem):
                    raise
                _log.warning("%s: delayed: %r", self.work, problem)
            await self._record.news.wait(max(_MIN_WAIT_SECONDS, wait), self._position)
            await asyncio.sleep(min(self.read_delay_seconds, wait))

    @abstractmethod
    def keys_of(self, found: Sequence[Recorded]) -> Iterable[str]:
        """Return the keys that events require to be checked at once."""

    @abstractmethod
    async def check(self, key: str) -> float | None:
        """Write what is due. Return the seconds until the next check, or None if the time of the key does not run."""

    async def _begin(self) -> None:
        """Find the keys whose time was ever started, by reading only those events."""
        here, position = await self._record.last_position(), 0
        while found := await self._record.read(position, limit=TIMER_BATCH_EVENTS, types=self.start_types, up_to=here):
            self._take(found)
            position = found[-1].position
        self._position = here

    async def _read(self) -> None:
        """Find the keys to check at once by the events since the last read."""
        more = True
        while more:
            found = await self._record.recent.after(
                self._position, limit=TIMER_BATCH_EVENTS, age=self.read_delay_seconds
            )
            self._take(found)
            self._position = found[-1].position if found else self._position
            more = len(found) == TIMER_BATCH_EVENTS

    def _take(self, found: Sequence[Recorded]) -> None:
        self._checks |= dict.fromkeys(self.keys_of(found), asyncio.get_running_loop().time())

    async def _look(self) -> float:
        """Check the keys that are due; return the seconds until the next check, at most the poll interval."""
        loop = asyncio.get_running_loop()
        for key in sorted(key for key, at in self._checks.items() if at <= loop.time()):
            wait = await self.check(key)
            if wait is None:
                del self._checks[key]
            else:
                self._checks[key] = loop.time() + wait
        left = min(self._checks.values(), default=loop.time() + TIMER_POLL_SECONDS) - loop.time()
        return max(0.0, min(TIMER_POLL_SECONDS, left))
