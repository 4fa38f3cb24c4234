"""The HTTP server inside the process's event loop."""

from __future__ import annotations

import asyncio
import contextlib
import math
import socket
from collections.abc import Iterator

import uvicorn
from fastapi import FastAPI

from faristol.gateway.connections import Connections, protocol
from faristol.host import Settings, StartError

BACKLOG = 1024


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to ``host`` and ``port`` (0: a free one). Raises ``StartError`` when that cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as problem:
        raise StartError(f"HTTP cannot listen on {host!r}: there is no such address; give another") from problem
    sock = socket.socket(family, kind, protocol)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
    except OSError as problem:
        sock.close()
        raise StartError(
            f"HTTP cannot listen on {host}:{port}: the port is busy or not ours; give another with --http"
        ) from problem
    sock.setblocking(False)
    return sock


class _Server(uvicorn.Server):
    """A server that leaves signals to the process that it is in."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(web: FastAPI, sock: socket.socket, settings: Settings) -> None:
    """Serve until cancelled; then let running answers end, and close the socket.

    Connections of which the other end has vanished end too, once it should have confirmed what was sent: little can be
    sent to it for a quarter of an hour before anything waits here.
    """
    if limit := getattr(socket, "TCP_USER_TIMEOUT", None):  # Linux has it; connections inherit it
        sock.setsockopt(socket.IPPROTO_TCP, limit, math.ceil(settings.http_write_seconds * 1_000))
    config = uvicorn.Config(
        web,
        http=protocol(Connections.of(settings)),
        ws="none",
        proxy_headers=bool(settings.http_proxies),
        forwarded_allow_ips=settings.http_proxies,
        log_config=None,
        log_level="error",  # it warns of each malformed request, and so lets strangers fill the log
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
            with contextlib.suppress(asyncio.CancelledError):  # ``tasks.end`` cancels again what does not end at once
                await asyncio.shield(running)
        raise
    finally:
        sock.close()
