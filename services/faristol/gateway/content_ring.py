"""The latest frames with content: what each piece of news has changed is asked for and written once for all viewers.

A task works while anybody watches with content. It takes what has come in meanwhile together, so a burst costs each
answer once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import grpc

from faristol.gateway.content import (
    Snapshot,
    Subject,
    ask,
    changed,
    is_of_all_rounds,
    is_told,
    subjects_of,
)
from faristol.gateway.frames import BATCH, Ring, frame, without_name
from faristol.gateway.results import Moment, Results
from faristol.kernel.bounded import keep
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb

AT_ONCE = 4
"""Answers that are asked for at the same time, for a batch."""

AGAIN = 0.5
"""Seconds until an answer is asked for again that could not be had."""

KEPT_SECONDS = 60.0
"""Seconds for which frames are kept. They hold names, and nobody tells of one that is erased meanwhile."""

REMEMBERED = 4_096
"""Subjects of which earlier answers are remembered."""

ABSENT = frozenset({grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION})
"""What there is not yet, or not any more: a game that is not opened, a round that was taken back."""

AWAY = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.UNKNOWN,
    }
)
"""What a call ends with while the service is away, or restarts. After anything else it would end so again."""

EVERYTHING = Topic(with_content=True)

_log = logging.getLogger(__name__)

T = TypeVar("T")

Told = Mapping[Subject, bytes]
"""Changes as JSON; empty where nothing has changed."""


class Content:
    """Asks for what news has changed."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._known: OrderedDict[Subject, Snapshot] = OrderedDict()
        """What was told last of each."""
        self.asked = 0
        """How many answers were asked for."""

    async def subjects(self, news: Sequence[pb.FollowResponse], topic: Topic) -> list[list[Subject]]:
        """The subjects of each piece of news that a topic is told of."""
        rounds: dict[str, Iterable[int]] = {}
        found = []
        for piece in news:
            of = piece.tournament_id
            if of not in rounds and is_of_all_rounds(piece):
                rounds[of] = await self._rounds(of, news[-1].position)
            found.append([each for each in subjects_of(piece, rounds.get(of, ())) if is_told(each, topic)])
        return found

    async def _rounds(self, tournament_id: str, position: int) -> Iterable[int]:
        answer = await _unless_absent(self._results.tournament(tournament_id, Moment(position)))
        return [each.round for each in answer.tournament.played] if answer else ()

    async def whole(self, subjects: Iterable[Subject], position: int) -> Told:
        """Whole answers, up to a position or further."""
        told = {}
        for subject in subjects:
            made = await self._change(subject, position, None, 0)
            told[subject] = made[0] if made else b""
        return told

    async def of_past(self, news: Sequence[pb.FollowResponse], topic: Topic) -> list[list[bytes]]:
        """The changes of pieces of past news: whole answers as they are now, each with the first piece about it."""
        if not news:
            return []
        subjects = await self.subjects(news, topic)
        told = await self.whole({each for of in subjects for each in of}, news[-1].position)
        return [[text for _, text in each] for each in with_content(news, subjects, told, again=False)]

    async def since(self, firsts: Mapping[Subject, int], position: int) -> Told:
        """What has changed since it was told last; ``firsts`` are the positions of the first news of each since."""
        at_once = asyncio.Semaphore(AT_ONCE)

        async def change(subject: Subject) -> tuple[bytes, Snapshot] | None:
            async with at_once:
                return await self._change(subject, position, self._known.get(subject), firsts[subject])

        found = dict(zip(firsts, await asyncio.gather(*map(change, firsts)), strict=True))
        for subject, made in found.items():  # not before all are there: what fails is asked for again, on the same
            if made:
                keep(self._known, subject, made[1], REMEMBERED)
        return {subject: made[0] if made else b"" for subject, made in found.items()}

    def forget(self) -> None:
        """Begin anew: what is told next of each subject is the whole."""
        self._known.clear()

    async def _change(
        self, subject: Subject, position: int, base: Snapshot | None, first: int
    ) -> tuple[bytes, Snapshot] | None:
        """The change as JSON, and what it leads to; None of what there is not."""
        self.asked += 1
        answer = await _unless_absent(ask(self._results, subject, position))
        return None if answer is None else await asyncio.to_thread(changed, subject, answer, base, first)


async def _unless_absent(answer: Awaitable[T]) -> T | None:
    try:
        return await answer
    except grpc.aio.AioRpcError as problem:
        if problem.code() in ABSENT:
            return None
        raise


def with_content(
    news: Sequence[pb.FollowResponse], subjects: Sequence[Sequence[Subject]], told: Told, *, again: bool
) -> list[list[tuple[Subject, bytes]]]:
    """The changes that each frame carries: those of a subject with the first piece of news about it.

    ``again``: with the last one, too, for whoever comes back in the middle from another gateway.
    """
    first: dict[Subject, int] = {}
    last: dict[Subject, int] = {}
    for at, of in enumerate(subjects):
        for subject in of:
            first.setdefault(subject, at)
            last[subject] = at
    found: list[list[tuple[Subject, bytes]]] = [[] for _ in news]
    for subject, at in first.items():
        for place in {at, last[subject]} if again else {at}:
            if told[subject]:
                found[place].append((subject, told[subject]))
    return found


