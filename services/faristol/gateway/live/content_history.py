"""Ring of the latest frames with content: each change is loaded and encoded once for all viewers.

A task runs while any viewer wants content. It handles the notifications that arrived in the meantime together, so a
burst loads each answer once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import grpc

from faristol.gateway.live.content import (
    Snapshot,
    Subject,
    ask,
    compute_change,
    is_covered,
    is_of_all_rounds,
    subjects_of,
)
from faristol.gateway.live.sse import FRAME_BATCH_SIZE, Ring, frame, without_name
from faristol.gateway.rpc.concurrency import ask_each
from faristol.gateway.rpc.results import Moment, Results
from faristol.kernel.bounded import store_bounded
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb

CONTENT_CALL_LIMIT = 4
"""Limit of concurrent calls for a batch."""

CONTENT_RETRY_SECONDS = 0.5
"""Delay in seconds before a failed call is retried."""

FRAME_LIFETIME_SECONDS = 60.0
"""Lifetime of frames in seconds. They contain names, and an erasure has no notification."""

MAX_SNAPSHOTS = 4_096
"""Limit of subjects with a remembered snapshot."""

ABSENT_CODES = frozenset(
    {grpc.StatusCode.NOT_FOUND, grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.FAILED_PRECONDITION}
)
"""Status codes for a subject that does not exist yet or any longer: an unopened game, an unpaired round."""

INTERRUPTED_CODES = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.UNKNOWN,
    }
)
"""Status codes of a service that is unavailable or restarts. Any other error would recur."""

EVERYTHING = Topic(with_content=True)

_log = logging.getLogger(__name__)

T = TypeVar("T")

Changes = Mapping[Subject, bytes]
"""Changes as JSON; empty without a change."""


class Content:
    """Loader of the changes that notifications announce."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._known: OrderedDict[Subject, Snapshot] = OrderedDict()
        """Last snapshot of each subject."""
        self.asked = 0
        """Number of calls for answers."""

    async def subjects(self, news: Sequence[pb.FollowResponse], topic: Topic) -> list[list[Subject]]:
        """Return the subjects of each notification that a topic includes."""
        rounds: dict[str, Iterable[int]] = {}
        found = []
        for piece in news:
            of = piece.tournament_id
            if of not in rounds and is_of_all_rounds(piece):
                rounds[of] = await self._rounds(of, news[-1].position)
            found.append([each for each in subjects_of(piece, rounds.get(of, ())) if is_covered(each, topic)])
        return found

    async def _rounds(self, tournament_id: str, position: int) -> Iterable[int]:
        answer = await _unless_absent(self._results.tournament(tournament_id, Moment(position)))
        return [each.round for each in answer.tournament.played] if answer else ()

    async def whole(self, subjects: Iterable[Subject], position: int) -> Changes:
        """Return whole answers at a position or later."""
        told = {}
        for subject in subjects:
            made = await self._change(subject, position, None, 0)
            told[subject] = made[0] if made else b""
        return told

    async def of_past(self, news: Sequence[pb.FollowResponse], topic: Topic) -> list[list[bytes]]:
        """Return the content of past notifications: current whole answers, each with its first notification."""
        if not news:
            return []
        subjects = await self.subjects(news, topic)
        told = await self.whole({each for of in subjects for each in of}, news[-1].position)
        return [[text for _, text in each] for each in with_content(news, subjects, told, again=False)]

    async def since(self, firsts: Mapping[Subject, int], position: int) -> Changes:
        """Return the changes since the last ones. ``firsts`` are positions of the first notifications since then."""

        async def change(subject: Subject) -> tuple[bytes, Snapshot] | None:
            return await self._change(subject, position, self._known.get(subject), firsts[subject])

        found = await ask_each(change, firsts, CONTENT_CALL_LIMIT)
        for subject, made in found.items():  # after all succeeded: a retry uses the same snapshots
            if made:
                store_bounded(self._known, subject, made[1], MAX_SNAPSHOTS)
        return {subject: made[0] if made else b"" for subject, made in found.items()}

    def clear_snapshots(self) -> None:
        """Forget all snapshots, so that the next change of each subject is the whole answer."""
        self._known.clear()

    async def _change(
        self, subject: Subject, position: int, base: Snapshot | None, first: int
    ) -> tuple[bytes, Snapshot] | None:
        """Return the change as JSON and the new snapshot; None if the subject does not exist."""
        self.asked += 1
        answer = await _unless_absent(ask(self._results, subject, position))
        return None if answer is None else await asyncio.to_thread(compute_change, subject, answer, base, first)


async def _unless_absent(answer: Awaitable[T]) -> T | None:
    try:
        return await answer
    except grpc.aio.AioRpcError as problem:
        if problem.code() in ABSENT_CODES:
            return None
        raise


