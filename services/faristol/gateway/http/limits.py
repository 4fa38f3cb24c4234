"""Limits of the public port: connections, and time for sending and reading."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import h11
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import H11Protocol

from faristol.gateway.http import bad_requests
from faristol.gateway.http.addresses import Proxies
from faristol.gateway.http.strict_parser import StrictConnection
from faristol.host import Settings
from faristol.host.security.visitor import to_count_key
from faristol.host.system import get_descriptor_limit

RESERVED_DESCRIPTOR_COUNT = 256
"""File descriptors reserved for the record, the bus and calls of officials."""

AWAITING_STATES = frozenset({h11.IDLE, h11.SEND_BODY})
"""Client states in which a request is awaited or incomplete."""

FIRST_REQUEST_SECONDS = 1.0
"""Time in seconds in which a stopping server awaits the request of a new connection, or the rest of one."""

UNAVAILABLE_RESPONSE = (
    b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 5\r\ncontent-length: 0\r\n\r\n"
)
"""Response to a connection beyond the limit."""


@dataclass
class Connections:
    """Open connections of a port and their limits."""

    most: int
    most_of_address: int
    """Limit for one address; 0 for no limit besides ``most``."""
    header_seconds: float
    """Timeout for the request line and headers."""
    write_seconds: float
    """Timeout for reading the response, after which the connection is aborted."""
    proxies: Proxies = Proxies()  # noqa: RUF009 # it is frozen
    """Trusted proxies, each shared by many clients."""
    open: int = 0
    by_address: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, settings: Settings) -> Connections:
        """Return the limits of the settings, within the file descriptors of this process.

        Raises ``StartError`` if ``Proxies.of`` rejects the proxies.
        """
        return cls(
            min(settings.http_connections, max(1, get_descriptor_limit() - RESERVED_DESCRIPTOR_COUNT)),
            settings.http_connections_per_address,
            settings.http_header_seconds,
            settings.http_write_seconds,
            Proxies.of(settings.http_proxies),
        )

    def enter(self, address: str) -> bool:
        """Count a connection from an address; return False if it exceeds a limit."""
        limited = self.most_of_address and address not in self.proxies
        if self.open >= self.most or (limited and self.by_address[to_count_key(address)] >= self.most_of_address):
            return False
        self.open += 1
        self.by_address[to_count_key(address)] += 1
        return True

    def leave(self, address: str) -> None:
        """Uncount a connection that has ended."""
        self.open -= 1
        key = to_count_key(address)
        self.by_address[key] -= 1
        if not self.by_address[key]:
            del self.by_address[key]


class HandedOverConnection:
    """Connection that another protocol took over from HTTP. It counts until ``ended``."""

    __slots__ = ("_address", "_connections", "_served", "transport")

    def __init__(self, transport: asyncio.Transport, connections: Connections, address: str, served: set[Any]) -> None:
        """Take over a connection. ``served`` are the connections that the server closes at shutdown."""
        self.transport = transport
        self._connections = connections
        self._address = address
        self._served = served

    @property
    def write_seconds(self) -> float:
        """Timeout in seconds for the peer to read."""
        return self._connections.write_seconds

    def release(self, protocol: asyncio.Protocol) -> None:
        """Uncount the connection of ``protocol``, which is lost."""
        self._connections.leave(self._address)
        self._served.discard(protocol)


HandOver = Callable[[Callable[[HandedOverConnection], asyncio.Protocol]], None]
"""Ends HTTP on a connection: the protocol that the argument returns takes over. It may have a ``shutdown`` method."""

HAND_OVER = "faristol.hand_over"
"""ASGI extension by which an application hands its connection over after it sent headers."""


class LimitedProtocol(H11Protocol):
    """Uvicorn's HTTP/1.1 protocol with the limits of a port.

    Uvicorn closes connections that are idle between requests. It limits neither the connections of an address, nor the
    time of an incomplete request or an unread response.
    """

    limits: Connections
    """Limits of the port; see ``protocol``."""
    _address = ""
    _counted = False
    _heading: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None
    _closing: asyncio.TimerHandle | None = None
    _ending: asyncio.TimerHandle | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.conn = StrictConnection(h11.SERVER, self.conn._max_incomplete_event_size)  # replaces the one of uvicorn
        application = self.app

        async def run_application(scope: Any, receive: Any, send: Any) -> None:
            scope["extensions"] = {HAND_OVER: self._hand_over}
            await application(scope, receive, send)

        self.app = run_application

    def connection_made(self, transport: Any) -> None:
        """Accept a connection, or refuse it beyond the limit."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        self._counted = self.limits.enter(self._address)
        if self._counted:
            self._watch_headers()
        else:
            bad_requests.count_bad_request("a connection is one too many", to_count_key(self._address))
            transport.write(UNAVAILABLE_RESPONSE)
            transport.close()

    def data_received(self, data: bytes) -> None:  # noqa: D102
        if self._counted:
            super().data_received(data)
            self._watch_headers()
            cycle: Any = self.cycle  # None before the first request
            if self._ending and cycle and not cycle.response_complete:
                self._ending.cancel()
                self._ending = None
                self._end_after_response()

    def shutdown(self) -> None:
        """Close the connection after its running response.

        A client that has just connected, or sent part of a request, has a moment to complete the request: it would get
        no response, and could not tell whether its command was carried out.
        """
        cycle: Any = self.cycle  # None before the first request
        awaited = not cycle or (cycle.response_complete and self.conn.trailing_data[0])
        if self._counted and awaited:
            self._ending = self.loop.call_later(FIRST_REQUEST_SECONDS, self.timeout_keep_alive_handler)
        else:
            self._end_after_response()

    def _end_after_response(self) -> None:
        """Close the connection now or after its running response, which says so: the client sends no other request."""
        super().shutdown()
        cycle: Any = self.cycle  # None before the first request
        if cycle and not cycle.response_started:
            cycle.default_headers = [*cycle.default_headers, CLOSE_HEADER]

    def send_400_response(self, msg: str) -> None:
        """Answer 400; if a response has already started, close the connection."""
        bad_requests.count_bad_request("a request is malformed", to_count_key(self._address))
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
        for timer in (self._heading, self._writing, self._closing, self._ending):
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
        # Closing waits until the written data is read, which has its own timeout.
        self._closing = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def _hand_over(self, make: Callable[[HandedOverConnection], asyncio.Protocol]) -> None:
        """Hand the connection over, see ``HandOver``; ignored if the peer has disconnected."""
        if not self._counted or self.transport.is_closing():
            return
        self._counted = False
        for timer in (self._heading, self._writing, self._closing, self._ending, self.timeout_keep_alive_task):
            if timer:
                timer.cancel()
        served: set[Any] = self.connections
        other = make(HandedOverConnection(self.transport, self.limits, self._address, served))
        served.discard(self)
        served.add(other)
        self.cycle.disconnected = True  # uvicorn treats the request as complete, as after an upgrade
        self.transport.set_protocol(other)
        self.transport.resume_reading()
        if self.flow.write_paused:
            other.pause_writing()
        # The rest of the request is a reference cycle, which would stay until a garbage collection.
        emptied: Any = self
        emptied.app = emptied.scope = emptied.cycle = emptied.headers = None

    def _watch_headers(self) -> None:
        """Run the timeout while a request is awaited or incomplete, including its body."""
        expected = self.conn.their_state in AWAITING_STATES
        if expected and self._heading is None:
            self._heading = self.loop.call_later(self.limits.header_seconds, self.transport.abort)
        elif not expected and self._heading:
            self._heading.cancel()
            self._heading = None


def protocol(connections: Connections) -> type[LimitedProtocol]:
    """Return the protocol class of a port with these limits."""

    class OfPort(LimitedProtocol):
        limits = connections

    return OfPort
