"""What a service is given to work with."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import grpc

from faristol.bus import Progress
from faristol.host.access import Admission
from faristol.host.channels import Channels
from faristol.host.desk import Desk
from faristol.host.settings import Settings
from faristol.record import Record


def utc_now() -> datetime:
    """The time of day, as processes go by it."""
    return datetime.now(UTC)


class Runtime:
    """The record, the desk, the time, and the way to the other services."""

    def __init__(self, settings: Settings, record: Record, now: Callable[[], datetime] = utc_now) -> None:
        self.settings = settings
        self.record = record
        self.desk = Desk(record)
        self.now = now
        self.channels = Channels(settings.peer)
        self.admission: Admission | None = None
        """Says who may call, once the process listens; None where it asks nobody."""
        self._progress: dict[str, Progress] = {}

    def channel(self, service: str) -> grpc.aio.Channel:
        """The way to a service."""
        return self.channels.channel(service)

    def address(self, service: str) -> str:
        """``HOST:PORT`` at which a service is called."""
        return self.channels.address(service)

    def progress(self, consumer: str) -> Progress:
        """How far a consumer is, by the name of its checkpoint (``Projection.consumer``)."""
        return self._progress.setdefault(consumer, Progress(self.record, consumer))
