"""Cache of rendered answers, with at most one rendering for each change.

Problem. After an event, all viewers of a page request it at once, and each rendering calls services. An answer must not
be older than an event that its client knows of. Some changes have no event, such as an erased name.

Idea. Three techniques of HTTP caches are combined. Concurrent requests share one rendering, as with
``proxy_cache_lock`` of nginx. Notifications invalidate entries by marks, as the surrogate keys of content delivery
networks do. An entry that may be outdated is validated (RFC 9111, 4.3): the services are called again. If the digest of
their responses is unchanged, the rendered bytes are reused.

An entry is used while no notification concerns it, for ``ENTRY_LIFETIME_SECONDS`` at most. So an erased name, or any
other change without notification, disappears within that time. While the subscription is disconnected, every request
calls the services. Those that wait for a call in progress share the next one.

Invariants:

- An answer is from services that were called after the last notification about its marks (``turn``).
- A response of a service that has not reached that notification is not used again (``CacheEntry.holds``).
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
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from time import monotonic
from typing import NamedTuple, Protocol

from faristol.gateway.cache.representation import Representation
from faristol.gateway.cache.resources import Mark, Resource, marks_of
from faristol.pb.results.v1 import results_pb2 as pb

ENTRY_LIFETIME_SECONDS = 1.0
"""Lifetime of an entry in seconds, after which the services are called again."""

MAX_NEWS_MARKS = 20_000
"""Limit of remembered marks of notifications. Entries with an older, evicted mark are validated again."""


class NewsSource(Protocol):
    """Subscription to notifications, implemented by ``faristol.gateway.live.upstream``."""

    @property
    def position(self) -> int:
        """Position up to which everything public was received."""

    @property
    def connected(self) -> bool:
        """True if the subscription is live."""


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
    """Position up to which the last validation confirmed it."""
    began: int
    """Turn of the last validation."""
    at: float
    """Time of the last validation in seconds."""


class _LastNews(NamedTuple):
    """Last notification about a mark."""

    turn: int
    """Turn of its arrival: responses requested earlier are stale."""
    position: int
    """Position of the notification. A response from a service that is still behind it is not reused."""


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


@dataclass(slots=True)
class _PendingAnswer:
    """Answer in progress."""

    began: int
    at: float
    task: asyncio.Future[CacheEntry]


@dataclass(slots=True)
class _Slot:
    """State of one address in one language."""

    marks: Sequence[Mark]
    kept: CacheEntry | None = None
    flights: dict[int, _PendingAnswer] = field(default_factory=dict)
    """Answers in progress, by the position that they wait for."""


class Cache:
    """Cache of rendered answers, bounded in bytes; the least recently used entry is evicted first.

    A turn numbers notifications and cache misses in their order. Services called at a turn know of every notification
    before it, since notifications never run ahead of the data that the services read. A notification only stores its
    marks, which a request compares with its own: its cost does not depend on the size of the cache.
    """

    def __init__(self, most_bytes: int, tail: NewsSource, clock: Callable[[], float] = monotonic) -> None:
        """Create an empty cache. ``clock`` returns seconds."""
        self._most = most_bytes
        self._tail = tail
        self._clock = clock
        self._turn = 0
        self._slots: OrderedDict[Hashable, _Slot] = OrderedDict()
        self._marks: OrderedDict[Mark, _LastNews] = OrderedDict()
        """Last notification of each mark, in the order of arrival."""
        self._before = _LastNews(0, 0)
        """Upper bound for marks that were evicted."""
        self.bytes = 0
        """Size of all entries."""
        self.renderings = 0
        """Number of renderings."""
        self.looks = 0
        """Number of calls of the services."""

    def invalidate(self, pieces: Iterable[pb.FollowResponse]) -> None:
        """Invalidate the entries that notifications concern."""
        self._turn += 1
        for news in pieces:
            for mark in marks_of(news):
                self._marks[mark] = _LastNews(self._turn, news.position)
                self._marks.move_to_end(mark)
        while len(self._marks) > MAX_NEWS_MARKS:
            _, self._before = self._marks.popitem(last=False)

    def doubt(self) -> None:
        """Invalidate every entry: notifications may have been missed."""
        self._turn += 1
        self._marks.clear()
        self._before = _LastNews(self._turn, self._tail.position)

    def _find_last_news(self, slot: _Slot) -> _LastNews:
        """Return the last notification that concerns a slot."""
        return max(self._marks.get(mark, self._before) for mark in slot.marks)

    async def answer(self, question: Question, render: Render) -> CacheEntry:
        """Return the cached answer, or the one of ``render``, which concurrent requests share."""
        slot = self._slot(question)
        since = self._since(slot, question)
        need = question.min_position if question.is_exact else 0
        while True:
            now = self._clock()
            kept = slot.kept
            if kept and kept.began >= since and self._is_fresh(slot, kept, now) and kept.position >= need:
                return kept
            flight = slot.flights.get(need)
            if flight is None:
                flight = self._begin(question, slot, render, need, now)
            elif flight.began < since or now - flight.at >= ENTRY_LIFETIME_SECONDS:
                await asyncio.wait({flight.task})
                continue
            return await asyncio.shield(flight.task)

    def _is_fresh(self, slot: _Slot, kept: CacheEntry, now: float) -> bool:
        return now - kept.at < ENTRY_LIFETIME_SECONDS and kept.holds >= self._find_last_news(slot).position

    def _since(self, slot: _Slot, question: Question) -> int:
        """Return the earliest turn of a service call that may answer a question."""
        ahead = not question.is_exact and question.min_position > max(
            self._tail.position, slot.kept.holds if slot.kept else 0
        )  # the client learned of it through another gateway or service
        if question.anew or ahead or not self._tail.connected:
            self._turn += 1
            return self._turn
        return self._find_last_news(slot).turn

    def _begin(self, question: Question, slot: _Slot, render: Render, need: int, now: float) -> _PendingAnswer:
        flight = _PendingAnswer(
            self._turn, now, asyncio.ensure_future(self._render_slot(question, slot, render, need, now))
        )
        slot.flights[need] = flight
        flight.task.add_done_callback(_retrieve_exception)
        return flight

    async def _render_slot(self, question: Question, slot: _Slot, render: Render, need: int, at: float) -> CacheEntry:
        began, known = self._turn, slot.kept
        self.looks += 1
        try:
            found = await render(known if known and known.position >= need else None, need)
            if found.representation is None:
                assert known is not None
                kept = replace(known, holds=found.position, began=began, at=at)
            else:
                self.renderings += 1
                kept = CacheEntry(found.representation, found.digest, found.position, found.position, began, at)
            if kept.representation.status == HTTPStatus.OK and self._slots.get(question.key) is slot:
                self._store(slot, kept)
            return kept
        finally:
            slot.flights.pop(need, None)
            if not slot.kept and not slot.flights:
                self._evict(question.key, slot)

    def _slot(self, question: Question) -> _Slot:
        slot = self._slots.get(question.key)
        if slot:
            self._slots.move_to_end(question.key)
            return slot
        slot = self._slots[question.key] = _Slot(question.resource.marks())
        return slot

    def _store(self, slot: _Slot, kept: CacheEntry) -> None:
        if slot.kept and slot.kept.began > kept.began:
            return
        self.bytes += kept.representation.size - (slot.kept.representation.size if slot.kept else 0)
        slot.kept = kept
        while self.bytes > self._most and self._slots:
            self._evict(*next(iter(self._slots.items())))

    def _evict(self, key: Hashable, slot: _Slot) -> None:
        if self._slots.get(key) is not slot:
            return
        del self._slots[key]
        self.bytes -= slot.kept.representation.size if slot.kept else 0
        slot.kept = None


def _retrieve_exception(task: asyncio.Future[CacheEntry]) -> None:
    """Mark an exception as retrieved. Otherwise asyncio would log it if no request waits any longer."""
    if not task.cancelled():
        task.exception()
