"""The other end of a stream, once the headers of the answer are written: it is sent what comes, and has to read it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from faristol.gateway.connections import Line
from faristol.gateway.frames import LAST_CHUNK

HIGH_WATER = 16 * 1024
"""Bytes that may wait in a connection until its listener is passed over."""

MOST_SAID = 64 * 1024
"""Bytes that a listener may send, who has nothing more to say."""


class Listener(asyncio.Protocol):
    """The connection of somebody who listens to a stream."""

    __slots__ = ("_left", "_line", "_said", "_timer", "chunked", "paused")

    def __init__(self, line: Line, left: Callable[[], None], *, chunked: bool) -> None:
        """``left`` is called when the listener has gone. ``chunked`` says that the answer is in chunks."""
        self.chunked = chunked
        self.paused = False
        """More waits in the connection than it may, or nothing is sent any more."""
        self._line = line
        self._left = left
        self._said = 0
        self._timer: asyncio.TimerHandle | None = None
        line.transport.set_write_buffer_limits(HIGH_WATER)

    def data_received(self, data: bytes) -> None:
        """See ``asyncio.Protocol``, as with the other methods."""
        self._said += len(data)
        if self._said > MOST_SAID:
            self._line.transport.abort()

    def pause_writing(self) -> None:  # noqa: D102
        self.paused = True
        self._limit()

    def resume_writing(self) -> None:  # noqa: D102
        self.paused = False
        self._unlimit()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        self._unlimit()
        self.paused = True  # nothing is sent any more
        self._line.ended(self)
        self._left()

    def shutdown(self) -> None:
        """End the answer, and the connection once it is read: a client comes back with the id of the last event."""
        transport = self._line.transport
        if not transport.is_closing():
            self.paused = True
            if self.chunked:
                transport.write(LAST_CHUNK)
            transport.close()
            self._limit()

    def _limit(self) -> None:
        """Let the time run within which what was sent has to be read."""
        if self._timer is None:
            line = self._line
            self._timer = asyncio.get_running_loop().call_later(line.write_seconds, line.transport.abort)

    def _unlimit(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
