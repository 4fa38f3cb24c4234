"""The ways to services."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import grpc

from faristol.host.services import StartError
from faristol.host.telemetry import CallerInterceptor
from faristol.record.tasks import end

if TYPE_CHECKING:
    from faristol.host.tls import Tls

_CONFIG = {
    # Every replica that an address leads to has its part of the calls.
    "loadBalancingConfig": [{"round_robin": {}}],
    # A call that met a replica which was leaving goes to another one. That is safe for all: a command has an id, by
    # which it is carried out once however often it is sent, and what has none changes nothing.
    "methodConfig": [
        {
            "name": [{}],
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.05s",
                "maxBackoff": "0.5s",
                "backoffMultiplier": 3,
                # CANCELLED is what becomes of a call that came at the moment at which the replica began to leave.
                "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
            },
        }
    ],
    # Where most calls fail, a service is away and not a replica: nobody adds to its load by asking again.
    "retryThrottling": {"maxTokens": 50, "tokenRatio": 0.5},
}

CHANNEL_OPTIONS = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    # Also how long one attempt may take: a busy process needs more than a moment to take a connection.
    ("grpc.min_reconnect_backoff_ms", 5_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # The standings of 1,000 players with their arithmetic come to 5 MB after 9 rounds; gRPC takes 4 MB unless told.
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.service_config", json.dumps(_CONFIG)),
    # A connection that a replica has ended is when others are asked for: not 30 seconds after the last time.
    ("grpc.dns_min_time_between_resolutions_ms", 5_000),
    # Channels of a process share the connection to an address, and with it how long to wait after what an earlier
    # one was refused there: the first call to a service that has just started would meet a refusal of before.
    ("grpc.use_local_subchannel_pool", 1),
    # While a call is open, a machine that is gone is noticed within 40 seconds: without pings a call on which nothing
    # is sent would be waited for until the kernel gives up, and that is never where nothing is on its way.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.ping_timeout_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
)

_log = logging.getLogger(__name__)

LEAVING = 3_600.0
"""Seconds for which calls go on by a connection of certificates that are no longer those in use."""


def open_channel(
    address: str, interceptors: Sequence[Any] = (), tls: Tls | None = None, *, own: bool = False
) -> grpc.aio.Channel:
    """The way to an address, and to each of its replicas in turn.

    By TLS where ``tls`` knows authorities; to one's ``own`` where it serves by TLS.
    """
    if tls is None or not (tls.serves if own else tls.files.ca):
        return grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS, interceptors=interceptors)
    return TlsChannel(address, interceptors, tls, own=own)


def check_name(address: str, setting: str) -> None:
    """Check that a service that is called by TLS has a name. Raises ``StartError``, which names the setting.

    A list of addresses is a target of gRPC, and no certificate is for a list.
    """
    if address.startswith(("ipv4:", "ipv6:")) and "," in address:
        raise StartError(
            f"{setting} lists addresses ({address}), and no certificate is for a list: by TLS give a name that leads to"
            " all of them, as game:50051, or one HOST:PORT"
        )


class TlsChannel(grpc.aio.Channel):
    """A channel whose calls go by the certificates of their time.

    Those of a channel of gRPC are fixed when it is made, so that it would come back by them after they have ended:
    where there are others, this one makes another.
    """

    def __init__(self, address: str, interceptors: Sequence[Any], tls: Tls, *, own: bool) -> None:
        self._address = address
        self._interceptors = interceptors
        self._tls = tls
        self._own = own
        self._content = tls.now()
        self._channel = self._made()
        self._left: dict[asyncio.Task[None], grpc.aio.Channel] = {}
        """Channels on which calls that began before may still run."""

    def _made(self) -> grpc.aio.Channel:
        content = self._content
        # Nobody else has the key of this process: its certificate is proof enough, of whatever authority it is.
        roots = content.certificate if self._own else content.ca
        credentials = grpc.ssl_channel_credentials(roots, content.key or None, content.certificate or None)
        options: list[tuple[str, Any]] = [*CHANNEL_OPTIONS]
        if self._own and content.name:
            options.append(("grpc.ssl_target_name_override", content.name))
        return grpc.aio.secure_channel(self._address, credentials, options=options, interceptors=self._interceptors)

    def current(self) -> grpc.aio.Channel:
        """The channel for a call that begins now."""
        found = self._tls.now()
        if found is not self._content:
            self._content = found
            self._left = {task: channel for task, channel in self._left.items() if not task.done()}
            self._left[asyncio.create_task(self._channel.close(LEAVING))] = self._channel
            self._channel = self._made()
        return self._channel

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        """See ``grpc.aio.Channel``, as with the other methods."""
        return _Method(self, "unary_unary", args, kwargs)

    def unary_stream(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return _Method(self, "unary_stream", args, kwargs)

    def stream_unary(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return _Method(self, "stream_unary", args, kwargs)

    def stream_stream(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return _Method(self, "stream_stream", args, kwargs)

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:  # noqa: D102, FBT001
        return self.current().get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:  # noqa: D102
        await self.current().wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:  # noqa: D102
        await self.current().channel_ready()

    async def close(self, grace: float | None = None) -> None:  # noqa: D102
        await end([*self._left])
        for channel in (*self._left.values(), self._channel):
            await channel.close(grace)

    async def __aenter__(self) -> TlsChannel:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close(None)


class _Method:
    """A method of a service, by the channel of its time."""

    def __init__(self, owner: TlsChannel, kind: str, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        self._owner = owner
        self._made: Callable[[grpc.aio.Channel], Any] = lambda channel: getattr(channel, kind)(*args, **kwargs)
        self._channel: grpc.aio.Channel | None = None
        self._method: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        channel = self._owner.current()
        if channel is not self._channel:
            self._channel, self._method = channel, self._made(channel)
        return self._method(*args, **kwargs)


class _Log(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """Says why no connection comes about, once for each reason: whoever asked is told that the service is away."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._said = ""

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """See ``grpc.aio.UnaryUnaryClientInterceptor``."""
        call = await continuation(client_call_details, request)
        if await call.code() is not grpc.StatusCode.UNAVAILABLE:
            self._said = ""
            return call
        why = str(await call.details())
        if "handshake" in why or "verification" in why.lower() or "Socket closed" in why:
            reason = why.rpartition(self._address)[2]
            if reason != self._said:
                self._said = reason
                _log.warning("no connection to %s comes about by TLS%s", self._address, reason)
        return call


