"""Whole streams that are read again and again, such as the history of a tournament."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

from faristol.event_store.event import Recorded

CACHED_EVENTS_COUNT = 20_000
"""Limit of events of all cached streams together: about 50 MB. A longer stream evicts all others."""


class StreamCache:
    """A cache of whole streams, the least recently read evicted first.

    Events never change, so a cached event never becomes invalid: only later ones are read. Readers share the events,
    and must not change their messages.
    """

    def __init__(self, read: Callable[[str, int], Awaitable[Sequence[Recorded]]]) -> None:
        """``read`` returns the events of a stream after a version, in order."""
        self._read = read
        self._cached: OrderedDict[str, list[Recorded]] = OrderedDict()
        self._count = 0

    async def read(self, stream: str) -> list[Recorded]:
        """Return all events of a stream, in order."""
        known = self._cached.get(stream, [])
        later = await self._read(stream, len(known))
        events = [*known, *later]
        self._keep(stream, events)
        return list(events)

    def _keep(self, stream: str, events: list[Recorded]) -> None:
        """Cache the events of a stream, unless another reader has cached more."""
        current = self._cached.pop(stream, [])
        self._cached[stream] = max(current, events, key=len)
        self._count += len(self._cached[stream]) - len(current)
        while self._count > CACHED_EVENTS_COUNT and len(self._cached) > 1:
            _, evicted = self._cached.popitem(last=False)
            self._count -= len(evicted)
