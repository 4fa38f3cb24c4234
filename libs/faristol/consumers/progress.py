"""The progress of a consumer, for callers who wait for it."""

from __future__ import annotations

import asyncio

from faristol.event_store import Record


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
