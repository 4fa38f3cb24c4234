"""The fan-out: one task sends the frames of live events to all viewers of a process.

Problem. Thousands of viewers watch one table, and each event concerns all of them. A task, a queue and a buffer for
each would cost memory, and a wake-up for each event. A viewer who reads slowly, or resumes far behind, must not delay
the others.

Idea. A viewer is a socket and a position in one sequence of frames, as in a log such as Apache Kafka. It has no task,
queue or buffer while idle. ``Ring`` has the latest frames. One task passes over all viewers and writes the frames that
each lacks. Viewers of a topic at one position share the bytes. A viewer whose socket buffer is full is skipped until it
has read. A viewer behind the ring gets batches from the record, ``MAX_CONCURRENT_REPLAYS`` at a time.

A record can be restored from a backup, and a position then has another event. So each id of an event contains its
fingerprint. A viewer whose fingerprint differs gets a reset, then every event from the first.

Invariants:

- Since its last reset, a viewer was sent every frame of its topic up to ``Viewer.position``, in order.
- While a batch of a viewer is pending (``replaying``), no frame of the ring is sent to it.
- The events after ``Ring.before`` are complete. A viewer whose next frame is not in the ring is served from the record.
- After ``restart`` every stream ends. Its client resumes with its last event id.

Cost. A frame is encoded once for all viewers of a kind of topic. A pass costs one call for each viewer. The task
yields to the event loop after ``SEND_SLICE_SECONDS``, and pauses for as long as the last pass took. A viewer of
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
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Protocol

from faristol.fanout.connection import Connection, Listener
from faristol.fanout.frames import OPENING, UNREADABLE, Batch, batch, chunk, heartbeat
from faristol.fanout.ring import Entry, Gone, Ring, Topic

STREAM_HEARTBEAT_SECONDS = 15.0
"""Maximum silence of a stream in seconds, after which a comment is sent."""

MIN_RING_CAPACITY = 8_192
"""Minimum capacity of the ring in events."""

MAX_POSITIONS_AHEAD = 10_000
"""Limit by which a client's position may exceed the known end of the record, before it counts as of another record."""

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


class Unavailable(Exception):
    """The record cannot be read now."""


class Source(Protocol):
    """Record of the events, for viewers behind the ring."""

    async def batch(self, topic: Any, after: int, /) -> Batch:
        """Return the next frames of a topic after a position. Raises ``Unavailable``."""

    async def fingerprint_at(self, position: int, /) -> str:
        """Return the fingerprint of the event at a position; empty without one. Raises ``Unavailable``."""

    def reset(self, topic: Any, /) -> Batch:
        """Return the frame that tells a client to discard its data, since every event follows from the first."""


class Audience:
    """Viewers of one topic."""

    __slots__ = ("_made", "_made_at", "ring", "topic", "viewers")

    def __init__(self, topic: Topic, ring: Ring) -> None:
        self.topic = topic
        self.ring = ring
        self.viewers: set[Viewer] = set()
        self._made: dict[int, Batch] = {}
        self._made_at = -1

    def after(self, position: int) -> Batch:
        """Return the next frames after a position, made once for all viewers there. Raises ``Gone``."""
        if self._made_at != self.ring.version:
            self._made, self._made_at = {}, self.ring.version
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
        line: Connection,
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
            self.heard_at = _now()
        self.position, self.fingerprint = data.position, data.fingerprint

    def go_on(self) -> None:
        """Send the ready frames of the ring; from the record if the ring begins later or the past may differ."""
        audience = self.audience
        while not self.paused and not self.replaying and self.position < audience.ring.position:
            try:
                found = None if self.given else audience.after(self.position)
            except Gone:
                found = None
            if found is None:
                self._fanout._replay(self)
            elif found.position > self.position:
                self.write(found)
            else:
                return  # the next frame is not ready

    def resume_writing(self) -> None:
        """Send the missing frames after the client has read."""
        super().resume_writing()
        self.go_on()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        self._fanout._leave(self)
        super().connection_lost(exc)