class Channels:
    """The way to each service: this process itself for what it serves, and ``address_of`` for the others."""

    def __init__(
        self,
        address_of: Callable[[str], str],
        interceptors: Callable[[str], Sequence[Any]] = lambda address: (),
        tls: Tls | None = None,
        *,
        own: bool = False,
    ) -> None:
        """``interceptors`` gives those of the channel to an address, such as what says by which credential it calls.

        ``own`` says that every address is of a process with the certificate of this one.
        """
        self._own = own
        self._address_of = address_of
        self._interceptors = interceptors
        self._tls = tls
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._served: Collection[str] = ()
        self.own_address = ""
        """``HOST:PORT`` of this process's gRPC server, once it listens."""

    def serve(self, address: str, services: Collection[str]) -> None:
        """Call these services at ``address``, where this process listens: no setting sends such calls elsewhere."""
        self.own_address = address
        self._served = services

    def address(self, service: str) -> str:
        """``HOST:PORT`` at which a service is called, or another target of gRPC."""
        elsewhere = "" if service in self._served else self._address_of(service)
        return elsewhere or self.own_address

    def channel(self, service: str) -> grpc.aio.Channel:
        """The way to a service."""
        if service not in self._channels:
            address = self.address(service)
            told = [_Log(address)] if self._tls else []
            interceptors = [CallerInterceptor(), *told, *self._interceptors(address)]
            own = self._own or address == self.own_address
            self._channels[service] = open_channel(address, interceptors, self._tls, own=own)
        return self._channels[service]

    async def close(self) -> None:
        """Close every channel."""
        for channel in self._channels.values():
            await channel.close(None)