VARIANTS = 16
"""Frames that are kept of a piece of news: topics can be told different changes in thousands of ways."""


class Carried:
    """A piece of news with changes, of which each topic is told its own."""

    __slots__ = ("_changes", "_made", "_news")

    def __init__(self, news: pb.FollowResponse, changes: Sequence[tuple[Subject, bytes]]) -> None:
        self._news = news
        self._changes = changes
        self._made: dict[tuple[bool | bytes, ...], bytes] = {}

    def frame(self, topic: Topic) -> bytes:
        """The frame for a topic: the same object for all topics that are told the same, of the first ``VARIANTS``."""
        texts = tuple(text for subject, text in self._changes if is_told(subject, topic))
        if (found := self._made.get((topic.is_named, *texts))) is None:
            found = frame(self._news, texts)
            found = found if topic.is_named else without_name(found)
            if len(self._made) < VARIANTS:
                self._made[topic.is_named, *texts] = found
        return found


class ContentRing(Ring[Carried]):
    """The latest frames with content, and the task that writes them."""

    def __init__(
        self, content: Content, kept: int, moved: Callable[[], None], failed: Callable[[Exception], None]
    ) -> None:
        """``kept``: as of a ``Ring``. ``moved`` is called when there are more frames, ``failed`` when not."""
        super().__init__(kept)
        self.content = content
        self._moved = moved
        self._failed = failed
        self._is_on = False
        self._coming: list[pb.FollowResponse] = []
        self._heard = 0
        """The position up to which ``_coming`` is all that has come."""
        self._heard_fingerprint = ""
        """Of the event there."""
        self._come = asyncio.Event()
        self._ages: deque[tuple[float, int]] = deque()
        """Where the ring was, and when, for as long as frames are kept."""

    def start(self, position: int, fingerprint: str) -> None:
        """Begin after a position, if it is not on: somebody watches."""
        if not self._is_on:
            self._is_on = True
            self.begin(position, fingerprint)

    def stop(self) -> None:
        """Nobody watches."""
        self._is_on = False
        self._coming = []

    def begin(self, position: int, fingerprint: str = "") -> None:
        """Begin anew: nothing is here."""
        super().begin(position, fingerprint)
        self._coming, self._heard, self._heard_fingerprint = [], position, fingerprint
        self._ages.clear()
        self.content.forget()

    def age(self, now: float) -> None:
        """Drop what was kept for its time, in seconds of the loop's clock. To be called again and again."""
        self._ages.append((now, self.position))
        while self._ages[0][0] <= now - KEPT_SECONDS:
            self.drop(self._ages.popleft()[1])

    def hear(self, news: Sequence[pb.FollowResponse], position: int, fingerprint: str) -> None:
        """Take the next pieces of news; ``position`` is up to where these are all."""
        if not self._is_on:
            return
        if len(self._coming) > self.kept:  # the answers cannot be had: whoever waits gets them out of the record
            self.begin(position, fingerprint)
            return
        self._coming += news
        self._heard, self._heard_fingerprint = position, fingerprint
        self._come.set()

    async def run(self) -> None:
        """Write frames until cancelled."""
        while True:
            await self._come.wait()
            self._come.clear()
            try:
                while self._is_on and self._heard > self.position:
                    await self._take()
            except Exception as problem:  # noqa: BLE001 # a defect of ours: what comes later would not fit
                self.begin(self._heard, self._heard_fingerprint)
                self._failed(problem)

    async def _take(self) -> None:
        """Write the next frames."""
        coming = self._coming
        batch = coming[:BATCH]
        position, fingerprint = self._heard, self._heard_fingerprint
        if len(batch) < len(coming):
            position, fingerprint = batch[-1].position, batch[-1].fingerprint
        frames = await self._carried(batch) if batch else []
        if self._coming is not coming:  # it has begun anew meanwhile
            return
        del coming[: len(batch)]
        self.add(batch, position, frames, fingerprint)
        if batch:
            self._moved()

    async def _carried(self, news: Sequence[pb.FollowResponse]) -> list[Carried]:
        while True:
            try:
                subjects = await self.content.subjects(news, EVERYTHING)
                firsts: dict[Subject, int] = {}
                for piece, of in zip(news, subjects, strict=True):
                    for subject in of:
                        firsts.setdefault(subject, piece.position)
                told = await self.content.since(firsts, news[-1].position)
            except grpc.aio.AioRpcError as problem:
                if problem.code() not in AWAY:
                    raise
                _log.debug("no content after %d: %s", news[-1].position, problem.code())
                await asyncio.sleep(AGAIN)
            else:
                changes = with_content(news, subjects, told, again=True)
                return [*map(Carried, news, changes)]
