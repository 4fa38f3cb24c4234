"""What strangers may take of the public port: connections, and time for what they send and read."""

from __future__ import annotations

import asyncio
import resource
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from faristol.gateway import broken
from faristol.gateway.proxies import Proxies
from faristol.gateway.strict import StrictConnection
from faristol.host import Settings
from faristol.host.visitor import counted

KEPT = 256
"""File descriptors that are kept for the record, the bus and the calls of officials."""

EXPECTED = frozenset({h11.IDLE, h11.SEND_BODY})
"""States of a client from whom a request is expected, or has come in part."""

REFUSED = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 5\r\ncontent-length: 0\r\n\r\n"
"""What a connection is told that is one too many."""


@dataclass
class Connections:
    """The open connections of a port, and how many there may be."""

    most: int
    most_of_address: int
    """From one address; 0: as many as in all."""
    header_seconds: float
    """How long a client may take to send the line and the headers of a request."""
    write_seconds: float
    """How long a client may take to read what it was sent, before its connection ends."""
    proxies: Proxies = Proxies()  # noqa: RUF009 # it is frozen
    """Behind each of which many clients are."""
    open: int = 0
    by_address: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, settings: Settings) -> Connections:
        """As the settings want it, and no more than this process has file descriptors for.

        Raises ``StartError`` for proxies that are none, see ``Proxies.of``.
        """
        descriptors, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return cls(
            min(settings.http_connections, max(1, descriptors - KEPT)),
            settings.http_connections_per_address,
            settings.http_header_seconds,
            settings.http_write_seconds,
            Proxies.of(settings.http_proxies),
        )

    def enter(self, address: str) -> bool:
        """Count a connection from an address; False where it is one too many."""
        limited = self.most_of_address and address not in self.proxies
        if self.open >= self.most or (limited and self.by_address[counted(address)] >= self.most_of_address):
            return False
        self.open += 1
        self.by_address[counted(address)] += 1
        return True

    def leave(self, address: str) -> None:
        """A counted connection has ended."""
        self.open -= 1
        key = counted(address)
        self.by_address[key] -= 1
        if not self.by_address[key]:
            del self.by_address[key]


class Line:
    """A connection that another protocol has taken over from HTTP. It counts until ``ended``."""

    __slots__ = ("_address", "_connections", "_served", "transport")

    def __init__(self, transport: asyncio.Transport, connections: Connections, address: str, served: set[Any]) -> None:
        """``served`` are the connections that the server shuts down at its end."""
        self.transport = transport
        self._connections = connections
        self._address = address
        self._served = served

    @property
    def write_seconds(self) -> float:
        """How long the other end may take to read what it was sent."""
        return self._connections.write_seconds

    def ended(self, protocol: asyncio.Protocol) -> None:
        """The connection is lost, which ``protocol`` had."""
        self._connections.leave(self._address)
        self._served.discard(protocol)


HandOver = Callable[[Callable[[Line], asyncio.Protocol]], None]
"""Ends HTTP on a connection: what the given function makes has it from now on. It may have a method ``shutdown``."""

HAND_OVER = "faristol.hand_over"
"""The extension of ASGI by which an application that has sent headers hands its connection over."""


class LimitedProtocol(H11Protocol):
    """Uvicorn's HTTP/1.1, which keeps to the limits of a port.

    uvicorn itself closes a connection that is idle between two requests; what it has no limit for is how many
    connections there are from an address, how long a request takes to come, and how long an answer is not read.
    """

    limits: Connections
    """Of the port; see ``protocol``."""
    _address = ""
    _counted = False
    _heading: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None
    _closing: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = StrictConnection(h11.SERVER, self.conn._max_incomplete_event_size)  # as uvicorn made it
        application = self.app

        async def offered(scope: Any, receive: Any, send: Any) -> None:
            scope["extensions"] = {HAND_OVER: self._hand_over}
            await application(scope, receive, send)

        self.app = offered

    def connection_made(self, transport: Any) -> None:
        """See ``asyncio.Protocol``, as with the other methods."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._counted = self.limits.enter(self._address)
        if self._counted:
            self._watch_headers()
        else:
            broken.tell("a connection is one too many", counted(self._address))
            transport.write(REFUSED)
            transport.close()

    def data_received(self, data: bytes) -> None:  # noqa: D102
        if self._counted:
            super().data_received(data)
            self._watch_headers()

    def send_400_response(self, msg: str) -> None:
        """See uvicorn. An answer that is being made to a request whose body is malformed ends with its connection."""
        broken.tell("a request is malformed", counted(self._address))
        cycle: Any = self.cycle  # None before the first request
        if cycle and not cycle.response_complete:
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self.transport.close()
                return
        super().send_400_response(msg)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: D102
        if self._counted:
            self._counted = False
            self.limits.leave(self._address)
        for timer in (self._heading, self._writing, self._closing):
            if timer:
                timer.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:  # noqa: D102
        super().pause_writing()
        self._writing = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:  # noqa: D102
        super().resume_writing()
        if self._writing:
            self._writing.cancel()
            self._writing = None

    def timeout_keep_alive_handler(self) -> None:  # noqa: D102
        super().timeout_keep_alive_handler()
        # Closing waits until what was written is read; that has its time, too.
        self._closing = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def _hand_over(self, make: Callable[[Line], asyncio.Protocol]) -> None:
        """See ``HandOver``. Nothing is made where the other end has gone meanwhile."""
        if not self._counted or self.transport.is_closing():
            return
        self._counted = False
        for timer in (self._heading, self._writing, self._closing, self.timeout_keep_alive_task):
            if timer:
                timer.cancel()
        served: set[Any] = self.connections
        other = make(Line(self.transport, self.limits, self._address, served))
        served.discard(self)
        served.add(other)
        self.cycle.disconnected = True  # for uvicorn the request is over, as after an upgrade
        self.transport.set_protocol(other)
        self.transport.resume_reading()
        if self.flow.write_paused:
            other.pause_writing()
        # What is left of the request refers to itself: it would stay until the collector of garbage came by.
        emptied: Any = self
        emptied.app = emptied.scope = emptied.cycle = emptied.headers = None

    def _watch_headers(self) -> None:
        """Let the time run while a request is expected or has come in part, its body among it."""
        expected = self.conn.their_state in EXPECTED
        if expected and self._heading is None:
            self._heading = self.loop.call_later(self.limits.header_seconds, self.transport.abort)
        elif not expected and self._heading:
            self._heading.cancel()
            self._heading = None


def protocol(connections: Connections) -> type[LimitedProtocol]:
    """The protocol of a port with these limits."""

    class OfPort(LimitedProtocol):
        limits = connections

    return OfPort
