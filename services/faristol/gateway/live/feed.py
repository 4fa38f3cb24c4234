"""The public notifications of all tournaments: received once by this process, for its cache and for its viewers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

import grpc

from faristol.fanout import Fanout
from faristol.gateway.api.parameters import LAST_POSITION
from faristol.gateway.live.content_reader import Content, PendingContent
from faristol.gateway.live.notifications import Notification
from faristol.gateway.live.record_batches import RecordBatches
from faristol.gateway.rpc.results import Results
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.text import LANGUAGES

PRELOADED_POSITION_COUNT = 2_000
"""Number of latest positions that are loaded at the start."""

UPSTREAM_SILENCE_SECONDS = 15.0
"""Timeout of a silent call in seconds; the results service sends a message every five."""

UPSTREAM_RETRY_SECONDS = 0.25
"""Delay between two calls in seconds."""

WARN_AFTER_ATTEMPTS = 20
"""Number of consecutive failed calls after which a warning is logged."""

_log = logging.getLogger(__name__)

OnNews = Callable[[Sequence[pb.FollowResponse]], None]
OnGap = Callable[[], None]


class NewsSubscription:
    """Notifications of all tournaments in order and exactly once, across restarts of the results service.

    Listeners are called in the event loop and must not block. Notifications are shared and must not be changed.
    """

    def __init__(
        self, stub: results_pb2_grpc.ResultsServiceAsyncStub, silence: float = UPSTREAM_SILENCE_SECONDS
    ) -> None:
        """Create the subscription. ``silence`` is in seconds and replaces ``UPSTREAM_SILENCE_SECONDS``."""
        self._stub = stub
        self._silence = silence
        self._on_news: list[OnNews] = []
        self._on_gap: list[OnGap] = []
        self._failures = 0
        self.position = 0
        """Position up to which everything public was delivered."""
        self.fingerprint = ""
        """Fingerprint of the event at ``position``, as in ``FollowResponse``; empty if unknown."""
        self.begun = asyncio.Event()
        """Event that is set when a position is known."""
        self.connected = False
        """True if the subscription is live."""

    @property
    def last_position(self) -> int:
        """Known end of the record; before it is known, the largest possible position.

        A client that resumes during the start of this process is not refused: its position is compared later.
        """
        return self.position if self.begun.is_set() else LAST_POSITION

    def on_news(self, call: OnNews) -> None:
        """Call ``call`` with the next notifications in order, after ``position`` has moved to the last.

        The sequence is empty if only ``position`` has moved.
        """
        self._on_news.append(call)

    def on_gap(self, call: OnGap) -> None:
        """Call ``call`` when the subscription restarts at ``position``, and notifications may have been missed.

        It is called at the start too.
        """
        self._on_gap.append(call)

    async def run(self) -> None:
        """Receive notifications until cancelled."""
        while True:
            try:
                await self._follow()
            except (grpc.aio.AioRpcError, TimeoutError) as error:
                self._log_failure(error)
            except asyncio.CancelledError:
                if (task := asyncio.current_task()) is None or task.cancelling():
                    raise
                # Only the call was cancelled: its channel was closed after certificates had been replaced.
            finally:
                self.connected = False
            await asyncio.sleep(UPSTREAM_RETRY_SECONDS)

    async def _follow(self) -> None:
        """Run one call, which resumes after the last one. Its first response confirms the position."""
        last = None if self.begun.is_set() else PRELOADED_POSITION_COUNT
        call = self._stub.Follow(pb.FollowRequest(after_position=self.position, last=last, marks=True))
        try:
            if (mark := await self._read(call)) is None:
                return
            self.connected, self._failures = True, 0
            if not self.begun.is_set() or self._is_of_another(mark):
                self._begin(mark)
            while (news := await self._read(call)) is not None:
                self.position, self.fingerprint = news.position, news.fingerprint
                self._notify((news,) if news.type else ())
        finally:
            call.cancel()

    async def _read(
        self, call: grpc.aio.UnaryStreamCall[pb.FollowRequest, pb.FollowResponse]
    ) -> pb.FollowResponse | None:
        async with asyncio.timeout(self._silence):
            found = await call.read()
        return found if isinstance(found, pb.FollowResponse) else None

    def _is_of_another(self, mark: pb.FollowResponse) -> bool:
        """Check whether the record has a different past than the delivered one."""
        is_other = bool(self.fingerprint and mark.fingerprint) and mark.fingerprint != self.fingerprint
        return mark.position != self.position or is_other

    def _begin(self, mark: pb.FollowResponse) -> None:
        """Restart at a position: at the start, if the record is behind, or if it is a different one."""
        if self.begun.is_set():
            was, now = self.position, mark.position
            _log.warning("the subscription has restarted: it was at %d, the record is at %d", was, now)
        self.position, self.fingerprint = mark.position, mark.fingerprint
        for call in self._on_gap:
            call()
        self.begun.set()

    def _notify(self, news: Sequence[pb.FollowResponse]) -> None:
        for call in self._on_news:
            call(news)

    def _log_failure(self, problem: grpc.aio.AioRpcError | TimeoutError) -> None:
        """Log a persistent failure once."""
        self._failures += 1
        if self._failures == WARN_AFTER_ATTEMPTS:
            why = problem.code().name if isinstance(problem, grpc.aio.AioRpcError) else "no message on the call"
            _log.warning("the results service sends no notifications (%s); the subscription is retried", why)


class Feed:
    """The fan-out of a subscription to the viewers of this process, with the changed content on request."""

    def __init__(self, tail: NewsSubscription, stub: results_pb2_grpc.ResultsServiceAsyncStub) -> None:
        """Connect a subscription to a fan-out. ``tail`` and ``stub`` must use the same results service.

        The caller must run ``content`` and ``fanout``.
        """
        content = Content(Results(stub, LANGUAGES[0]))
        self._tail = tail
        self._batches = RecordBatches(stub, content)
        self.fanout = Fanout(self._batches, lambda: tail.connected)
        self.content = PendingContent(content, self.fanout.notify)
        tail.on_news(self._publish)
        tail.on_gap(self._restart)

    def _publish(self, news: Sequence[pb.FollowResponse]) -> None:
        entries = [*map(Notification, news)]
        self.content.add(entries, is_wanted=any(topic.with_content for topic in self.fanout.topics))
        self.fanout.publish(entries, self._tail.position, self._tail.fingerprint)

    def _restart(self) -> None:
        self.content.drop()
        self._batches.clear()
        self.fanout.restart(self._tail.position, self._tail.fingerprint)
