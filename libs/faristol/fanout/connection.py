"""Client of a stream after the response headers: it receives data and must read them in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from faristol.fanout.frames import LAST_CHUNK

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
