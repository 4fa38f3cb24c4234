"""Results and gateway in operation, for tests that write events and check the pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from tests.support.consumers import RESULTS
from tests.support.plain_http import PLAIN
from tests.support.synthetic import Step, append_all, keep_names

from faristol.event_store import Record
from faristol.host import Settings
from faristol.launcher.processes import Running, running

ANEW = {"Cache-Control": "no-cache"}
"""for requests that must see an append of a moment ago, before its notification has reached the gateway"""


@dataclass
class Stage:
    """Results and gateway as they run, on a record that the test writes to."""

    running: Running
    http: httpx.AsyncClient

    @property
    def record(self) -> Record:
        return self.running.runtime.record

    async def add(self, *steps: Step) -> int:
        """Append in one transaction; return the position of the last event, once the pages show it."""
        if steps:
            await append_all(self.record, steps)
        return await self.caught_up()

    async def caught_up(self) -> int:
        """Return the position of the last event, once the pages show it."""
        position = await self.record.last_position()
        assert await self.running.runtime.progress(RESULTS).wait_until_reached(position, 60)
        return position


@asynccontextmanager
async def open_stage(folder: Path, *beside: str, **more: object) -> AsyncIterator[Stage]:
    """Yield results and gateway with the services ``beside`` them, and ``more`` settings than they need."""
    settings = Settings.model_validate({"data": folder, "http_port": 0, "grace_seconds": 0.5, **more})
    async with (
        running(settings, (*beside, "results", "gateway")) as process,
        httpx.AsyncClient(verify=PLAIN, base_url=process.http_address, timeout=20, headers=ANEW) as http,
    ):
        await keep_names(process.runtime.record)
        yield Stage(process, http)
