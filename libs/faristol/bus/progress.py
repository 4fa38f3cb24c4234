"""How far a consumer is, for those who wait for it."""

from __future__ import annotations

import asyncio

from faristol.record import Record


class Progress:
    """The position of one consumer, wherever it runs.

    A consumer in this process tells its ``Progress`` at once; for one that runs elsewhere the record is asked.
    """

    POLL = 0.1
    """Seconds between two looks at the record."""

    def __init__(self, record: Record, consumer: str) -> None:
        self._record = record
        self.consumer = consumer
        self._reached = 0
        self._moved = asyncio.Event()

    def tell(self, position: int) -> None:
        """The consumer in this process has come to ``position``."""
        self._reached = max(self._reached, position)
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()

    async def position(self) -> int:
        """Where the consumer is."""
        self._reached = max(self._reached, await self._record.checkpoint(self.consumer))
        return self._reached

    async def reached(self, position: int, timeout: float) -> bool:
        """Wait until the consumer is at ``position`` or further; False when ``timeout`` seconds were not enough."""
        deadline = asyncio.get_running_loop().time() + timeout
        while self._reached < position and await self.position() < position:
            left = deadline - asyncio.get_running_loop().time()
            if left <= 0:
                return False
            await self.moved(min(left, self.POLL))
        return True

    async def moved(self, timeout: float) -> None:
        """Wait for news from this process's consumer, at most ``timeout`` seconds."""
        try:
            await asyncio.wait_for(self._moved.wait(), timeout)
        except TimeoutError:
            return
