"""The fan-out: one task sends the frames of live events to all viewers of a process.

Problem. Thousands of viewers watch one table, and each event concerns all of them. A task, a queue and a buffer for
each would cost memory, and a wake-up for each event. A viewer who reads slowly, or resumes far behind, must not delay
the others.

Idea. A viewer is a socket and a position in one sequence of frames, as in a log such as Apache Kafka. It has no task,
queue or buffer while idle. ``Ring`` has the latest frames. One task passes over all viewers and writes the frames that
each lacks. Viewers of a topic at one position share the bytes. A viewer whose socket buffer is full is skipped until it
has read. A viewer behind the ring gets batches from the record, ``MAX_CONCURRENT_REPLAYS`` at a time. Viewers that
reconnect together wait for the same batch (single-flight).

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
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Protocol

from faristol.fanout.frames import OPENING, UNREADABLE, Batch, batch, chunk, heartbeat
from faristol.fanout.replays import Place, Replays, Unavailable, for_each
from faristol.fanout.ring import Entry, Gone, Ring, Topic
from faristol.fanout.viewers import Audience, Connection, Viewer

STREAM_HEARTBEAT_SECONDS = 15.0
"""Maximum silence of a stream in seconds, after which a comment is sent."""

MIN_RING_CAPACITY = 8_192
"""Minimum capacity of the ring in events."""

MAX_POSITIONS_AHEAD = 10_000
"""Limit by which a client's position may exceed the known end of the record, before it counts as of another record."""

MIN_PASS_DELAY_SECONDS = 0.005
"""Minimum delay in seconds between two rounds through all viewers; at least the duration of the last round."""


class Source(Protocol):
    """Record of the events, for viewers behind the ring."""

    async def batch(self, topic: Any, after: int, /) -> Batch:
        """Return the next frames of a topic after a position. Raises ``Unavailable``."""

    async def fingerprint_at(self, position: int, /) -> str:
        """Return the fingerprint of the event at a position; empty without one. Raises ``Unavailable``."""

    def reset(self, topic: Any, /) -> Batch:
        """Return the frame that tells a client to discard its data, since every event follows from the first."""


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
        self._replays = Replays(self._read, self._begun)

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
            audience = self._audiences[topic] = Audience(topic, self.ring, self._replays.add, self._leave)
        viewer = Viewer(audience, position, line, left, chunked=chunked, given=given)
        audience.viewers.add(viewer)
        is_of_another = self._is_of_another(position, given, self.ring.fingerprint_at(position))
        opening = batch((), position, given)
        if is_of_another:
            opening = self._source.reset(topic)
        elif is_of_another is not None and self._in_ring(audience, position):
            opening = audience.after(position)
        data = OPENING + opening.frames
        viewer.write(opening._replace(frames=data, chunk=chunk(data)))
        if is_of_another is not None:
            viewer.given = ""
        elif position <= self.ring.position:
            self._replays.add(viewer)
        viewer.go_on()
        if not self._begun.is_set():
            self._replays.add(viewer)
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
        if self._begun.is_set():
            self._replays.clear()
            for viewer in self._list_viewers():
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
                await for_each(self._list_viewers(), Viewer.go_on)
                if began >= beat:
                    silent_since = began - self._heartbeat * 2 / 3
                    await for_each(self._list_viewers(), partial(self._send_heartbeat, silent_since))
                    beat = began + self._heartbeat / 3
                await asyncio.sleep(max(MIN_PASS_DELAY_SECONDS, _now() - began))
        finally:
            self._replays.cancel()

    # --- viewers --------------------------------------------------------------------------------------------------

    def _list_viewers(self) -> list[Viewer]:
        return [viewer for audience in self._audiences.values() for viewer in audience.viewers]

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

    def _is_of_another(self, position: int, given: str, fingerprint: str) -> bool | None:
        """Check whether a client's position and fingerprint are of a different past than that of the record.

        ``fingerprint`` is that of the event there, if known. None if the answer is not known yet.
        """
        if not self._begun.is_set():
            return None if given else False
        if position > self.ring.position + MAX_POSITIONS_AHEAD or given == UNREADABLE:
            return True
        if given and not fingerprint:
            return None
        return bool(given) and given != fingerprint

    def _in_ring(self, audience: Audience, position: int) -> bool:
        """Check whether the ring has, or will have, the next frames after a position."""
        if not self._begun.is_set():
            return False
        try:
            audience.after(position)
        except Gone:
            return False
        return True

    # --- the record before the ring -------------------------------------------------------------------------------

    async def _read(self, place: Place) -> Batch | None:
        """Return the next batch at a place; None if the ring has it, or will. Raises ``Unavailable``, and defects.

        The batch is empty if only the fingerprint was compared.
        """
        audience, position, given = place
        if given and 0 < position - self.ring.position <= MAX_POSITIONS_AHEAD:
            return None  # it arrives later, or ``_send_heartbeat`` resets the client
        fingerprint = self.ring.fingerprint_at(position)
        is_of_another = self._is_of_another(position, given, fingerprint)
        if is_of_another is None:
            fingerprint = await self._source.fingerprint_at(position)
            is_of_another = bool(fingerprint) and fingerprint != given  # an older service has no fingerprints
        if is_of_another:
            return self._source.reset(audience.topic)
        if self._in_ring(audience, position):
            return batch((), position, given) if given else None
        found = await self._source.batch(audience.topic, position)
        if found.position <= position:
            raise Unavailable("the record lags")
        return found


def _now() -> float:
    """Return the time of the loop's clock."""
    return asyncio.get_running_loop().time()
