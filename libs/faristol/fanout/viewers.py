"""Viewers of a stream: they receive the frames of the ring after the response headers, and must read them in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from faristol.fanout.frames import LAST_CHUNK, Batch
from faristol.fanout.ring import Gone, Ring, Topic

HIGH_WATER_BYTES = 16 * 1024
"""Bytes that may be buffered for a connection before its client is skipped."""

MAX_CLIENT_BYTES = 64 * 1024
"""Limit of the bytes that a client may send after its request."""


class Connection(Protocol):
    """Connection that a server has handed over."""

    @property
    def transport(self) -> asyncio.Transport:
        """Transport of the socket."""

    @property
    def write_seconds(self) -> float:
        """Timeout in seconds for the peer to read."""

    def release(self, protocol: asyncio.Protocol, /) -> None:
        """Uncount the connection of ``protocol``, which is lost."""


class Listener(asyncio.Protocol):
    """Connection of a stream's client."""

    __slots__ = ("_left", "_line", "_said", "_timer", "chunked", "paused")

    def __init__(self, line: Connection, left: Callable[[], None], *, chunked: bool) -> None:
        """Take over a connection. ``left`` is called when it is lost; ``chunked`` selects chunked encoding."""
        self.chunked = chunked
        self.paused = False
        """True if the buffer is full or the connection is closing."""
        self._line = line
        self._left = left
        self._said = 0
        self._timer: asyncio.TimerHandle | None = None
        line.transport.set_write_buffer_limits(HIGH_WATER_BYTES)

    def data_received(self, data: bytes) -> None:
        """Ignore data; abort the connection if there are too many."""
        self._said += len(data)
        if self._said > MAX_CLIENT_BYTES:
            self._line.transport.abort()

    def pause_writing(self) -> None:  # noqa: D102
        self.paused = True
        self._limit()

    def resume_writing(self) -> None:  # noqa: D102
        self.paused = False
        self._unlimit()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        self._unlimit()
        self.paused = True  # no more data are sent
        self._line.release(self)
        self._left()

    def shutdown(self) -> None:
        """End the response and close after it is read. The client resumes with its last event id."""
        transport = self._line.transport
        if not transport.is_closing():
            self.paused = True
            if self.chunked:
                transport.write(LAST_CHUNK)
            transport.close()
            self._limit()

    def _limit(self) -> None:
        """Start the timeout for reading."""
        if self._timer is None:
            line = self._line
            self._timer = asyncio.get_running_loop().call_later(line.write_seconds, line.transport.abort)

    def _unlimit(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Audience:
    """Viewers of one topic."""

    __slots__ = ("_made", "_made_at", "leave", "replay", "ring", "topic", "viewers")

    def __init__(
        self, topic: Topic, ring: Ring, replay: Callable[[Viewer], None], leave: Callable[[Viewer], None]
    ) -> None:
        """``replay`` is called for a viewer whose next frame is not in the ring, ``leave`` for one that has left."""
        self.topic = topic
        self.ring = ring
        self.replay = replay
        self.leave = leave
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

    __slots__ = ("audience", "came_at", "fingerprint", "given", "heard_at", "position", "replaying")

    def __init__(
        self,
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
        """Position from which the client resumed. A batch from the record may lead beyond the ring, too."""
        self.fingerprint = ""
        """Fingerprint of the event at ``position``; empty if unknown."""
        self.given = given
        """Fingerprint sent by the client, until it is compared with the record; empty without one."""
        self.replaying = False
        """True while a batch from the record is pending."""
        self.heard_at = 0.0
        """Time of the last data, by the loop's clock."""

    def write(self, data: Batch) -> None:
        """Send frames."""
        if data.frames and not self._line.transport.is_closing():  # asyncio would log a warning for each write
            self._line.transport.write(data.chunk if self.chunked else data.frames)
            self.heard_at = asyncio.get_running_loop().time()
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
                audience.replay(self)
            elif found.position > self.position:
                self.write(found)
            else:
                return  # the next frame is not ready

    def resume_writing(self) -> None:
        """Send the missing frames after the client has read."""
        super().resume_writing()
        self.go_on()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        self.audience.leave(self)
        super().connection_lost(exc)
