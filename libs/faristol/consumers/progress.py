"""The progress of a consumer, for callers who wait for it, and the detection of consumers without progress."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from sqlalchemy import select

from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES
from faristol.event_store.backends.tables import checkpoints
from faristol.event_store.positions import last_position


class Progress:
    """The position of a consumer in any process.

    A consumer in this process reports its position directly; for one elsewhere the record is polled.
    """

    POLL = 0.05
    """Seconds between polls of the record, for all waiting callers, while the consumer runs elsewhere.

    If the database notifies of appends, polling pauses while the consumer is at the last notified position.
    """

    POLL_BESIDE = 1.0
    """The same while the consumer runs here, in case another replica did the work."""

    def __init__(self, record: Record, consumer: str) -> None:
        self._record = record
        self.consumer = consumer
        self._reached = 0
        self._told = False
        self._looked = -self.POLL_BESIDE
        self._moved = asyncio.Event()

    def tell(self, position: int) -> None:
        """Report that the consumer in this process has reached ``position``."""
        self._told = True
        self._reach(position)

    def leave(self) -> None:
        """Report that another replica works from now on."""
        self._told = False

    def _reach(self, position: int) -> None:
        if position > self._reached:
            self._reached = position
            moved, self._moved = self._moved, asyncio.Event()
            moved.set()

    async def position(self) -> int:
        """Return the position of the consumer."""
        now = asyncio.get_running_loop().time()
        if now - self._looked >= (self.POLL_BESIDE if self._told else self.POLL):
            self._looked = now
            self._reach(await self._record.checkpoint(self.consumer))
        return self._reached

    async def wait_until_reached(self, position: int, timeout: float) -> bool:
        """Wait until the consumer has reached ``position``; return False after ``timeout`` seconds."""
        deadline = asyncio.get_running_loop().time() + timeout
        while self._reached < position and await self.position() < position:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return False
            await self._wait(left)
        return True

    async def _wait(self, left: float) -> None:
        news = self._record.news
        if self._told or news.latest > self._reached:
            await self.wait_for_report(min(left, self.POLL))
        else:
            longest = self.POLL_BESIDE if news.of_others else self.POLL
            await news.wait(min(left, longest), self._reached)

    async def wait_for_report(self, timeout: float) -> None:
        """Wait for a report of this process's consumer, at most ``timeout`` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await self._moved.wait()
        except TimeoutError:
            return


PROGRESS_POLL_SECONDS = 2.0
"""Seconds between two polls."""
NO_PROGRESS_SECONDS = 10.0
"""Seconds without progress after which a consumer with pending events counts as still."""

_log = logging.getLogger(__name__)


class ProgressWatch:
    """The time of the last progress of each consumer and of the relay."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._moved: Mapping[str, tuple[int, float]] = {}
        """Position of each, and the time when it was first seen there or had no pending event."""

    async def keep_looking(self) -> None:
        """Poll until cancelled."""
        while True:
            try:
                await self._look()
            except FAILURES as error:
                _log.info("the progress of consumers cannot be stored: %r", error)
            await asyncio.sleep(PROGRESS_POLL_SECONDS)

    async def _look(self) -> None:
        async with self._record.reading() as connection:
            last = await last_position(connection)
            rows = (await connection.execute(select(checkpoints))).all()
        now = asyncio.get_running_loop().time()
        before = self._moved
        self._moved = {
            row.consumer: before[row.consumer]
            if row.consumer in before and row.position == before[row.consumer][0] and row.position < last
            else (row.position, now)
            for row in rows
        }

    def is_still(self, consumer: str, position: int) -> bool:
        """Check whether a consumer with pending events has been at a position for ``NO_PROGRESS_SECONDS`` seconds."""
        at, since = self._moved.get(consumer, (-1, 0.0))
        return at == position and asyncio.get_running_loop().time() - since >= NO_PROGRESS_SECONDS
