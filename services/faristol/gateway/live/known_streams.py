"""Tournaments that are known to exist, and requests that were validated, for streams that are opened often."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from faristol.gateway.live.subscriptions import MAX_LIST_CHARACTERS, StreamKey
from faristol.kernel.bounded import store_bounded
from faristol.kernel.topics import Topic

MAX_KNOWN_TOURNAMENTS = 4_096
"""Limit of cached tournaments that exist."""

MAX_KNOWN_TOPICS = 4_096
"""Limit of cached topics of requests."""


class KnownStreams:
    """A cache, which is invalidated when the subscription to events restarts."""

    def __init__(self) -> None:
        self._divisions: OrderedDict[str, str] = OrderedDict()
        """Existing tournaments with the first division of their championship or empty."""
        self._asking: dict[tuple[str, str], asyncio.Future[str]] = {}
        self.topics: OrderedDict[StreamKey, Topic] = OrderedDict()
        """Topics of validated requests."""

    async def find_division(self, tournament_id: str, language: str, ask: Callable[[str], Awaitable[str]]) -> str:
        """Return the first division of a tournament's championship or empty. Raises the errors of ``ask``.

        ``ask`` is called once in a language for all concurrent requests.
        """
        if tournament_id not in self._divisions:
            key = (tournament_id, language)
            if (task := self._asking.get(key)) is None:
                task = self._asking[key] = asyncio.ensure_future(ask(tournament_id))
                task.add_done_callback(lambda _: self._asking.pop(key))
            store_bounded(self._divisions, tournament_id, await asyncio.shield(task), MAX_KNOWN_TOURNAMENTS)
        return self._divisions[tournament_id]

    def add_topic(self, key: StreamKey, topic: Topic) -> None:
        """Store the topic of a validated request, unless it is long."""
        if len(key[1]) <= MAX_LIST_CHARACTERS:
            store_bounded(self.topics, key, topic, MAX_KNOWN_TOPICS)

    def clear(self) -> None:
        """Invalidate the cache."""
        self._divisions.clear()
        self.topics.clear()