def with_content(
    news: Sequence[pb.FollowResponse], subjects: Sequence[Sequence[Subject]], told: Changes, *, again: bool
) -> list[list[tuple[Subject, bytes]]]:
    """Return the changes for each frame: those of a subject with the first notification about it.

    With ``again``, they are repeated with the last one, for a client that resumes in the middle from another gateway.
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


MAX_FRAME_VARIANTS = 16
"""Limit of cached frames for a notification: topics can combine changes in thousands of ways."""


class NewsChanges:
    """Notification with changes, which are filtered for each topic."""

    __slots__ = ("_changes", "_made", "_news")

    def __init__(self, news: pb.FollowResponse, changes: Sequence[tuple[Subject, bytes]]) -> None:
        self._news = news
        self._changes = changes
        self._made: dict[tuple[bool | bytes, ...], bytes] = {}

    def frame(self, topic: Topic) -> bytes:
        """Return the frame for a topic; topics with equal changes share it, up to ``MAX_FRAME_VARIANTS`` frames."""
        texts = tuple(text for subject, text in self._changes if is_covered(subject, topic))
        if (found := self._made.get((topic.is_named, *texts))) is None:
            found = frame(self._news, texts)
            found = found if topic.is_named else without_name(found)
            if len(self._made) < MAX_FRAME_VARIANTS:
                self._made[topic.is_named, *texts] = found
        return found


class ContentRing(Ring[NewsChanges]):
    """Ring of the latest frames with content, and the task that encodes them."""

    def __init__(
        self, content: Content, kept: int, moved: Callable[[], None], failed: Callable[[Exception], None]
    ) -> None:
        """Create the ring. ``moved`` is called after new frames, ``failed`` after an error."""
        super().__init__(kept)
        self.content = content
        self._moved = moved
        self._failed = failed
        self._is_on = False
        self._coming: list[pb.FollowResponse] = []
        self._heard = 0
        """Position up to which ``_coming`` is complete."""
        self._heard_fingerprint = ""
        """Fingerprint of the event there."""
        self._come = asyncio.Event()
        self._ages: deque[tuple[float, int]] = deque()
        """Times and positions of the ring within the lifetime of frames."""

    def start(self, position: int, fingerprint: str) -> None:
        """Start after a position when the first viewer arrives."""
        if not self._is_on:
            self._is_on = True
            self.begin(position, fingerprint)

    def stop(self) -> None:
        """Stop when the last viewer has left."""
        self._is_on = False
        self._coming = []

    def begin(self, position: int, fingerprint: str = "") -> None:
        """Restart empty after a position."""
        super().begin(position, fingerprint)
        self._coming, self._heard, self._heard_fingerprint = [], position, fingerprint
        self._ages.clear()
        self.content.clear_snapshots()

    def age(self, now: float) -> None:
        """Drop expired frames. ``now`` is in seconds of the loop's clock; must be called periodically."""
        self._ages.append((now, self.position))
        while self._ages[0][0] <= now - FRAME_LIFETIME_SECONDS:
            self.drop(self._ages.popleft()[1])

    def add_news(self, news: Sequence[pb.FollowResponse], position: int, fingerprint: str) -> None:
        """Accept the next notifications, which are complete up to ``position``."""
        if not self._is_on:
            return
        if len(self._coming) > self.kept:  # the answers are unavailable: waiting viewers read from the record instead
            self.begin(position, fingerprint)
            return
        self._coming += news
        self._heard, self._heard_fingerprint = position, fingerprint
        self._come.set()

    async def run(self) -> None:
        """Encode frames until cancelled."""
        while True:
            await self._come.wait()
            self._come.clear()
            try:
                while self._is_on and self._heard > self.position:
                    await self._take()
            except Exception as problem:  # noqa: BLE001 # a defect: later changes would not fit
                self.begin(self._heard, self._heard_fingerprint)
                self._failed(problem)

    async def _take(self) -> None:
        """Encode the next batch of frames."""
        coming = self._coming
        batch = coming[:FRAME_BATCH_SIZE]
        position, fingerprint = self._heard, self._heard_fingerprint
        if len(batch) < len(coming):
            position, fingerprint = batch[-1].position, batch[-1].fingerprint
        frames = await self._load_content(batch) if batch else []
        if self._coming is not coming:  # the ring was restarted
            return
        del coming[: len(batch)]
        self.add(batch, position, frames, fingerprint)
        if batch:
            self._moved()

    async def _load_content(self, news: Sequence[pb.FollowResponse]) -> list[NewsChanges]:
        while True:
            try:
                subjects = await self.content.subjects(news, EVERYTHING)
                firsts: dict[Subject, int] = {}
                for piece, of in zip(news, subjects, strict=True):
                    for subject in of:
                        firsts.setdefault(subject, piece.position)
                told = await self.content.since(firsts, news[-1].position)
            except grpc.aio.AioRpcError as problem:
                if problem.code() not in INTERRUPTED_CODES:
                    raise
                _log.debug("no content after %d: %s", news[-1].position, problem.code())
                await asyncio.sleep(CONTENT_RETRY_SECONDS)
            else:
                changes = with_content(news, subjects, told, again=True)
                return [*map(NewsChanges, news, changes)]
