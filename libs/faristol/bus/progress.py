"""How far a consumer is, for those who wait for it."""

from __future__ import annotations

import asyncio

from faristol.record import Record


class Progress:
    """The position of one consumer, wherever it runs.

    A consumer in this process tells its ``Progress`` at once; for one that runs elsewhere the record is asked.
    """

    POLL = 0.05
    """Seconds between two looks at the record, however many wait, while the consumer runs elsewhere.

    Where the database tells of appends, nobody looks while the consumer has come to the last that was told of.
    """

    POLL_BESIDE = 1.0
    """The same while it runs here and tells: for the case that another replica did the work."""

    def __init__(self, record: Record, consumer: str) -> None:
        self._record = record
        self.consumer = consumer
        self._reached = 0
        self._told = False
        self._looked = -self.POLL_BESIDE
        self._moved = asyncio.Event()

    def tell(self, position: int) -> None:
        """The consumer in this process has come to ``position``."""
        self._told = True
        self._reach(position)

    def leave(self) -> None:
        """The consumer in this process works no more: another replica goes on."""
        self._told = False

    def _reach(self, position: int) -> None:
        if position > self._reached:
            self._reached = position
            moved, self._moved = self._moved, asyncio.Event()
            moved.set()

    async def position(self) -> int:
        """Where the consumer is."""
        now = asyncio.get_running_loop().time()
        if now - self._looked >= (self.POLL_BESIDE if self._told else self.POLL):
            self._looked = now
            self._reach(await self._record.checkpoint(self.consumer))
        return self._reached

    async def reached(self, position: int, timeout: float) -> bool:
        """Wait until the consumer is at ``position`` or further; False when ``timeout`` seconds were not enough."""
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
            await self.moved(min(left, self.POLL))
        else:
            longest = self.POLL_BESIDE if news.of_others else self.POLL
            await news.wait(min(left, longest), self._reached)

    async def moved(self, timeout: float) -> None:
        """Wait for news from this process's consumer, at most ``timeout`` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await self._moved.wait()
        except TimeoutError:
            return
