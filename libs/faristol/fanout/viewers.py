"""Viewers of a stream, and their frames of the ring."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from faristol.fanout.connection import Connection, Listener
from faristol.fanout.frames import Batch
from faristol.fanout.ring import Gone, Ring, Topic


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
