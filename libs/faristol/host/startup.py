"""The wait of a starting process for its database and NATS."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from faristol.bus import BusUnavailable
from faristol.event_store import RecordUnavailable
from faristol.host.rpc.errors import Starting
from faristol.host.rpc.interceptor import abort, refusal_language_of
from faristol.host.rpc.servers import create_server
from faristol.host.security.tls import Tls
from faristol.host.services import StartError
from faristol.host.settings import Settings
from faristol.kernel.addresses import endpoint

T = TypeVar("T")

STARTUP_PAUSE_SECONDS = 0.2
MAX_STARTUP_PAUSE_SECONDS = 2.0
"""Seconds between two attempts: the pause doubles from the first value to this one."""
STARTUP_LOG_INTERVAL_SECONDS = 60.0
"""Seconds after which the message on the wait is repeated."""
WAITING_GRACE_SECONDS = 0.2
"""Longest time for the refusal of calls in progress at the end of the wait: a cancelled call may not be retried."""


class Cancelled(Exception):
    """The process was stopped while it waited."""


async def wait_until_available(
    connect: Callable[[], Awaitable[T]],
    seconds: float,
    stop: asyncio.Event,
    tell: Callable[[str], None],
    begin: Callable[[], Awaitable[None]] | None = None,
) -> T:
    """Return the result of ``connect``, retried for ``seconds`` while its target is unavailable.

    ``tell`` is called with a sentence at the start of the wait, from time to time, and after success; ``begin`` is
    called at the start of the wait. Raises the last ``RecordUnavailable`` or ``BusUnavailable`` on a timeout,
    ``Cancelled`` if ``stop`` is set first, and any other exception of ``connect`` at once.
    """
    give_up = time.monotonic() + seconds
    pause = STARTUP_PAUSE_SECONDS
    logged_at = 0.0
    while True:
        try:
            connected = await connect()
        except (RecordUnavailable, BusUnavailable) as error:
            now = time.monotonic()
            if now + pause > give_up:
                raise
            if begin and not logged_at:
                await begin()
            if not logged_at or now >= logged_at + STARTUP_LOG_INTERVAL_SECONDS:
                tell(f"{error}; waiting for it{'' if math.isinf(seconds) else f', {seconds:g} seconds at most'}")
                logged_at = now
        else:
            if logged_at:
                tell("it answers now; starting")
            return connected
        try:
            await asyncio.wait_for(stop.wait(), pause)
        except TimeoutError:
            pause = min(MAX_STARTUP_PAUSE_SECONDS, pause * 2)
        else:
            raise Cancelled


class WaitingHealthServer:
    """The health service of a waiting process: it is alive, and none of its services is ready.

    If it has the port of the services, it refuses their calls as unavailable, so that clients retry. It listens without
    TLS on the port of later health checks, and releases it before the services listen.
    """

    def __init__(self, settings: Settings, services: Sequence[str]) -> None:
        self._settings = settings
        self._services = services
        self._server: grpc.aio.Server | None = None

    async def begin(self) -> None:
        """Serve health checks if the port is fixed. Raises ``StartError`` if it is taken."""
        settings = self._settings
        port = settings.grpc_port if settings.grpc_health_port is None else settings.grpc_health_port
        if self._server or not port:
            return
        checks: Any = health.aio.HealthServicer()  # type: ignore[attr-defined] # missing in grpc-stubs
        await checks.set("", health_pb2.HealthCheckResponse.SERVING)
        for service in self._services:
            await checks.set(service, health_pb2.HealthCheckResponse.NOT_SERVING)
        self._server = server = create_server(options=OPTIONS)
        listen(server, endpoint(settings.grpc_host, port), "--grpc")
        health_pb2_grpc.add_HealthServicer_to_server(checks, server)
        server.add_generic_rpc_handlers([_OtherServices()])
        await server.start()

    async def end(self) -> None:
        """Stop the server and release the port."""
        server, self._server = self._server, None
        if server:
            await server.stop(WAITING_GRACE_SECONDS)


class _OtherServices(grpc.GenericRpcHandler):  # type: ignore[type-arg] # not generic at run time
    """Every method, refused as unavailable."""

    def service(self, _: grpc.HandlerCallDetails) -> grpc.RpcMethodHandler[Any, Any]:
        """Return the handler of any method."""
        return grpc.stream_stream_rpc_method_handler(_refuse_call)


async def _refuse_call(_: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
    await abort(Starting(), context, refusal_language_of(context.invocation_metadata()))


OPTIONS = (("grpc.so_reuseport", 0),)
"""A port of another process is an error and must not be shared by accident."""


_AGE_GRACE_MS = 3_600_000
"""Milliseconds for which calls continue on a connection that has reached its maximum age."""


def options(settings: Settings) -> tuple[tuple[str, int], ...]:
    """Return the options of the server of services.

    Connections end after their maximum age, each when its calls have ended; clients reconnect and resolve new replicas.
    Clients may send pings with and without calls, as often as the settings allow. A connection to a machine that does
    not answer the server's pings is closed, so that no call stays open.
    """
    found = (*OPTIONS, *ping_options(settings))
    if not settings.grpc_connection_seconds:
        return found
    age = round(settings.grpc_connection_seconds * 1_000)
    return (*found, ("grpc.max_connection_age_ms", age), ("grpc.max_connection_age_grace_ms", _AGE_GRACE_MS))


def ping_options(settings: Settings) -> tuple[tuple[str, int], ...]:
    """Return the options of a gRPC server for HTTP/2 pings, received and sent."""
    keepalive_ms = round(settings.grpc_keepalive_seconds * 1_000)
    return (
        ("grpc.keepalive_time_ms", keepalive_ms),
        ("grpc.keepalive_timeout_ms", keepalive_ms),
        ("grpc.http2.ping_timeout_ms", keepalive_ms),  # the default is 60 seconds, independent of the option above
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", round(settings.grpc_least_ping_seconds * 1_000)),
    )


def listen(server: grpc.aio.Server, wanted: str, setting: str, tls: Tls | None = None) -> int:
    """Listen on an address and return the port. Raises ``StartError`` on failure."""
    try:
        if tls and tls.serves:
            return int(server.add_secure_port(wanted, tls.of_server()))
        return int(server.add_insecure_port(wanted))
    except RuntimeError as error:
        raise StartError(
            f"gRPC cannot listen on {wanted}: the port is in use or not permitted; set another one with {setting}"
        ) from error
