"""The ways to services."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import grpc

from faristol.host.telemetry import client_interceptors

CHANNEL_OPTIONS = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    # Also how long one attempt may take: a busy process needs more than a moment to take a connection.
    ("grpc.min_reconnect_backoff_ms", 5_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # The standings of 1,000 players with their arithmetic come to 5 MB after 9 rounds; gRPC takes 4 MB unless told.
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
)


class Channels:
    """The way to each service: this process itself for what it serves, and ``address_of`` for the others."""

    def __init__(
        self, address_of: Callable[[str], str], interceptors: Callable[[str], Sequence[Any]] = lambda address: ()
    ) -> None:
        """``interceptors`` gives those of the channel to an address, such as what says by which credential it calls."""
        self._address_of = address_of
        self._interceptors = interceptors
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._served: Collection[str] = ()
        self.own_address = ""
        """``HOST:PORT`` of this process's gRPC server, once it listens."""

    def serve(self, address: str, services: Collection[str]) -> None:
        """Call these services at ``address``, where this process listens: no setting sends such calls elsewhere."""
        self.own_address = address
        self._served = services

    def address(self, service: str) -> str:
        """``HOST:PORT`` at which a service is called."""
        elsewhere = "" if service in self._served else self._address_of(service)
        return elsewhere or self.own_address

    def channel(self, service: str) -> grpc.aio.Channel:
        """The way to a service."""
        if service not in self._channels:
            address = self.address(service)
            interceptors: Any = [*client_interceptors(), *self._interceptors(address)]
            self._channels[service] = grpc.aio.insecure_channel(
                address, options=CHANNEL_OPTIONS, interceptors=interceptors
            )
        return self._channels[service]

    async def close(self) -> None:
        """Close every channel."""
        for channel in self._channels.values():
            await channel.close(None)
