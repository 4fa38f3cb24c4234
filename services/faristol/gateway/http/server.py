"""HTTP server in the event loop of the process."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
from collections.abc import Iterator

import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp

from faristol.gateway.http.addresses import Forwarded
from faristol.gateway.http.limits import Connections, protocol
from faristol.gateway.http.metrics import Measured
from faristol.host import Settings, StartError
from faristol.host.listening import to_bind_address

LISTEN_BACKLOG_SIZE = 1024


def listen(host: str, port: int) -> socket.socket:
    """Return a socket bound to ``host`` and ``port`` (0 for a free one). Raises ``StartError`` if that fails."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            to_bind_address(host), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise StartError(f"HTTP cannot listen on {host!r}: there is no such address; give another") from error
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        sock.bind(address)
        sock.listen(LISTEN_BACKLOG_SIZE)
    except OSError as error:
        sock.close()
        raise StartError(
            f"HTTP cannot listen on {host}:{port}: the port is in use or not permitted; set another one with --http"
        ) from error
    sock.setblocking(False)
    return sock


class _Server(uvicorn.Server):
    """Server that leaves signals to its process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _around(web: ASGIApp, connections: Connections, settings: Settings) -> ASGIApp:
    """Wrap the application with trusted proxies and, if configured, metrics."""
    measured = Measured(web) if settings.is_measured else web
    return Forwarded(measured, connections.proxies) if connections.proxies else measured


async def serve(web: FastAPI, sock: socket.socket, settings: Settings) -> None:
    """Serve until cancelled; then finish running responses and close the socket.

    Connections to vanished peers end when their data remain unacknowledged: little data would otherwise fill no buffer
    for a quarter of an hour.
    """
    if limit := getattr(socket, "TCP_USER_TIMEOUT", None):  # Linux only; connections inherit it
        sock.setsockopt(socket.IPPROTO_TCP, limit, math.ceil(settings.http_write_seconds * 1_000))
    connections = Connections.of(settings)
    config = uvicorn.Config(
        _around(web, connections, settings),
        http=protocol(connections),
        ws="none",
        lifespan="off",  # so the application gets only HTTP requests
        proxy_headers=False,  # uvicorn would trust any text in X-Forwarded-For, and any network
        log_config=None,
        log_level="error",  # it warns of each malformed request, by which strangers could fill the log
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=max(1, round(settings.grace_seconds)),
    )
    server = _Server(config)
    running = asyncio.ensure_future(server.serve(sockets=[sock]))
    try:
        await asyncio.shield(running)
    except asyncio.CancelledError:
        server.should_exit = True
        while not running.done():
            with contextlib.suppress(asyncio.CancelledError):  # ``tasks.end`` repeats the cancellation
                await asyncio.shield(running)
        raise
    finally:
        sock.close()
