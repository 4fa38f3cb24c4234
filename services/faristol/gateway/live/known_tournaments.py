"""Tournaments that are known to exist, and filters that were validated, for streams that are opened often."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from faristol.kernel.bounded import store_bounded

MAX_KNOWN_TOURNAMENTS = 4_096
"""Limit of cached tournaments that exist."""


class KnownTournaments:
    """A cache, which is invalidated when the subscription to events restarts."""

    def __init__(self) -> None:
        self.known: OrderedDict[str, str] = OrderedDict()
        """Existing tournaments with the first division of their championship or empty."""
        self.checked: OrderedDict[tuple[str, str, str], None] = OrderedDict()
        """Validated filters: a tournament with the games and rounds of a request."""
        self._asking: dict[tuple[str, str], asyncio.Future[str]] = {}

    async def find(self, tournament_id: str, language: str, ask: Callable[[str], Awaitable[str]]) -> str:
        """Return the first division of a tournament's championship or empty. Raises the errors of ``ask``.

        ``ask`` is called once in a language for all concurrent requests.
        """
        if tournament_id not in self.known:
            key = (tournament_id, language)
            if (task := self._asking.get(key)) is None:
                task = self._asking[key] = asyncio.ensure_future(ask(tournament_id))
                task.add_done_callback(lambda _: self._asking.pop(key))
            store_bounded(self.known, tournament_id, await asyncio.shield(task), MAX_KNOWN_TOURNAMENTS)
        return self.known[tournament_id]

    def clear(self) -> None:
        """Invalidate the cache."""
        self.known.clear()
        self.checked.clear()
