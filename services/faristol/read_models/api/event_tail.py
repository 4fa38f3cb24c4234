"""The subscription to the record's events: read once for all subscribers of this process.

Events come from the record, not from the bus, and never precede the read models: the subject of an event can be queried
when its notification arrives. One task polls the record while there are subscribers, and stores the latest
notifications in a ring. A subscriber is a position: it reads the ring, and the record for events before the ring.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from operator import attrgetter
from typing import NamedTuple

from faristol.consumers import Progress
from faristol.event_store import Record, Recorded
from faristol.event_store.delays import Delays
from faristol.event_store.tasks import cancel_tasks
from faristol.fanout import RecentEntries
from faristol.kernel.event_types import TOLD_TYPES
from faristol.kernel.topics import OF_DIVISIONS, Topic
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api.public_events import NAMES_OF_PUBLIC, OFFICIAL, PUBLIC, to_notification

RING_CAPACITY = 8_192
"""Notifications that the ring stores, at least, once there are enough."""

RING_LOOKBACK_EVENTS = 2_000
"""Positions before the end of the record at which the ring begins."""

TAIL_BATCH_EVENTS = 500
"""Events read from the record, or notifications taken from the ring, at a time."""

MAX_RECORD_REPLAYS = 4
"""Concurrent reads of the record for all subscribers that are behind the ring."""

TAIL_POLL_SECONDS = 15.0
"""Seconds between polls without a signal of progress."""

POSITION_NOTICE_SECONDS = 1.0
"""Seconds without a notification after which a subscriber gets the position, if it has advanced."""

KEEP_ALIVE_SECONDS = 5.0
"""Seconds without a notification after which a subscriber gets the position in any case."""

CATCH_UP_SECONDS = 5.0
"""Seconds to wait until the read models reach the position after which a subscriber begins."""

TAIL_EVENT_TYPES = PUBLIC | OFFICIAL | TOLD_TYPES

_DIVISION_TYPES = frozenset(kind for kind in PUBLIC if kind.rpartition(".")[2] in OF_DIVISIONS)

News = results.FollowResponse

MayKnow = Callable[[News], Awaitable[bool]]
"""Whether a subscriber may see an event for officials."""


class Entry(NamedTuple):
    """A notification, and the subscribers that a delay of the broadcast keeps it from."""

    news: News
    is_held: bool = False
    """True for an event that is held back: only officials get it at its position."""
    is_told: bool = False
    """Whether a held event is published at this position. Only the public gets it there."""

    @property
    def position(self) -> int:
        """Position of the event."""
        return self.news.position

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the event."""
        return self.news.fingerprint


