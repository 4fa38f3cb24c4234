"""The readiness of a process: whether its dependencies answer.

These failures make a service not ready, or do not:

* A record that does not answer for some seconds does: no answer would be certain. A shorter restart of the database
  does not.
* A record that accepts no writes, as on a full disk, does for services that decide. Results and pages continue: the
  record is readable.
* NATS never does: without notifications, consumers find events in the record a little later. Its outage must not make
  pages unavailable.
* A read model of this version that is not built yet does: during an upgrade the processes of the version before answer
  until then.
* A stopped consumer does not otherwise: every replica stops at the same event, and the commands and queries of the
  service continue. The health of ``<service>.consumers`` and the status page report it.
* A gateway in a separate process is always ready: its pages report unavailable services themselves. Its health on gRPC
  covers only itself. Its ``/readyz`` reports the services behind it, so a proxy must not choose gateways by it.

Liveness is separate: a restart does not help a process whose database is unavailable.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from faristol.bus import Bus
from faristol.consumers.generations import own
from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES
from faristol.host.roles import Role, role_of
from faristol.host.service_module import Part

READINESS_POLL_SECONDS = 1.0
"""Seconds between two checks."""
RECENT_COMMIT_SECONDS = 2.0
"""Seconds for which a commit of this process proves that the record answers, without a query."""
READINESS_TIMEOUT_SECONDS = 5.0
"""Timeout of a query to the record in seconds."""
READINESS_GRACE_SECONDS = 5.0
"""Seconds for which the record may be unavailable, or refuse writes, before services are not ready."""

RECORD, APPENDS, NEWS = "record", "appends", "news"
"""Dependencies, by their names in the health service."""

_log = logging.getLogger(__name__)


class Readiness:
    """The periodically checked state of a process's dependencies."""

    def __init__(self, record: Record, bus: Bus) -> None:
        self._record = record
        self._bus = bus
        self._since: dict[str, float] = {}
        """Start of each failure, by the loop's clock."""
        self.is_parked = False
        """Whether a consumer of this process has stopped or parked a key."""
        self._built: set[str] = set()
        """Services whose read models have been found built."""
        self._told: set[str] = set()
        """Failures that were logged. Those that are over at the next check, as in a busy process, are not logged."""

    async def keep(self, parts: Sequence[Part], tell: Callable[[str, bool], Awaitable[None]]) -> None:
        """Check until cancelled. ``tell`` is called with names of the health service, and whether each serves."""
        while True:
            await self.look(parts, tell)
            await asyncio.sleep(READINESS_POLL_SECONDS)

    async def look(self, parts: Sequence[Part], tell: Callable[[str, bool], Awaitable[None]]) -> None:
        """Check once."""
        self._note(RECORD, await self._problem())
        self._note(APPENDS, str(self._record.trouble or ""))
        self._note(NEWS, self._problem_of_bus())
        for name in (RECORD, APPENDS, NEWS):
            await tell(name, name not in self._since)
        for part in parts:
            ready = self.is_ready(part.name) and await self._is_built(part)
            for name in (part.name, *(servicer.descriptor.full_name for servicer in part.servicers)):
                await tell(name, ready)

    async def _is_built(self, part: Part) -> bool:
        """Check whether the read models of a service are in use in this version."""
        if part.name in self._built:
            return True
        try:
            async with asyncio.timeout(READINESS_TIMEOUT_SECONDS), self._record.reading() as connection:
                lacking = [each.consumer for each in part.projections if await own(connection, each) is None]
        except (*FAILURES, TimeoutError) as error:
            self._note(part.name, f"its read models cannot be looked up: {error!r}")
            return False
        self._note(part.name, f"not ready until these are built: {', '.join(lacking)}" if lacking else "")
        if not lacking:
            self._built.add(part.name)
        return not lacking

    def is_ready(self, service: str) -> bool:
        """Check whether a service of this process is ready."""
        relied_on = (RECORD, APPENDS) if role_of((service,)) is Role.WRITER else (RECORD,)
        now = asyncio.get_running_loop().time()
        return all(now - self._since.get(name, now) < READINESS_GRACE_SECONDS for name in relied_on)

    def fails(self, name: str) -> bool:
        """Check whether a dependency fails at the moment."""
        return name in self._since

    def _problem_of_bus(self) -> str:
        """Return why notifications do not arrive; empty if they do."""
        if not self._bus.connected or self._bus.refuses_since is not None:
            return "NATS is unavailable, or stores no messages"
        if denied := sorted(self._bus.denied):
            return f"NATS denies these consumers to this process: {', '.join(denied)} (FARISTOL_NATS_CELL)"
        return ""

    async def _problem(self) -> str:
        """Return why the record does not answer; empty if it does. After a failed write, try a new one."""
        if not self._record.trouble and self._record.committed_within(RECENT_COMMIT_SECONDS):
            return ""
        try:
            async with asyncio.timeout(READINESS_TIMEOUT_SECONDS):
                await self._record.last_position()
        except (*FAILURES, TimeoutError) as error:
            return repr(error)
        if self._record.trouble:
            with suppress(*FAILURES, TimeoutError):  # the failure persists
                async with asyncio.timeout(READINESS_TIMEOUT_SECONDS):
                    await self._record.try_writing()
        return ""

    def _note(self, name: str, problem: str) -> None:
        now = asyncio.get_running_loop().time()
        if not problem:
            self._since.pop(name, None)
            if name in self._told:
                self._told.remove(name)
                _log.warning("%s: ready again", name)
        elif now - self._since.setdefault(name, now) >= READINESS_POLL_SECONDS and name not in self._told:
            self._told.add(name)
            _log.warning("%s: %s", name, problem)
