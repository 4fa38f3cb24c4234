"""The retries of the parked keys of a consumer: when each is due, and which one is next."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Iterable

from faristol.consumers.handlers import REPLAY_STEP_EVENTS, EventHandler
from faristol.consumers.parked import Parked

PARKED_POLL_SECONDS = 0.5
"""Seconds between two reads of the parked keys, and of the request to retry a stopped consumer."""
NO_PARKED_POLL_SECONDS = 5.0
"""Seconds between two reads while no key is parked: a rebuild may park one."""

PARKED_BACKOFF_SECONDS = 1.0
"""Seconds before the first retry of a parked key; doubled after each attempt."""
MAX_PARKED_BACKOFF_SECONDS = 300.0


class ParkedRetries:
    """The retries by this replica. A key is due after its backoff, or at once on request of an operator.

    A key that this process has not tried is due, since this version may have fixed its cause.
    """

    def __init__(self, handler: EventHandler) -> None:
        self._handler = handler
        self._polled = -math.inf
        """Time of the last read of the parked keys."""
        self._tried: dict[str, float] = {}
        """Time of this process's last attempt at each parked key."""
        self._replayed: set[str] = set()
        """Parked keys with a successful retry of an event."""
        self._due: deque[str] = deque()
        """Parked keys due for a retry."""

    @property
    def are_due(self) -> bool:
        """Whether a key is due."""
        return bool(self._due)

    def reload(self) -> None:
        """Read the parked keys at the next poll."""
        self._polled = -math.inf

    def note_attempt(self, keys: Iterable[str]) -> None:
        """Note that events of these keys failed now."""
        now = asyncio.get_running_loop().time()
        self._tried.update(dict.fromkeys(keys, now))

    async def poll(self) -> bool:
        """Read the parked keys if the last read is old, and add those that are due. Return whether it read them."""
        now = asyncio.get_running_loop().time()
        if now - self._polled < (PARKED_POLL_SECONDS if self._handler.parked else NO_PARKED_POLL_SECONDS):
            return False
        self._polled = now
        await self._handler.look_at_parked()
        parked = self._handler.parked
        self._tried = {key: at for key, at in self._tried.items() if key in parked}
        self._replayed &= parked.keys()
        waiting = set(self._due)
        self._due.extend(
            key
            for key, row in parked.items()
            if key not in waiting and (row.retry or now >= self._tried.get(key, -math.inf) + _backoff(row.attempts))
        )
        return True

    async def retry_next(self) -> Parked | None:
        """Retry some events of the next key that is due. Return its row if that released it, None otherwise.

        The first retry is of one event, the one that failed: other keys wait no longer than that.
        """
        if not self._due:
            return None
        key = self._due.popleft()
        if (row := self._handler.parked.get(key)) is None:
            return None
        if await self._handler.replay(key, REPLAY_STEP_EVENTS if key in self._replayed else 1):
            self._replayed.add(key)
            self._due.append(key)
            return None
        self._replayed.discard(key)
        if key in self._handler.parked:
            self.note_attempt([key])
            return None
        self._tried.pop(key, None)
        return row


def _backoff(attempts: int) -> float:
    """Return the seconds between an attempt and the next one."""
    return float(min(MAX_PARKED_BACKOFF_SECONDS, PARKED_BACKOFF_SECONDS * 2 ** min(attempts - 1, 16)))
