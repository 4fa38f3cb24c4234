"""Notifications of appends. They shorten waits but may be lost: a caller that needs certainty also reads the record."""

from __future__ import annotations

import asyncio
import math

from faristol.event_store.backends.backend import Backend
from faristol.event_store.tasks import cancel_tasks


class News:
    """Notifications of the appends of this process, and of others if the database supports it."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
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
