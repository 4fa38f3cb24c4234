"""The appender: requests of this process wait for their turn, as many as wait are written at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

from faristol.record.backend import Backend
from faristol.record.decision import Appended, Checkpoint, Command, Decision
from faristol.record.event import Metadata
from faristol.record.group import Outcome, Request

LARGEST_GROUP = 512
"""Requests in one transaction."""


class Appender:
    """The queue in front of a backend. A request that is refused fails alone.

    ``written`` is told the position of the last event of each transaction.
    """

    def __init__(self, backend: Backend, now: Callable[[], datetime], written: Callable[[int], None]) -> None:
        self._backend = backend
        self._now = now
        self._written = written
        self._waiting: list[Request] = []
        self._writer: asyncio.Task[None] | None = None

    async def append(
        self, decision: Decision, metadata: Metadata, command: Command | None, checkpoint: Checkpoint | None
    ) -> Appended:
        """Wait until this is written, or refused. See ``Record.append``."""
        request = Request(decision, metadata, command, checkpoint)
        self._waiting.append(request)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_what_waits(), name="appender")
        return await request.done

    async def close(self) -> None:
        """Wait until everything that was asked for is written."""
        while self._writer is not None:
            await asyncio.wait([self._writer])

    async def _write_what_waits(self) -> None:
        try:
            while self._waiting:
                # A caller who left before the turn of his request was told nothing. While a database hangs, callers
                # leave and come again, and what they left behind would be written before anybody who still waits.
                waiting = [request for request in self._waiting if not request.done.done()]
                group, self._waiting = waiting[:LARGEST_GROUP], waiting[LARGEST_GROUP:]
                if group:
                    await self._write(group)
        finally:
            self._writer = None

    async def _write(self, requests: Sequence[Request]) -> None:
        outcomes: Sequence[Outcome]
        try:
            outcomes = await self._backend.append(requests, self._now)
        except Exception as problem:  # noqa: BLE001 # whatever it is, nobody may wait for ever
            outcomes = [problem] * len(requests)
        for request, outcome in zip(requests, outcomes, strict=True):
            if request.done.done():
                continue  # the caller went away, which does not take back what was asked
            if isinstance(outcome, Appended):
                request.done.set_result(outcome)
            else:
                request.done.set_exception(outcome)
        self._written(max((outcome.position for outcome in outcomes if isinstance(outcome, Appended)), default=0))
