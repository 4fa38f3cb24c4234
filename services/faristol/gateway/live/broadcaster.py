"""The fan-out: one task sends the frames of live events to all viewers of a gateway process.

Problem. Thousands of viewers watch one table, and each event concerns all of them. A task, a queue and a buffer for
each would cost memory, and a wake-up for each event. A viewer that reads slowly, or resumes far behind, must not delay
the others.

Idea. A viewer is a socket and a position in one sequence of frames, as in a log such as Apache Kafka. It has no task,
queue or buffer while idle. ``Ring`` has the latest frames. One task passes over all viewers and writes the frames that
each lacks. Viewers of a topic at one position share the bytes. A viewer whose socket buffer is full is skipped until it
has read. A viewer behind the ring gets batches from the record, ``MAX_CONCURRENT_REPLAYS`` at a time.

A record can be restored from a backup, and a position then has another event. So each id of an event contains its
fingerprint. A viewer whose fingerprint differs gets a reset, then every notification from the first.

Invariants:

- Since its last reset, a viewer was sent every frame of its topic up to ``Viewer.position``, in order.
- While a batch of a viewer is pending (``replaying``), no frame of the ring is sent to it.
- The frames after ``Ring.before`` are complete. A viewer before that position is served from the record.
- After a restart of the subscription every stream ends. Its client resumes with its last event id.

Cost. A notification is encoded once for all topics, apart from its content. A pass costs one call for each viewer. The
task yields to the event loop after ``SEND_SLICE_SECONDS``, and pauses for as long as the last pass took. A viewer of
10,000 costs the gateway 10 to 13 kB (docs/scale.md).

Rejected alternatives (docs/decisions/0005-fan-out.md):

- A ``StreamingResponse`` for each viewer: a task and a buffer for each, also while no event happens.
- A separate push server: one more process to operate, and one more place for access rules.
- WebSockets: proxies of schools block them more often, and viewers send no data.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import grpc

from faristol.gateway.api.parameters import LAST_POSITION
from faristol.gateway.http.limits import HandedOverConnection
from faristol.gateway.live.content_history import INTERRUPTED_CODES, Content, ContentRing
from faristol.gateway.live.known_tournaments import KnownTournaments
from faristol.gateway.live.listener import Listener
from faristol.gateway.live.record_batches import RecordBatches
from faristol.gateway.live.sse import (
    OPENING,
    UNREADABLE,
    Batch,
    Plain,
    Ring,
    batch,
    chunk,
    heartbeat,
    reset,
)
from faristol.gateway.live.subscriptions import MAX_POSITIONS_AHEAD
from faristol.gateway.live.upstream import NewsSubscription
from faristol.gateway.rpc.results import Results
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.text import LANGUAGES

STREAM_HEARTBEAT_SECONDS = 15.0
"""Maximum silence of a stream in seconds, after which a comment is sent."""

MIN_RING_CAPACITY = 8_192
"""Minimum capacity of the ring in frames."""

SEND_SLICE_SECONDS = 0.005
"""Seconds of sending after which the task yields to the event loop."""

MIN_PASS_DELAY_SECONDS = 0.005
"""Minimum delay in seconds between two rounds through all viewers; at least the duration of the last round."""

MAX_CONCURRENT_REPLAYS = 8
"""Limit of concurrent batches for viewers behind the ring."""

BATCH_RETRY_SECONDS = 0.5
"""Delay in seconds before a failed batch is fetched again."""

LOG_INTERVAL_SECONDS = 60.0
"""Minimum interval in seconds between log messages about a defect."""

_log = logging.getLogger(__name__)


class Audience:
    """Viewers of one topic."""

    __slots__ = ("_made", "_made_at", "ring", "topic", "viewers")

    def __init__(self, topic: Topic, ring: Ring[Any]) -> None:
        self.topic = topic
        self.ring = ring
        self.viewers: set[Viewer] = set()
        self._made: dict[int, Batch] = {}
        self._made_at = -1

    def after(self, position: int) -> Batch:
        """Return the next frames after a position, made once for all viewers there."""
        if self._made_at != self.ring.position:
            self._made, self._made_at = {}, self.ring.position
        if (found := self._made.get(position)) is None:
            found = self._made[position] = self.ring.after(self.topic, position)
        return found


class Viewer(Listener):
    """Client of a stream, with the position of the frames that it was sent."""

    __slots__ = ("_fanout", "audience", "came_at", "fingerprint", "given", "heard_at", "position", "replaying")

    def __init__(
        self,
        fanout: Fanout,
        audience: Audience,
        position: int,
        line: HandedOverConnection,
        left: Callable[[], None],
        *,
        chunked: bool,
        given: str = "",
    ) -> None:
        """Take over a connection after a position."""
        super().__init__(line, left, chunked=chunked)
        self.audience = audience
        self.position = position
        """Position up to which every frame of the topic was sent."""
        self.came_at = position
        """Position from which the client resumed."""
        self.fingerprint = ""
        """Fingerprint of the event at ``position``; empty if unknown."""
        self.given = given
        """Fingerprint sent by the client, until it is compared with the record; empty without one."""
        self.replaying = False
        """True while a batch from the record is pending."""
        self.heard_at = 0.0
        """Time of the last data, by the loop's clock."""
        self._fanout = fanout

    def write(self, data: Batch) -> None:
        """Send frames."""
        if data.frames and not self._line.transport.is_closing():  # asyncio would log a warning for each write
            self._line.transport.write(data.chunk if self.chunked else data.frames)
            self.heard_at = self._fanout.now()
        self.position, self.fingerprint = data.position, data.fingerprint

    def go_on(self) -> None:
        """Send the frames of the ring; from the record if the ring begins later or the past may differ."""
        ring = self.audience.ring
        while not self.paused and not self.replaying and self.position < ring.position:
            if self.given or self.position < ring.before:
                self._fanout.replay(self)
            else:
                self.write(self.audience.after(self.position))

    def resume_writing(self) -> None:
        """Send the missing frames after the client has read."""
        super().resume_writing()
        self.go_on()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        self._fanout.leave(self)
        super().connection_lost(exc)