class EventTail:
    """The latest events of all tournaments, up to the position of the read models."""

    def __init__(self, record: Record, progress: Progress, kept: int = RING_CAPACITY) -> None:
        """Create the ring for ``kept`` notifications, without reading yet."""
        self._record = record
        self._progress = progress
        self._ring = RecentEntries[Entry](kept)
        self._delays = Delays()
        self._starting = asyncio.Lock()
        """Held while the delays are read, so that many subscribers do not read them at a time."""
        self._moved = asyncio.Event()
        self._followers = 0
        self._reader: asyncio.Task[None] | None = None
        self._replays = asyncio.Semaphore(MAX_RECORD_REPLAYS)

    async def follow(
        self,
        topic: Topic,
        after: int,
        *,
        limit: int = 0,
        marks: bool = False,
        last: int | None = None,
        may_know: MayKnow | None = None,
    ) -> AsyncGenerator[News, None]:
        """Yield the events of a topic after a position, in order. See ``FollowRequest`` for the other parameters.

        Events for officials are yielded only if ``may_know`` is given and accepts them.
        """
        async with self._subscribe():
            if last is not None:
                after = max(self._ring.before, await self._progress.position() - last)
            if marks:
                after = await self._begin(after)
                yield await self._mark(after)
            async for news in (
                self._some(topic, after, limit, may_know, marks=marks)
                if limit
                else self._live(topic, after, may_know, marks=marks)
            ):
                yield news

    async def _some(
        self, topic: Topic, after: int, limit: int, may_know: MayKnow | None, *, marks: bool
    ) -> AsyncGenerator[News, None]:
        """Yield at most ``limit`` events after a position, up to the current end."""
        here, left = await self._progress.position(), limit
        while self._ring.position < here:
            await self._wait(self._moved, None)
        while left and after < self._ring.position:
            batch, after = await self._after(topic, after, may_know)
            if len(batch) >= left:
                batch = batch[:left]
                after = batch[-1].position
            for news in batch:
                yield news
            left -= len(batch)
            if marks and not batch and after < self._ring.position:
                yield await self._mark(after)  # a subscriber that leaves now can resume from here
        if marks:
            yield await self._mark(after)

    async def _live(
        self, topic: Topic, after: int, may_know: MayKnow | None, *, marks: bool
    ) -> AsyncGenerator[News, None]:
        """Yield the events after a position, then live ones."""
        clock = asyncio.get_running_loop().time
        sent, since = after, clock()
        while True:
            moved = self._moved
            batch, after = await self._after(topic, after, may_know)
            for news in batch:
                yield news
            if batch:
                sent, since = batch[-1].position, clock()
            if after < self._ring.position:
                continue
            if marks and clock() - since >= (POSITION_NOTICE_SECONDS if after > sent else KEEP_ALIVE_SECONDS):
                yield await self._mark(after)
                sent, since = after, clock()
            await self._wait(moved, POSITION_NOTICE_SECONDS if marks else None)

    async def _begin(self, after: int) -> int:
        """Return the position to begin after: ``after``, or the record's end if that is lower."""
        if after > self._ring.position:
            await self._progress.wait_until_reached(after, CATCH_UP_SECONDS)
        return min(after, max(self._ring.position, await self._progress.position()))

    async def _mark(self, position: int) -> News:
        """Return a position without an event."""
        fingerprint = self._ring.fingerprint_at(position) or await self._record.fingerprint(position)
        return News(position=position, fingerprint=fingerprint)

    async def _wait(self, moved: asyncio.Event, seconds: float | None) -> None:
        """Wait for events, for at most this number of seconds. Raises the exception that ended the reader."""
        try:
            async with asyncio.timeout(seconds):
                await moved.wait()
        except TimeoutError:
            return
        if self._reader and self._reader.done():
            self._reader.result()

    async def _after(self, topic: Topic, after: int, may_know: MayKnow | None) -> tuple[list[News], int]:
        """Return some events of a topic after a position, and the position up to which they are complete."""
        if after < self._ring.before:
            found, position = await self._replay(topic, after, TAIL_EVENT_TYPES if may_know else PUBLIC)
        else:
            recent = self._ring.list_after(after, TAIL_BATCH_EVENTS)
            is_full = len(recent) == TAIL_BATCH_EVENTS
            position = recent[-1].position if is_full else max(after, self._ring.position)
            found = [entry for entry in recent if topic.has(entry.news)]
        if may_know is None:
            return [news for news, is_held, _ in found if not is_held and news.type in NAMES_OF_PUBLIC], position
        at_once = [entry.news for entry in found if not entry.is_told]
        return [news for news in at_once if news.type in NAMES_OF_PUBLIC or await may_know(news)], position

    async def _replay(self, topic: Topic, after: int, allowed: frozenset[str]) -> tuple[list[Entry], int]:
        """Return the same from the record. Few may read at once; a waiting subscriber holds no connection."""
        types = frozenset(kind for kind in allowed if not topic.types or kind.rpartition(".")[2] in topic.types)
        types |= TOLD_TYPES  # each stands for an event of another type
        here = self._ring.position
        async with self._replays:
            batch = await self._record.read(
                after, limit=TAIL_BATCH_EVENTS, tournament=topic.tournaments or None, types=types, up_to=here
            )
            position = batch[-1].position if len(batch) == TAIL_BATCH_EVENTS else here
            if topic.firsts:
                batch += await self._record.read(after, tournament=topic.firsts, types=_DIVISION_TYPES, up_to=position)
                batch.sort(key=attrgetter("position"))
        return [entry for entry in map(self._entry_of, batch) if topic.has(entry.news)], position

    def _entry_of(self, event: Recorded) -> Entry:
        return Entry(to_notification(event), self._delays.holds(event), event.type in TOLD_TYPES)

    @asynccontextmanager
    async def _subscribe(self) -> AsyncIterator[None]:
        """Subscribe: the reader runs while there are subscribers."""
        if self._reader is None or self._reader.done():
            here, ring = await self._progress.position(), self._ring
            mine, known = ring.position, ring.fingerprint
            fingerprint = await self._record.fingerprint(mine)
            async with self._starting:
                if self._reader is None or self._reader.done():
                    await self._delays.read(self._record)
            if self._reader is None or self._reader.done():  # another subscriber may have started it during the reads
                is_of_another = bool(known) and mine == ring.position and fingerprint != known
                if here > ring.position + ring.capacity or here < ring.position or is_of_another:
                    ring.restart(max(0, here - RING_LOOKBACK_EVENTS), "")
                self._reader = asyncio.create_task(self._read(), name="tail")
                self._reader.add_done_callback(lambda _: self._wake_subscribers())
        self._followers += 1
        try:
            yield
        finally:
            self._followers -= 1
            reader = self._reader
            if not self._followers and reader is not None:
                self._reader = None
                await cancel_tasks([reader])

    async def _read(self) -> None:
        while True:
            here = await self._progress.position()
            while self._ring.position < here:
                after = self._ring.position
                events = await self._record.recent.after(after, limit=TAIL_BATCH_EVENTS, at_least=here)
                events = [event for event in events if after < event.position <= here]
                self._delays.note(events)
                entries = [self._entry_of(event) for event in events if event.type in TAIL_EVENT_TYPES]
                position, fingerprint = (events[-1].position, events[-1].fingerprint) if events else (here, "")
                self._ring.add(entries, position, fingerprint)
                self._wake_subscribers()
            await self._progress.wait_until_reached(self._ring.position + 1, TAIL_POLL_SECONDS)

    def _wake_subscribers(self) -> None:
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
