"""The path of notifications from the subscription to viewers, with the changed content on request.

A task reads content while any viewer wants it. It handles the notifications that arrived in the meantime together, so a
burst reads each answer once.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable, Sequence

from faristol.fanout import FRAME_BATCH_SIZE, Fanout, Unavailable
from faristol.gateway.live.content_reader import Content, convert_interruptions
from faristol.gateway.live.notifications import Notification
from faristol.gateway.live.record_batches import RecordBatches
from faristol.gateway.live.upstream import NewsSubscription
from faristol.gateway.rpc.results import Results
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.text import LANGUAGES

CONTENT_RETRY_SECONDS = 0.5
"""Delay in seconds before a failed call is retried."""

CONTENT_LIFETIME_SECONDS = 60.0
"""Lifetime of content in seconds. It contains names, and an erasure has no notification."""

MAX_PENDING_COUNT = 8_192
"""Limit of notifications whose content is not read yet. Beyond it, viewers read them from the record."""

_log = logging.getLogger(__name__)


class Feed:
    """Notifications for the viewers of a gateway process. ``fanout`` sends them."""

    def __init__(self, tail: NewsSubscription, stub: results_pb2_grpc.ResultsServiceAsyncStub) -> None:
        """Connect a subscription to a fan-out. ``tail`` and ``stub`` must use the same results service."""
        self._tail = tail
        self._content = Content(Results(stub, LANGUAGES[0]))
        self._batches = RecordBatches(stub, self._content)
        self._pending: list[Notification] = []
        self._ready: deque[tuple[float, Notification]] = deque()
        """Notifications with content, with its expiry by the loop's clock."""
        self._come = asyncio.Event()
        self.fanout = Fanout(self._batches, lambda: tail.connected)
        tail.on_news(self._publish)
        tail.on_gap(self._restart)

    def _publish(self, news: Sequence[pb.FollowResponse]) -> None:
        entries = [*map(Notification, news)]
        is_wanted = any(topic.with_content for topic in self.fanout.topics)
        self._pending += entries
        if is_wanted and len(self._pending) <= MAX_PENDING_COUNT:
            self._come.set()
        else:
            self._drop_pending()
        self.fanout.publish(entries, self._tail.position, self._tail.fingerprint)

    def _restart(self) -> None:
        self._drop_pending()
        self._batches.clear()
        self.fanout.restart(self._tail.position, self._tail.fingerprint)

    def _drop_pending(self) -> None:
        """Leave pending notifications to the record. Later changes begin with whole answers."""
        _drop_changes(self._pending)
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
        except Exception as problem:  # noqa: BLE001 # a defect: viewers read the record, which ends their streams
            _log.debug("no content after %d", some[0].position, exc_info=problem)
            self._drop_pending()
        else:
            if self._pending is not pending:  # restarted
                return
            del pending[: len(some)]
            expiry = asyncio.get_running_loop().time() + CONTENT_LIFETIME_SECONDS
            for each, of_each in zip(some, changes, strict=True):
                each.add_changes(of_each)
                self._ready.append((expiry, each))
        self.fanout.notify()

    def _drop_expired(self) -> None:
        expired = []
        while self._ready and self._ready[0][0] <= asyncio.get_running_loop().time():
            expired.append(self._ready.popleft()[1])
        if expired:
            _drop_changes(expired)
            self.fanout.notify()


def _drop_changes(notifications: Iterable[Notification]) -> None:
    for each in notifications:
        each.drop_changes()
