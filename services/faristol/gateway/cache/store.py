"""Cache of rendered answers, with at most one rendering for each change.

Problem. After an event, all viewers of a page request it at once, and each rendering calls services. An answer must not
be older than an event that its client knows of. Some changes have no event, such as an erased name.

Idea. An entry has the position up to which the services confirmed it. It is used while no later notification concerns
its resource, for ``ENTRY_LIFETIME_SECONDS`` at most. Otherwise the services are called again, once for all concurrent
requests (single-flight). If the digest of their responses is unchanged, the rendered bytes are reused, as in a
validation by RFC 9111, 4.3. Notifications only store the position of each of their marks, as surrogate keys of content
delivery networks. While the subscription is disconnected, every request waits for a later call.

Invariants:

- An answer includes the last notification about its marks: a response of a service that has not reached it is not used
  again (``CacheEntry.holds``).
- Of an address in one language, one rendering at a time runs for each position that it must contain.
- A mark that is not stored counts as notified when the last evicted one was. So an eviction only causes validations.

Cost. A notification stores its marks, whatever the size of the cache; a request compares those of its resource. Entries
are bounded in bytes, and the least recently used one is evicted first. Marks are bounded by ``MAX_NEWS_MARKS``.

Alternatives that are not used:

- Expiry by time only. A page that reloads after an event could get the answer from before it.
- A search for the entries that a notification concerns. Its cost would grow with the cache.
- A rendering after each notification. A notification may concern an answer without a change of it.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import NamedTuple

from faristol.gateway.cache.representation import Representation
from faristol.gateway.cache.resources import Mark, Resource, marks_of
from faristol.gateway.live.feed import NewsSubscription
from faristol.pb.results.v1 import results_pb2 as pb

ENTRY_LIFETIME_SECONDS = 1.0
"""Lifetime of an entry in seconds, after which the services are called again."""

MAX_NEWS_MARKS = 20_000
"""Limit of remembered marks of notifications. Entries with an older, evicted mark are validated again."""


class Rendered(NamedTuple):
    """Responses of the services and their rendering."""

    representation: Representation | None
    """Rendered answer; None if the responses equal those of the entry."""
    position: int
    """Position up to which it is valid."""
    digest: bytes
    """Digest of the responses."""


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """Cache entry."""

    representation: Representation
    digest: bytes
    position: int
    """Position written in the answer."""
    holds: int
    """Position up to which the last call of the services confirmed it."""
    at: float
    """Time of that call in seconds."""


class Question(NamedTuple):
    """Request to the cache."""

    key: Hashable
    resource: Resource
    min_position: int
    """Position up to which the answer must be valid; 0 for the present state."""
    is_exact: bool
    """True if the answer must contain the position: the request waits until it is reached."""
    anew: bool
    """True to call the services even if an entry is fresh."""


Render = Callable[[CacheEntry | None, int], Awaitable[Rendered]]
"""Calls the services and renders their responses unless they equal the entry. Arguments: entry, position."""


@dataclass(slots=True, eq=False)
class _Flight:
    """Call of the services in progress."""

    at: float
    holds: float = math.inf
    """Position of the last notification before it; infinity until it starts."""
    task: asyncio.Future[CacheEntry] = None  # type: ignore[assignment] # set when it is created


class Cache:
    """Cache of rendered answers, bounded in bytes; the least recently used entry is evicted first.

    Services know of every notification before their call, since notifications never run ahead of the data that the
    services read.
    """

    def __init__(self, most_bytes: int, tail: NewsSubscription, clock: Callable[[], float] | None = None) -> None:
        """Create an empty cache. ``clock`` returns seconds; default: the monotonic clock."""
        self._most = most_bytes
        self._tail = tail
        self._clock = clock or time.monotonic
        self._entries: OrderedDict[Hashable, CacheEntry] = OrderedDict()
        self._flights: dict[tuple[Hashable, int], _Flight] = {}
        """Calls in progress, by key and the position that they wait for."""
        self._marks: OrderedDict[Mark, int] = OrderedDict()
        """Position of the last notification of each mark, in the order of arrival."""
        self._before = 0
        """Upper bound of the positions of marks that were evicted."""
        self.bytes = 0
        """Size of all entries."""
        self.renderings = 0
        """Number of renderings."""
        self.looks = 0
        """Number of calls of the services."""

    def invalidate(self, pieces: Iterable[pb.FollowResponse]) -> None:
        """Invalidate the entries that notifications concern."""
        for news in pieces:
            for mark in marks_of(news):
                self._marks[mark] = news.position
                self._marks.move_to_end(mark)
        while len(self._marks) > MAX_NEWS_MARKS:
            _, self._before = self._marks.popitem(last=False)

    def clear(self) -> None:
        """Remove every entry: notifications may have been missed, or the record is a different one."""
        for kept in (self._entries, self._flights, self._marks):
            kept.clear()
        self.bytes, self._before = 0, self._tail.position

    async def answer(self, question: Question, render: Render) -> CacheEntry:
        """Return the cached answer, or the one of ``render``, which concurrent requests share."""
        key, need = question.key, question.min_position if question.is_exact else 0
        news = max(self._marks.get(mark, self._before) for mark in question.resource.marks())
        is_later = self._needs_later_call(question)
        early = self._flights.get((key, need)) if is_later else None
        early = early if early and early.holds < math.inf else None

        def is_fresh(found: CacheEntry | _Flight) -> bool:
            return self._clock() - found.at < ENTRY_LIFETIME_SECONDS and found.holds >= news

        while True:
            kept = self._entries.get(key)
            if kept and not is_later and kept.position >= need and is_fresh(kept):
                self._entries.move_to_end(key)
                return kept
            flight = self._flights.get((key, need))
            if flight is None:
                flight = _Flight(self._clock())
                flight.task = asyncio.ensure_future(self._call_services(key, need, flight, render))
                flight.task.add_done_callback(_retrieve_exception)
                self._flights[key, need] = flight
            elif flight is early or not is_fresh(flight):
                await asyncio.wait({flight.task})
                continue
            return await asyncio.shield(flight.task)

    def _needs_later_call(self, question: Question) -> bool:
        """Check whether only a call that starts from now on may answer a question."""
        kept = self._entries.get(question.key)
        is_ahead = not question.is_exact and question.min_position > max(
            self._tail.position, kept.holds if kept else 0
        )  # the client learned of it through another gateway or service
        return question.anew or is_ahead or not self._tail.connected

    async def _call_services(self, key: Hashable, need: int, flight: _Flight, render: Render) -> CacheEntry:
        self.looks += 1
        flight.holds = self._tail.position
        known = self._entries.get(key)
        known = known if known and known.position >= need else None
        try:
            representation, position, digest = await render(known, need)
        finally:
            is_current = self._flights.get((key, need)) is flight
            if is_current:
                del self._flights[key, need]
        if representation is None:
            assert known is not None
            made = replace(known, holds=position, at=flight.at)
        else:
            self.renderings += 1
            made = CacheEntry(representation, digest, position, position, flight.at)
        if is_current and made.representation.status == HTTPStatus.OK:
            self._store(key, made)
        return made

    def _store(self, key: Hashable, entry: CacheEntry) -> None:
        """Store an entry, unless one of a later call is stored, and evict others beyond the limit."""
        kept = self._entries.get(key)
        if kept and kept.at > entry.at:
            return
        self.bytes += entry.representation.size - (kept.representation.size if kept else 0)
        self._entries[key] = entry
        self._entries.move_to_end(key)
        while self.bytes > self._most:
            _, evicted = self._entries.popitem(last=False)
            self.bytes -= evicted.representation.size


def _retrieve_exception(task: asyncio.Future[CacheEntry]) -> None:
    """Mark an exception as retrieved. Otherwise asyncio would log it if no request waits any longer."""
    if not task.cancelled():
        task.exception()
