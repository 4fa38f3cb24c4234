"""Whether a process is ready: it lives, and what it works on answers.

What makes a service not ready, and what does not:

* A record that does not answer for some seconds: nobody can be told anything that is known to hold. A restart of the
  database that is over sooner takes nobody out.
* A record that takes nothing, as on a full disk, for services that decide. Results and pages go on: what was decided
  can be read.
* NATS never: consumers find in the record what news tell of, only later. A NATS that is away may not take the pages
  away with it.
* A consumer that has stopped never: every replica stops before the same event, and what the service decides and shows
  does not end with it. The health of ``<service>.consumers`` and the page of the status tell of it.
* Of the gateway in a process of its own nothing: it says itself, on a page, that the services which it asks are away.
  Its ``/readyz`` tells of them, for who wants to know, and its health on gRPC of itself alone.

Whether the process lives is not asked here: a process that is killed because its database is away helps nobody.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from faristol.bus import Bus
from faristol.host.part import Part
from faristol.host.roles import Role, role_of
from faristol.record import Record
from faristol.record.databases import FAILURES

LOOK = 1.0
"""Seconds between two looks."""
LATELY = 2.0
"""Seconds for which a commit of this process shows that the record answers: it is not asked besides."""
PATIENCE = 5.0
"""Seconds in which the record has to answer."""
GRACE = 5.0
"""For how many seconds the record may be away, or take nothing, before services are not ready."""

RECORD, APPENDS, NEWS = "record", "appends", "news"
"""What is looked at, as the health service calls it."""

_log = logging.getLogger(__name__)


class Readiness:
    """What a process works on, looked at again and again."""

    def __init__(self, record: Record, bus: Bus) -> None:
        self._record = record
        self._bus = bus
        self._since: dict[str, float] = {}
        """Since when something fails, by the clock of the loop."""
        self.is_parked = False
        """A consumer of this process holds events back that it could not take, or has stopped."""
        self._told: set[str] = set()
        """What the log was told of: not what was over at the next look, as where a process was busy with itself."""

    async def keep(self, parts: Sequence[Part], tell: Callable[[str, bool], Awaitable[None]]) -> None:
        """Look until cancelled. ``tell`` is given names of the health service, and whether each serves."""
        while True:
            await self.look(parts, tell)
            await asyncio.sleep(LOOK)

    async def look(self, parts: Sequence[Part], tell: Callable[[str, bool], Awaitable[None]]) -> None:
        """Look once."""
        self._note(RECORD, await self._problem())
        self._note(APPENDS, str(self._record.trouble or ""))
        away = not self._bus.connected or self._bus.refuses_since is not None
        self._note(NEWS, "NATS is away, or stores nothing" if away else "")
        for name in (RECORD, APPENDS, NEWS):
            await tell(name, name not in self._since)
        for part in parts:
            ready = self.is_ready(part.name)
            for name in (part.name, *(servicer.descriptor.full_name for servicer in part.servicers)):
                await tell(name, ready)

    def is_ready(self, service: str) -> bool:
        """Whether a service of this process can do its work."""
        relied_on = (RECORD, APPENDS) if role_of((service,)) is Role.WRITER else (RECORD,)
        now = asyncio.get_running_loop().time()
        return all(now - self._since.get(name, now) < GRACE for name in relied_on)

    def fails(self, name: str) -> bool:
        """Whether one of the things that are looked at fails at the moment."""
        return name in self._since

    async def _problem(self) -> str:
        """Why the record does not answer; empty when it does. One that took nothing is asked to take something."""
        if not self._record.trouble and self._record.committed_within(LATELY):
            return ""
        try:
            async with asyncio.timeout(PATIENCE):
                await self._record.last_position()
        except (*FAILURES, TimeoutError) as problem:
            return repr(problem)
        if self._record.trouble:
            with suppress(*FAILURES, TimeoutError):  # the trouble is still there
                async with asyncio.timeout(PATIENCE):
                    await self._record.try_writing()
        return ""

    def _note(self, name: str, problem: str) -> None:
        now = asyncio.get_running_loop().time()
        if not problem:
            self._since.pop(name, None)
            if name in self._told:
                self._told.remove(name)
                _log.warning("%s: as it should be again", name)
        elif now - self._since.setdefault(name, now) >= LOOK and name not in self._told:
            self._told.add(name)
            _log.warning("%s: %s", name, problem)
