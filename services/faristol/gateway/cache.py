"""Rendered answers: made once a change however many ask, and kept until news concerns them.

What is kept is used while the tail of the news says that nothing concerns it, and for a second at most: after that, or
after news, the services are asked again, and where they say the same, what was rendered stays. So a name that was
erased is gone within a second, and so is whatever else changes without news. While the tail is not connected, every
question is asked of the services; those that wait at the same time are answered by one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from time import monotonic
from typing import NamedTuple, Protocol

from faristol.gateway.representation import Representation
from faristol.gateway.resources import Mark, Resource, marks_of
from faristol.pb.results.v1 import results_pb2 as pb

MOST_SECONDS = 1.0
"""Seconds for which an answer is used before the services are asked again."""

MARKED = 20_000
"""Marks of news that are remembered. What an older one was left on is asked for again."""


class Tail(Protocol):
    """The news, as far as it has come in: see ``faristol.gateway.tail``."""

    @property
    def position(self) -> int:
        """Everything public up to here has come in."""

    @property
    def connected(self) -> bool:
        """Whether it comes in now."""


class Rendered(NamedTuple):
    """What the services said, and what was made of it."""

    representation: Representation | None
    """None where they say what is kept already."""
    position: int
    """Up to where it holds."""
    digest: bytes
    """What the services said."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that is kept."""

    representation: Representation
    digest: bytes
    position: int
    """The one that is written in it."""
    holds: int
    """Up to where it was found to hold when the services were asked last."""
    began: int
    """The turn at which they were asked last."""
    at: float
    """When that was, in seconds."""


class _Told(NamedTuple):
    """The last news of something."""

    turn: int
    """When it came: what the services said before is of no use."""
    position: int
    """Its position. Some service may be behind it when it is asked: its answer is not used again."""


class Question(NamedTuple):
    """What somebody asks for."""

    key: Hashable
    resource: Resource
    min_position: int
    """The answer has to hold up to here; 0 for as it is."""
    is_exact: bool
    """The position has to be written in the answer, and who asks waits until it is reached."""
    anew: bool
    """The services have to be asked, whatever is kept."""


Render = Callable[[Kept | None, int], Awaitable[Rendered]]
"""Asks the services, and renders what they say where it is not what is kept. For the position that is waited for."""


@dataclass(slots=True)
class _Flight:
    """An answer that is being made."""

    began: int
    at: float
    task: asyncio.Future[Kept]


@dataclass(slots=True)
class _Slot:
    """What is known of one address in one language."""

    marks: Sequence[Mark]
    kept: Kept | None = None
    flights: dict[int, _Flight] = field(default_factory=dict)
    """By the position that each waits for."""


class Cache:
    """Rendered answers within a bound, those forgotten first that were not asked for longest.

    A turn counts what came in order: news, and questions that are not answered from what is kept. What the services are
    asked at a turn says all that was told before it, as news never runs ahead of what they read.

    News leaves marks, and whoever asks looks at those of what they ask for: news costs little however much is kept.
    """

    def __init__(self, most_bytes: int, tail: Tail, clock: Callable[[], float] = monotonic) -> None:
        """``clock`` gives seconds."""
        self._most = most_bytes
        self._tail = tail
        self._clock = clock
        self._turn = 0
        self._slots: OrderedDict[Hashable, _Slot] = OrderedDict()
        self._marks: OrderedDict[Mark, _Told] = OrderedDict()
        """The last news of each thing, in the order in which it came."""
        self._before = _Told(0, 0)
        """The last news of everything else, at the latest."""
        self.bytes = 0
        """Of all that is kept."""
        self.renderings = 0
        """How often something was rendered."""
        self.looks = 0
        """How often the services were asked."""

    def heard(self, pieces: Iterable[pb.FollowResponse]) -> None:
        """Have what news concerns asked for again."""
        self._turn += 1
        for news in pieces:
            for mark in marks_of(news):
                self._marks[mark] = _Told(self._turn, news.position)
                self._marks.move_to_end(mark)
        while len(self._marks) > MARKED:
            _, self._before = self._marks.popitem(last=False)

    def doubt(self) -> None:
        """Have everything asked for again: news may have been missed."""
        self._turn += 1
        self._marks.clear()
        self._before = _Told(self._turn, self._tail.position)

    def _told(self, slot: _Slot) -> _Told:
        """The last news that concerns what is kept in a slot."""
        return max(self._marks.get(mark, self._before) for mark in slot.marks)

    async def answer(self, question: Question, render: Render) -> Kept:
        """The answer to a question: what is kept, or what ``render`` makes, once for all who wait for it."""
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
            elif flight.began < since or now - flight.at >= MOST_SECONDS:
                await asyncio.wait({flight.task})
                continue
            return await asyncio.shield(flight.task)

    def _is_fresh(self, slot: _Slot, kept: Kept, now: float) -> bool:
        return now - kept.at < MOST_SECONDS and kept.holds >= self._told(slot).position

    def _since(self, slot: _Slot, question: Question) -> int:
        """The turn at which the services have to have been asked at the earliest, to answer a question."""
        ahead = not question.is_exact and question.min_position > max(
            self._tail.position, slot.kept.holds if slot.kept else 0
        )  # somebody was told of it elsewhere
        if question.anew or ahead or not self._tail.connected:
            self._turn += 1
            return self._turn
        return self._told(slot).turn

    def _begin(self, question: Question, slot: _Slot, render: Render, need: int, now: float) -> _Flight:
        flight = _Flight(self._turn, now, asyncio.ensure_future(self._made(question, slot, render, need, now)))
        slot.flights[need] = flight
        flight.task.add_done_callback(_seen)
        return flight

    async def _made(self, question: Question, slot: _Slot, render: Render, need: int, at: float) -> Kept:
        began, known = self._turn, slot.kept
        self.looks += 1
        try:
            found = await render(known if known and known.position >= need else None, need)
            if found.representation is None:
                assert known is not None
                kept = replace(known, holds=found.position, began=began, at=at)
            else:
                self.renderings += 1
                kept = Kept(found.representation, found.digest, found.position, found.position, began, at)
            if kept.representation.status == HTTPStatus.OK and self._slots.get(question.key) is slot:
                self._keep(slot, kept)
            return kept
        finally:
            slot.flights.pop(need, None)
            if not slot.kept and not slot.flights:
                self._forget(question.key, slot)

    def _slot(self, question: Question) -> _Slot:
        slot = self._slots.get(question.key)
        if slot:
            self._slots.move_to_end(question.key)
            return slot
        slot = self._slots[question.key] = _Slot(question.resource.marks())
        return slot

    def _keep(self, slot: _Slot, kept: Kept) -> None:
        if slot.kept and slot.kept.began > kept.began:
            return
        self.bytes += kept.representation.size - (slot.kept.representation.size if slot.kept else 0)
        slot.kept = kept
        while self.bytes > self._most and self._slots:
            self._forget(*next(iter(self._slots.items())))

    def _forget(self, key: Hashable, slot: _Slot) -> None:
        if self._slots.get(key) is not slot:
            return
        del self._slots[key]
        self.bytes -= slot.kept.representation.size if slot.kept else 0
        slot.kept = None


def _seen(task: asyncio.Future[Kept]) -> None:
    """Whoever waits is told of a failure; where nobody does any more, nobody misses it."""
    if not task.cancelled():
        task.exception()
