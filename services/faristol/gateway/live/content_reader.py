"""The changes that notifications announce, read once for all viewers.

A task reads them while any viewer wants content. It handles the notifications that arrived in the meantime together, so
a burst reads each answer once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import grpc

from faristol.fanout import FRAME_BATCH_SIZE, Unavailable
from faristol.gateway.live.content import (
    Subject,
    ask,
    compute_change,
    is_covered,
    is_of_all_rounds,
    subjects_of,
)
from faristol.gateway.live.notifications import Notification
from faristol.gateway.rpc.calls import answer_or
from faristol.gateway.rpc.concurrency import ask_each
from faristol.gateway.rpc.results import Moment, Results
from faristol.kernel.bounded import store_bounded
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb

CONTENT_CALL_LIMIT = 4
"""Limit of concurrent calls for a batch."""

MAX_EARLIER_ANSWERS = 4_096
"""Limit of subjects with a stored answer."""

CONTENT_RETRY_SECONDS = 0.5
"""Delay in seconds before a failed call is retried."""

CONTENT_LIFETIME_SECONDS = 60.0
"""Lifetime of content in seconds. It contains names, and an erasure has no notification."""

MAX_PENDING_COUNT = 8_192
"""Limit of notifications whose content is not read yet. Beyond it, viewers read them from the record."""

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

Changes = list[list[tuple[Subject, bytes]]]
"""Changes as JSON, for each notification."""


class Content:
    """Reader of the changes that notifications announce."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._earlier: OrderedDict[Subject, bytes] = OrderedDict()
        """Last answer of each subject, in the format of protobuf."""

    async def of_live(self, news: Sequence[pb.FollowResponse]) -> Changes:
        """Return the changes of notifications since those before. Raises the errors of ``Results``.

        Those of a subject come with the first and the last notification about it: a client may resume in the middle
        from another gateway.
        """
        return await self._changes(news, EVERYTHING, self._earlier)

    async def of_past(self, news: Sequence[pb.FollowResponse], topic: Topic) -> list[list[bytes]]:
        """Return the content of past notifications: current whole answers, each with its first notification."""
        found = await self._changes(news, topic, None) if news else []
        return [[text for _, text in each] for each in found]

    def forget(self) -> None:
        """Forget all answers, so that the next change of each subject is the whole answer."""
        self._earlier = OrderedDict()  # a running call stores its answers in the old one

    async def _changes(
        self, news: Sequence[pb.FollowResponse], topic: Topic, earlier: OrderedDict[Subject, bytes] | None
    ) -> Changes:
        """Return the changes since earlier answers, which are then replaced; without them, whole answers."""
        places: dict[Subject, list[int]] = {}
        for at, subjects in enumerate(await self._subjects(news, topic)):
            for subject in subjects:
                places.setdefault(subject, []).append(at)
        position = news[-1].position

        async def change(subject: Subject) -> tuple[bytes, bytes] | None:
            answer = await answer_or(ask(self._results, subject, position), None, *ABSENT_CODES)
            if answer is None:
                return None
            base, first = earlier.get(subject) if earlier else None, news[places[subject][0]].position
            text = await asyncio.to_thread(compute_change, subject, answer, base, first)
            return text, answer.SerializeToString() if text or base is None else base

        made = await ask_each(change, places, CONTENT_CALL_LIMIT)
        found: Changes = [[] for _ in news]
        for subject, of_subject in made.items():  # after all succeeded: a retry uses the same answers
            if of_subject is None:
                continue
            text, answer = of_subject
            if earlier is not None:
                store_bounded(earlier, subject, answer, MAX_EARLIER_ANSWERS)
            first, last = places[subject][0], places[subject][-1]
            for at in {first, last if earlier is not None else first} if text else ():
                found[at].append((subject, text))
        return found

    async def _subjects(self, news: Sequence[pb.FollowResponse], topic: Topic) -> list[list[Subject]]:
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
        answer = await answer_or(self._results.tournament(tournament_id, Moment(position)), None, *ABSENT_CODES)
        return [each.round for each in answer.tournament.played] if answer else ()


class PendingContent:
    """Notifications whose content is not read yet, and those whose content has not expired."""

    def __init__(self, content: Content, notify: Callable[[], None]) -> None:
        """Create an empty queue. ``notify`` is called after the content of notifications has changed."""
        self._content = content
        self._notify = notify
        self._pending: list[Notification] = []
        self._ready: deque[tuple[float, Notification]] = deque()
        """Notifications with content, with its expiry by the loop's clock."""
        self._come = asyncio.Event()

    def add(self, entries: Iterable[Notification], *, is_wanted: bool) -> None:
        """Queue notifications, or leave them to the record if no viewer wants content or too many are pending."""
        self._pending += entries
        if is_wanted and len(self._pending) <= MAX_PENDING_COUNT:
            self._come.set()
        else:
            self.drop()

    def drop(self) -> None:
        """Drop pending notifications, which the record has too. Later changes begin with whole answers."""
        for each in self._pending:
            each.drop_changes()
        self._pending = []
        self._content.forget()

    async def run(self) -> None:
        """Read content until cancelled."""
        while True:
            try:
                async with asyncio.timeout(CONTENT_LIFETIME_SECONDS / 12):
                    await self._come.wait()
            except TimeoutError:
                pass
            self._come.clear()
            self._drop_expired()
            while self._pending:
                await self._read_content()
                self._drop_expired()

    async def _read_content(self) -> None:
        """Read the content of the next pending notifications."""
        pending = self._pending
        some = pending[:FRAME_BATCH_SIZE]
        try:
            with convert_interruptions():
                changes = await self._content.of_live([each.event for each in some])
        except Unavailable:
            await asyncio.sleep(CONTENT_RETRY_SECONDS)
            return
        except Exception as error:  # noqa: BLE001 # a defect: viewers read the record, which ends their streams
            _log.debug("no content after %d", some[0].position, exc_info=error)
            self.drop()
        else:
            if self._pending is not pending:  # restarted
                return
            del pending[: len(some)]
            expiry = asyncio.get_running_loop().time() + CONTENT_LIFETIME_SECONDS
            for each, of_each in zip(some, changes, strict=True):
                each.add_changes(of_each)
                self._ready.append((expiry, each))
        self._notify()

    def _drop_expired(self) -> None:
        expired = []
        while self._ready and self._ready[0][0] <= asyncio.get_running_loop().time():
            expired.append(self._ready.popleft()[1])
        for each in expired:
            each.drop_changes()
        if expired:
            self._notify()


@contextmanager
def convert_interruptions() -> Iterator[None]:
    """Raise ``Unavailable`` for an interrupted call of a service."""
    try:
        yield
    except grpc.aio.AioRpcError as error:
        if error.code() in INTERRUPTED_CODES:
            raise Unavailable(str(error.code())) from error
        raise
    except asyncio.CancelledError:
        if (task := asyncio.current_task()) is None or task.cancelling():
            raise
        # Only the call was cancelled: its channel was closed after certificates had been replaced.
        raise Unavailable("the channel was closed") from None
