"""The dependencies of a service in its process."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property

import grpc

from faristol.consumers import Progress
from faristol.event_store import Record
from faristol.event_store.event import utc_now
from faristol.host.command_handler import CommandHandler
from faristol.host.first_restore import FirstRestore
from faristol.host.readiness import Readiness
from faristol.host.rpc.channels import Channels
from faristol.host.security.authorization import Admission
from faristol.host.security.tls import Tls
from faristol.host.settings import Settings


class Runtime:
    """Record, command handler, clock, and channels to other services."""

    def __init__(
        self, settings: Settings, record: Record | None, now: Callable[[], datetime] = utc_now, tls: Tls | None = None
    ) -> None:
        """``record`` is None in a process that calls other services for all data."""
        self.settings = settings
        self._record = record
        self.now = now
        self.tls = tls
        self.channels = Channels(settings.peer, tls=tls, own=settings.tls_peers_own)
        self.admission: Admission | None = None
        """Admission of callers, once the process listens; None if no credentials are required."""
        self.readiness: Readiness | None = None
        """Readiness of the process, once it listens."""
        self.first_restore: FirstRestore | None = None
        """Restore of a backup from a page, in a process that keeps its own record and serves its pages."""
        self._progress: dict[str, Progress] = {}

    @property
    def record(self) -> Record:
        """The record. Raises ``LookupError`` in a process without one."""
        if self._record is None:
            raise LookupError("this process has no record: it calls other services")
        return self._record

    @property
    def place(self) -> str:
        """An identifier of this process on its machine that survives a restart."""
        return self.channels.own_address if self.settings.nats_url else str(self.settings.data.absolute())

    @cached_property
    def command_handler(self) -> CommandHandler:
        """The command handler on the record."""
        return CommandHandler(self.record)

    def channel(self, service: str) -> grpc.aio.Channel:
        """Return the channel to a service."""
        return self.channels.channel(service)

    def progress(self, consumer: str) -> Progress:
        """Return the progress of a consumer, by the name of its checkpoint (``Projection.consumer``)."""
        return self._progress.setdefault(consumer, Progress(self.record, consumer))
