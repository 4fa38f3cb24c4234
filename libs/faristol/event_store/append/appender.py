"""The appender: a queue of requests of this process, written in groups."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

from faristol.event_store.append.decision import AppendCommand, Appended, Checkpoint, Decision
from faristol.event_store.append.group import Outcome, Request
from faristol.event_store.backends.backend import Backend
from faristol.event_store.event import Metadata

MAX_GROUP_REQUESTS = 512
"""Requests in one transaction."""


class Appender:
    """The queue in front of a backend. A refusal affects only its own request.

    ``written`` is called with the position of the last event of each transaction.
    """

    def __init__(self, backend: Backend, now: Callable[[], datetime], written: Callable[[int], None]) -> None:
        self._backend = backend
        self._now = now
        self._written = written
        self._waiting: list[Request] = []
        self._writer: asyncio.Task[None] | None = None

    async def append(
        self, decision: Decision, metadata: Metadata, command: AppendCommand | None, checkpoint: Checkpoint | None
    ) -> Appended:
        """Append as ``Record.append`` does; return when it is written, or raise if it is refused."""
        request = Request(decision, metadata, command, checkpoint)
        self._waiting.append(request)
        if self._writer is None:
            self._writer = asyncio.create_task(self._write_what_waits(), name="appender")
        return await request.done

    async def close(self) -> None:
        """Wait until all queued requests are written."""
        while self._writer is not None:
            await asyncio.wait([self._writer])

    async def _write_what_waits(self) -> None:
        try:
            while self._waiting:
                # Drop requests whose callers have left: they were promised no result. While a database hangs, callers
                # leave and retry, and abandoned requests would delay those that still wait.
                waiting = [request for request in self._waiting if not request.done.done()]
                group, self._waiting = waiting[:MAX_GROUP_REQUESTS], waiting[MAX_GROUP_REQUESTS:]
                if group:
                    await self._write(group)
        finally:
            self._writer = None

    async def _write(self, requests: Sequence[Request]) -> None:
        outcomes: Sequence[Outcome]
        try:
            outcomes = await self._backend.append(requests, self._now)
        except Exception as problem:  # noqa: BLE001 # every waiting caller must get a result
            outcomes = [problem] * len(requests)
        for request, outcome in zip(requests, outcomes, strict=True):
            if request.done.done():
                continue  # the caller has left; its request was written all the same
            if isinstance(outcome, Appended):
                request.done.set_result(outcome)
            else:
                request.done.set_exception(outcome)
        self._written(max((outcome.position for outcome in outcomes if isinstance(outcome, Appended)), default=0))
