"""gRPC channels to services."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

import grpc

from faristol.event_store.tasks import cancel_tasks
from faristol.host.observability.telemetry import CallerInterceptor
from faristol.host.services import StartError

if TYPE_CHECKING:
    from faristol.host.security.tls import Tls

_CONFIG = {
    # Calls are distributed over all replicas of an address.
    "loadBalancingConfig": [{"round_robin": {}}],
    # A call to a replica that shuts down is retried at another one. That is safe: a command has an id by which it takes
    # effect once, and other calls are reads.
    "methodConfig": [
        {
            "name": [{}],
            "retryPolicy": {
                "maxAttempts": 4,
                "initialBackoff": "0.05s",
                "maxBackoff": "0.5s",
                "backoffMultiplier": 3,
                # CANCELLED is the status of a call that arrives as a replica begins to shut down.
                "retryableStatusCodes": ["UNAVAILABLE", "CANCELLED"],
            },
        }
    ],
    # If most calls fail, the whole service is unavailable: retries would only add load.
    "retryThrottling": {"maxTokens": 50, "tokenRatio": 0.5},
}

CHANNEL_OPTIONS = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    # Also the timeout of one attempt to connect, which must allow for a busy process.
    ("grpc.min_reconnect_backoff_ms", 5_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # The standings of 1,000 players with their arithmetic have 5 MB after 9 rounds; gRPC's default limit is 4 MB.
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    ("grpc.service_config", json.dumps(_CONFIG)),
    # The end of a connection by a replica triggers a new resolution, without the default wait of 30 seconds.
    ("grpc.dns_min_time_between_resolutions_ms", 5_000),
    # By default, channels of a process share a connection to an address, and its backoff: the first call to a service
    # that has just started would fail because of an earlier attempt.
    ("grpc.use_local_subchannel_pool", 1),
    # With pings, a dead machine is detected within 40 seconds during a call. Without them, an idle call would wait for
    # a timeout of the kernel, which never comes if no data is in flight.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 20_000),
    ("grpc.http2.ping_timeout_ms", 20_000),
    ("grpc.http2.max_pings_without_data", 0),
)

_log = logging.getLogger(__name__)

OLD_CHANNEL_SECONDS = 3_600.0
"""Seconds for which calls may continue on a connection of replaced certificates."""


def open_channel(
    address: str, interceptors: Sequence[Any] = (), tls: Tls | None = None, *, own: bool = False
) -> grpc.aio.Channel:
    """Open a channel to an address, with all its replicas in turn.

    It uses TLS if ``tls`` has authorities; for an address of this process (``own``), if it serves TLS.
    """
    if tls is None or not (tls.serves if own else tls.files.ca):
        return grpc.aio.insecure_channel(address, options=CHANNEL_OPTIONS, interceptors=interceptors)
    return TlsChannel(address, interceptors, tls, own=own)


def check_name(address: str, setting: str) -> None:
    """Check that a service that is called over TLS has a name. Raises ``StartError``, which states the setting.

    A list of addresses is a gRPC target without a name that a certificate could match.
    """
    if address.startswith(("ipv4:", "ipv6:")) and "," in address:
        raise StartError(
            f"{setting} lists addresses ({address}), and no certificate is for a list: give a name that leads to"
            " all of them, as game:50051, or one HOST:PORT"
        )


class TlsChannel(grpc.aio.Channel):
    """A channel whose calls use the current certificates.

    The certificates of a gRPC channel are fixed at its creation, so reconnections would use expired ones. This class
    opens a new channel when they change.
    """

    def __init__(self, address: str, interceptors: Sequence[Any], tls: Tls, *, own: bool) -> None:
        self._address = address
        self._interceptors = interceptors
        self._tls = tls
        self._own = own
        self._content = tls.now()
        self._channel = self._make_channel()
        self._left: dict[asyncio.Task[None], grpc.aio.Channel] = {}
        """Replaced channels on which earlier calls may still run."""

    def _make_channel(self) -> grpc.aio.Channel:
        content = self._content
        # Only this process has its key: its certificate is sufficient proof, whatever its authority.
        roots = content.certificate if self._own else content.ca
        credentials = grpc.ssl_channel_credentials(roots, content.key or None, content.certificate or None)
        options: list[tuple[str, Any]] = [*CHANNEL_OPTIONS]
        if self._own and content.name:
            options.append(("grpc.ssl_target_name_override", content.name))
        return grpc.aio.secure_channel(self._address, credentials, options=options, interceptors=self._interceptors)

    def current(self) -> grpc.aio.Channel:
        """Return the channel for a new call."""
        found = self._tls.now()
        if found is not self._content:
            self._content = found
            self._left = {task: channel for task, channel in self._left.items() if not task.done()}
            self._left[asyncio.create_task(self._channel.close(OLD_CHANNEL_SECONDS))] = self._channel
            self._channel = self._make_channel()
        return self._channel

    def unary_unary(self, *args: Any, **kwargs: Any) -> Any:
        """Return the method on the current channel, like the other methods of ``grpc.aio.Channel`` here."""
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
        await cancel_tasks([*self._left])
        for channel in (*self._left.values(), self._channel):
            await channel.close(grace)

    async def __aenter__(self) -> TlsChannel:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close(None)


class _Method:
    """A method of a service that uses the current channel."""

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


class _Log(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # generic only in the stubs
    """Logs why a TLS connection fails, once for each reason; callers learn only that the service is unavailable."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._said = ""

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """Log the reason if the call fails without a connection."""
        call = await continuation(client_call_details, request)
        if await call.code() is not grpc.StatusCode.UNAVAILABLE:
            self._said = ""
            return call
        why = str(await call.details())
        if "handshake" in why or "verification" in why.lower() or "Socket closed" in why:
            reason = why.rpartition(self._address)[2]
            if reason != self._said:
                self._said = reason
                _log.warning("a TLS connection to %s fails%s", self._address, reason)
        return call


class Channels:
    """Channels to the services: to this process for those it serves, and to ``address_of`` for the others."""

    def __init__(
        self,
        address_of: Callable[[str], str],
        interceptors: Callable[[str], Sequence[Any]] = lambda address: (),
        tls: Tls | None = None,
        *,
        own: bool = False,
    ) -> None:
        """``interceptors`` returns those of a channel to an address, such as one that adds the credential.

        ``own`` states that every address is of a process with the certificate of this one.
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
        """Call these services at ``address``, where this process listens, whatever the settings are."""
        self.own_address = address
        self._served = services

    def address(self, service: str) -> str:
        """Return ``HOST:PORT`` or another gRPC target of a service."""
        elsewhere = "" if service in self._served else self._address_of(service)
        return elsewhere or self.own_address

    def channel(self, service: str) -> grpc.aio.Channel:
        """Return the channel to a service."""
        if service not in self._channels:
            address = self.address(service)
            logs = [_Log(address)] if self._tls else []
            interceptors = [CallerInterceptor(), *logs, *self._interceptors(address)]
            own = self._own or address == self.own_address
            self._channels[service] = open_channel(address, interceptors, self._tls, own=own)
        return self._channels[service]

    async def close(self) -> None:
        """Close every channel."""
        for channel in self._channels.values():
            await channel.close(None)