class Fanout:
    """All viewers of a process. Its interface is ``join``, ``publish``, ``notify``, ``restart`` and ``run``."""

    def __init__(self, source: Source, is_live: Callable[[], bool]) -> None:
        """Create the fan-out. ``is_live`` returns True while events are published."""
        self.ring = Ring(MIN_RING_CAPACITY)
        self._source = source
        self._is_live = is_live
        self._heartbeat = STREAM_HEARTBEAT_SECONDS
        self._audiences: dict[Topic, Audience] = {}
        self._begun = asyncio.Event()
        self._moved = asyncio.Event()
        self._logged_at = -math.inf
        self._replays: deque[Viewer] = deque()
        self._working = 0
        self._workers: set[asyncio.Task[None]] = set()

    def join(
        self,
        topic: Topic,
        position: int,
        line: Connection,
        left: Callable[[], None],
        *,
        chunked: bool,
        given: str = "",
    ) -> Viewer:
        """Add a client to the viewers of a topic after a position and return its ``Viewer``.

        ``left`` is called when the connection is lost. If ``given`` is not the fingerprint of the event there, the
        client receives a reset and every event.
        """
        audience = self._audiences.get(topic)
        if audience is None:
            audience = self._audiences[topic] = Audience(topic, self.ring)
        viewer = Viewer(self, audience, position, line, left, chunked=chunked, given=given)
        audience.viewers.add(viewer)
        is_of_another = self._is_of_another(viewer, self.ring.fingerprint_at(position))
        opening = batch((), position, viewer.fingerprint)
        if is_of_another:
            opening = self._source.reset(topic)
        elif is_of_another is not None and self._in_ring(viewer):
            opening = audience.after(position)
        data = OPENING + opening.frames
        viewer.write(opening._replace(frames=data, chunk=chunk(data)))
        if viewer.given and position <= self.ring.position:
            self._replay(viewer)
        viewer.go_on()
        if not self._begun.is_set():
            self._replay(viewer)
        return viewer

    def publish(self, entries: Sequence[Entry], position: int, fingerprint: str) -> None:
        """Send the next events, which are complete up to ``position``."""
        self.ring.add(entries, position, fingerprint)
        if entries:
            self._moved.set()

    def notify(self) -> None:
        """Send the frames that have become ready."""
        self.ring.version += 1
        self._moved.set()

    def restart(self, position: int, fingerprint: str) -> None:
        """Begin after a position, and end all streams: viewers may have frames of another record."""
        for viewer in self._list_viewers() if self._begun.is_set() else ():
            viewer.shutdown()
        self.ring.restart(position, fingerprint)
        self._begun.set()
        self._moved.set()

    @property
    def watching(self) -> int:
        """Number of viewers."""
        return sum(len(audience.viewers) for audience in self._audiences.values())

    @property
    def topics(self) -> Iterable[Any]:
        """Topics with viewers."""
        return self._audiences.keys()

    async def run(self) -> None:
        """Send frames and heartbeats until cancelled."""
        beat = _now() + self._heartbeat / 3
        try:
            while True:
                try:
                    async with asyncio.timeout_at(beat):
                        await self._moved.wait()
                except TimeoutError:
                    pass
                self._moved.clear()
                began = _now()
                await self._for_each_viewer(Viewer.go_on)
                if began >= beat:
                    silent_since = began - self._heartbeat * 2 / 3
                    await self._for_each_viewer(partial(self._send_heartbeat, silent_since))
                    beat = began + self._heartbeat / 3
                await asyncio.sleep(max(MIN_PASS_DELAY_SECONDS, _now() - began))
        finally:
            for task in self._workers:
                task.cancel()

    # --- viewers --------------------------------------------------------------------------------------------------

    def _list_viewers(self) -> list[Viewer]:
        return [viewer for audience in self._audiences.values() for viewer in audience.viewers]

    async def _for_each_viewer(self, do: Callable[[Viewer], None]) -> None:
        """Apply a function to every viewer, a few milliseconds at a time."""
        until = _now() + SEND_SLICE_SECONDS
        for viewer in self._list_viewers():
            do(viewer)
            if _now() > until:
                await asyncio.sleep(0)
                until = _now() + SEND_SLICE_SECONDS

    def _leave(self, viewer: Viewer) -> None:
        audience = viewer.audience
        audience.viewers.discard(viewer)
        if not audience.viewers and self._audiences.get(audience.topic) is audience:
            del self._audiences[audience.topic]

    def _send_heartbeat(self, silent_since: float, viewer: Viewer) -> None:
        """Send a heartbeat with the position to a silent viewer, or a reset if its position is beyond the record."""
        if viewer.heard_at > silent_since or viewer.paused:
            return
        is_ahead = viewer.position == viewer.came_at and viewer.position > self.ring.position
        if is_ahead and self._is_live():
            # The client comes from another record, or this one was restored: no gateway lags so far behind another.
            viewer.given = ""
            viewer.write(self._source.reset(viewer.audience.topic))
            viewer.go_on()
        else:
            viewer.write(heartbeat(viewer.position, viewer.given or viewer.fingerprint))

    def _is_of_another(self, viewer: Viewer, fingerprint: str) -> bool | None:
        """Check whether a new viewer's position is from a different past than that of the record.

        ``fingerprint`` is that of the event there, if known. None if the answer is not known yet.
        """
        if not self._begun.is_set():
            return None if viewer.given else False
        is_beyond = viewer.position > self.ring.position + MAX_POSITIONS_AHEAD
        if viewer.given and viewer.given != UNREADABLE and not is_beyond and not fingerprint:
            return None
        given, viewer.given = viewer.given, ""
        viewer.fingerprint = given or viewer.fingerprint
        return is_beyond or given == UNREADABLE or bool(given and given != fingerprint)

    def _in_ring(self, viewer: Viewer) -> bool:
        """Check whether the ring has, or will have, the next frames of a viewer."""
        if not self._begun.is_set():
            return False
        try:
            viewer.audience.after(viewer.position)
        except Gone:
            return False
        return True

    # --- the record before the ring -------------------------------------------------------------------------------

    def _replay(self, viewer: Viewer) -> None:
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
            await self._begun.wait()
            while self._replays:
                viewer = self._replays.popleft()
                ahead = viewer.position - self.ring.position
                if viewer.given and 0 < ahead <= MAX_POSITIONS_AHEAD:
                    viewer.replaying = False  # it arrives later, or ``_send_heartbeat`` resets the client
                    continue
                try:
                    await self._advance(viewer)
                except Unavailable as problem:
                    _log.debug("no batch after %d: %s", viewer.position, problem)
                    self._replays.append(viewer)
                    await asyncio.sleep(BATCH_RETRY_SECONDS)
                    continue
                except Exception as problem:  # noqa: BLE001 # a defect that concerns one viewer: the others continue
                    self._log_defect(problem)
                    viewer.shutdown()
                viewer.replaying = False
                viewer.go_on()
        finally:
            self._working -= 1

    async def _advance(self, viewer: Viewer) -> None:
        """Send a viewer the next batch from the record. Raises ``Unavailable``, and permanent errors."""
        if viewer.paused:
            return
        await self._compare_past(viewer)
        if self._in_ring(viewer):
            return
        found = await self._source.batch(viewer.audience.topic, viewer.position)
        if found.position <= viewer.position:
            raise Unavailable("the record lags")
        if not viewer.paused:
            viewer.write(found)

    async def _compare_past(self, viewer: Viewer) -> None:
        """Compare the past of a viewer and reset it if it differs. Raises ``Unavailable``."""
        is_of_another = self._is_of_another(viewer, self.ring.fingerprint_at(viewer.position))
        if is_of_another is None:
            fingerprint = await self._source.fingerprint_at(viewer.position)
            if not fingerprint:  # an older service has no fingerprints
                viewer.given = ""
            is_of_another = self._is_of_another(viewer, fingerprint)
        if is_of_another and not viewer.paused:
            viewer.write(self._source.reset(viewer.audience.topic))

    def _log_defect(self, problem: Exception) -> None:
        """Log a defect that ends streams, at intervals: clients reconnect every two seconds."""
        if _now() - self._logged_at >= LOG_INTERVAL_SECONDS:
            self._logged_at = _now()
            _log.error("streams end, because their data cannot be written", exc_info=problem)


def _now() -> float:
    """Return the time of the loop's clock."""
    return asyncio.get_running_loop().time()
