"""News of appends: a hint that saves waiting, never a promise. Who needs certainty looks into the record as well."""

from __future__ import annotations

import asyncio
import math

from faristol.record.backend import Backend
from faristol.record.tasks import end


class News:
    """What this process heard of appends: its own, and those of others where the database tells of them."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.latest = 0
        """The last position that something was told of; 0 before."""
        self._heard = asyncio.Event()
        self._listener: asyncio.Task[None] | None = None
        self._told_since = math.inf
        """Since when the database tells of appends, by the loop's clock; infinity where it does not at present."""

    def tell(self, position: int) -> None:
        """Something was written up to ``position``."""
        if position > self.latest:
            self.latest = position
            heard, self._heard = self._heard, asyncio.Event()
            heard.set()

    @property
    def of_others(self) -> bool:
        """Whether the database tells of what other processes append, where somebody has listened or waited once."""
        return self._told_since < math.inf

    def quiet_since(self, position: int) -> float:
        """Since when no event after a position can have been written that nothing was told of, by the loop's clock.

        Infinity where one can be written at any time, or was told of. What the database tells can be lost with a
        connection: whoever relies on this looks into the record now and then as well.
        """
        self.listen()
        return self._told_since if self.latest <= position else math.inf

    def listen(self) -> None:
        """Hear of what others append from now on, where the database tells of that."""
        if self._listener is None:
            self._listener = asyncio.create_task(self._backend.listen(self.tell, self._listens), name="news")

    def _listens(self, on: bool) -> None:  # noqa: FBT001 # as ``Backend.listen`` calls it
        self._told_since = asyncio.get_running_loop().time() if on else math.inf

    async def wait(self, timeout: float, after: int | None = None) -> bool:
        """Wait until something is heard of, at most ``timeout`` seconds; False when nothing was.

        With ``after`` a position, what was heard already and lies behind it counts.
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
        """Stop listening."""
        listener, self._listener = self._listener, None
        if listener:
            await end([listener])