class Fanout:
    """All viewers of a gateway process."""

    def __init__(self, tail: NewsSubscription, stub: results_pb2_grpc.ResultsServiceAsyncStub) -> None:
        """Create the fan-out. ``tail`` and ``stub`` must use the same results service."""
        self.ring = Ring[Plain](MIN_RING_CAPACITY)
        self.content_ring = ContentRing(
            Content(Results(stub, LANGUAGES[0])), MIN_RING_CAPACITY, lambda: self._moved.set(), self._end_content
        )
        self.tournaments = KnownTournaments()
        self._tail = tail
        self._batches = RecordBatches(stub, self.content_ring.content)
        self._heartbeat = STREAM_HEARTBEAT_SECONDS
        self._audiences: dict[Topic, Audience] = {}
        self._moved = asyncio.Event()
        self._said_at = -math.inf
        self._replays: deque[Viewer] = deque()
        self._working = 0
        self._workers: set[asyncio.Task[None]] = set()
        tail.on_news(self._add_news)
        tail.on_gap(self._begin)

    @staticmethod
    def now() -> float:
        """Return the time of the loop's clock."""
        return asyncio.get_running_loop().time()

    @property
    def last_position(self) -> int:
        """Known end of the record; before it is known, the largest possible position.

        A client that resumes during the start of this process is not refused: its position is compared later.
        """
        return self._tail.position if self._tail.begun.is_set() else LAST_POSITION

    def join(
        self,
        topic: Topic,
        position: int,
        line: HandedOverConnection,
        left: Callable[[], None],
        *,
        chunked: bool,
        given: str = "",
    ) -> Viewer:
        """Add a client to the viewers of a topic after a position and return its ``Viewer``.

        If ``given`` is not the fingerprint of the event there, the client receives a reset and every notification.
        """
        audience = self._audiences.get(topic)
        if audience is None:
            audience = self._audiences[topic] = Audience(topic, self._ring_of(topic))
        viewer = Viewer(self, audience, position, line, left, chunked=chunked, given=given)
        audience.viewers.add(viewer)
        is_of_another = self._is_of_another(viewer, self.ring.fingerprint_at(position))
        if is_of_another:
            opening = self._reset(viewer)
        elif is_of_another is None or not self._in_ring(audience, position):
            opening = batch((), position, viewer.fingerprint)
        else:
            opening = audience.after(position)
        data = OPENING + opening.frames
        viewer.write(opening._replace(frames=data, chunk=chunk(data)))
        if viewer.given and position <= self._tail.position:
            self.replay(viewer)
        viewer.go_on()
        if not self._tail.begun.is_set():
            self.replay(viewer)
        return viewer

    @property
    def watching(self) -> int:
        """Number of viewers."""
        return sum(len(audience.viewers) for audience in self._audiences.values())

    def _ring_of(self, topic: Topic) -> Ring[Any]:
        if not topic.with_content:
            return self.ring
        self.content_ring.start(self.ring.position, self.ring.fingerprint)
        return self.content_ring

    def _is_of_another(self, viewer: Viewer, fingerprint: str) -> bool | None:
        """Check whether a new viewer's position is from a different past than that of the record.

        ``fingerprint`` is that of the event there, if known. None if the answer is not known yet.
        """
        if not self._tail.begun.is_set():
            return None if viewer.given else False
        is_beyond = viewer.position > self._tail.position + MAX_POSITIONS_AHEAD
        if viewer.given and viewer.given != UNREADABLE and not is_beyond and not fingerprint:
            return None
        given, viewer.given = viewer.given, ""
        viewer.fingerprint = given or viewer.fingerprint
        return is_beyond or given == UNREADABLE or bool(given and given != fingerprint)

    def _reset(self, viewer: Viewer) -> Batch:
        """Return the frames that reset a viewer."""
        return reset(viewer.audience.topic, datetime.now(UTC))

    def _in_ring(self, audience: Audience, position: int) -> bool:
        return self._tail.begun.is_set() and position >= audience.ring.before

    def leave(self, viewer: Viewer) -> None:
        """Remove a viewer."""
        audience = viewer.audience
        audience.viewers.discard(viewer)
        if not audience.viewers and self._audiences.get(audience.topic) is audience:
            del self._audiences[audience.topic]
            if not any(topic.with_content for topic in self._audiences):
                self.content_ring.stop()

    async def run(self) -> None:
        """Send notifications and heartbeats until cancelled."""
        beat = self.now() + self._heartbeat / 3
        self._workers.add(asyncio.create_task(self.content_ring.run(), name="content"))
        try:
            while True:
                try:
                    async with asyncio.timeout_at(beat):
                        await self._moved.wait()
                except TimeoutError:
                    pass
                self._moved.clear()
                began = self.now()
                await self._for_each_viewer(Viewer.go_on)
                if began >= beat:
                    self.content_ring.age(began)
                    self._batches.drop_content()
                    silent_since = began - self._heartbeat * 2 / 3
                    await self._for_each_viewer(partial(self._send_heartbeat, silent_since))
                    beat = began + self._heartbeat / 3
                await asyncio.sleep(max(MIN_PASS_DELAY_SECONDS, self.now() - began))
        finally:
            for task in self._workers:
                task.cancel()
            self._batches.cancel()

    async def _for_each_viewer(self, do: Callable[[Viewer], None]) -> None:
        """Apply a function to every viewer, a few milliseconds at a time."""
        until = self.now() + SEND_SLICE_SECONDS
        for audience in [*self._audiences.values()]:
            for viewer in [*audience.viewers]:
                do(viewer)
                if self.now() > until:
                    await asyncio.sleep(0)
                    until = self.now() + SEND_SLICE_SECONDS

    def _send_heartbeat(self, silent_since: float, viewer: Viewer) -> None:
        """Send a heartbeat with the position to a silent viewer, or a reset if its position is beyond the record."""
        if viewer.heard_at > silent_since or viewer.paused:
            return
        is_ahead = viewer.position == viewer.came_at and viewer.position > self._tail.position
        if is_ahead and self._tail.connected:
            # The client comes from another record, or this one was restored: no gateway lags so far behind another.
            viewer.given = ""
            viewer.write(self._reset(viewer))
            viewer.go_on()
        else:
            viewer.write(heartbeat(viewer.position, viewer.given or viewer.fingerprint))

    def _add_news(self, news: Sequence[pb.FollowResponse]) -> None:
        position, fingerprint = self._tail.position, self._tail.fingerprint
        self.ring.add(news, position, map(Plain, news), fingerprint)
        self.content_ring.add_news(news, position, fingerprint)
        if news:
            self._moved.set()

    def _begin(self) -> None:
        """Reset all state when the subscription (re)starts: viewers may have frames of another record."""
        if self._tail.begun.is_set():
            for audience in [*self._audiences.values()]:
                for viewer in [*audience.viewers]:
                    viewer.shutdown()
        self.tournaments.clear()
        self._batches.clear()
        self.ring.begin(self._tail.position, self._tail.fingerprint)
        self.content_ring.begin(self._tail.position, self._tail.fingerprint)
        self._moved.set()

    def _end_content(self, problem: Exception) -> None:
        """End all streams with content, since the ring lacks their frames."""
        self._log_defect(problem)
        for audience in [*self._audiences.values()]:
            if audience.topic.with_content:
                for viewer in [*audience.viewers]:
                    viewer.shutdown()

    def _log_defect(self, problem: Exception) -> None:
        """Log a defect that ends streams, at intervals: clients reconnect every two seconds."""
        if self.now() - self._said_at >= LOG_INTERVAL_SECONDS:
            self._said_at = self.now()
            _log.error("streams end, because their data cannot be written", exc_info=problem)

    # --- the record before the ring -------------------------------------------------------------------------------

    def replay(self, viewer: Viewer) -> None:
        """Queue a viewer for its next batch from the record."""
        if viewer.replaying:
            return
        viewer.replaying = True
        self._replays.append(viewer)
        if self._working < MAX_CONCURRENT_REPLAYS:
            self._working += 1
            worker = asyncio.create_task(self._work(), name="replay")
            self._workers.add(worker)
            worker.add_done_callback(self._workers.discard)

    async def _work(self) -> None:
        try:
            await self._tail.begun.wait()
            while self._replays:
                viewer = self._replays.popleft()
                ahead = viewer.position - self._tail.position
                if viewer.given and 0 < ahead <= MAX_POSITIONS_AHEAD:
                    viewer.replaying = False  # it arrives later, or ``_send_heartbeat`` resets the client
                    continue
                try:
                    is_done = await self._advance(viewer)
                except Exception as problem:  # noqa: BLE001 # a defect that concerns one viewer: the others continue
                    self._log_defect(problem)
                    viewer.shutdown()
                    is_done = True
                if not is_done:
                    self._replays.append(viewer)
                    await asyncio.sleep(BATCH_RETRY_SECONDS)
                    continue
                viewer.replaying = False
                viewer.go_on()
        finally:
            self._working -= 1

    async def _advance(self, viewer: Viewer) -> bool:
        """Send a viewer the next batch from the record; return False if it is unavailable now."""
        if viewer.paused:
            return True
        if not await self._compare_past(viewer):
            return False
        return self._has_enough(viewer) or await self._send_batch(viewer)

    def _has_enough(self, viewer: Viewer) -> bool:
        """Check whether a viewer needs no batch now: it is paused, or the ring has its next frames."""
        return viewer.paused or self._in_ring(viewer.audience, viewer.position)

    async def _compare_past(self, viewer: Viewer) -> bool:
        """Compare the past of a viewer and reset it if it differs; return False if that is impossible now."""
        is_of_another = self._is_of_another(viewer, self.ring.fingerprint_at(viewer.position))
        if is_of_another is None:
            try:
                fingerprint = await self._batches.fingerprint_at(viewer.position)
            except grpc.aio.AioRpcError as problem:
                if problem.code() not in INTERRUPTED_CODES:
                    raise
                return False
            if not fingerprint:  # an older results service has no fingerprints
                viewer.given = ""
            is_of_another = self._is_of_another(viewer, fingerprint)
        if is_of_another and not viewer.paused:
            viewer.write(self._reset(viewer))
        return True

    async def _send_batch(self, viewer: Viewer) -> bool:
        """Send a viewer the next batch; return False if it is unavailable now. Raises permanent errors."""
        try:
            found = await self._batches.batch(viewer.audience.topic, viewer.position)
        except grpc.aio.AioRpcError as problem:
            if problem.code() not in INTERRUPTED_CODES:
                raise
            _log.debug("no batch after %d: %s", viewer.position, problem.code())
            return False
        if found.position <= viewer.position:  # the results service lags
            return False
        if not viewer.paused:
            viewer.write(found)
        return True
