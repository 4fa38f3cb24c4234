"""The ways to services."""

from __future__ import annotations

import grpc

from faristol.host.settings import Settings
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
    """The way to each service: where the settings say, or else this process itself."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._channels: dict[str, grpc.aio.Channel] = {}
        self.own_address = ""
        """``HOST:PORT`` of this process's gRPC server, once it listens."""

    def channel(self, service: str) -> grpc.aio.Channel:
        """The way to a service."""
        if service not in self._channels:
            address = self._settings.address(service) or self.own_address
            self._channels[service] = grpc.aio.insecure_channel(
                address, options=CHANNEL_OPTIONS, interceptors=client_interceptors()
            )
        return self._channels[service]

    async def close(self) -> None:
        """Close every channel."""
        for channel in self._channels.values():
            await channel.close(None)
