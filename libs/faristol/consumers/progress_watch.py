"""The detection of consumers that do not progress."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping

from sqlalchemy import select

from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES
from faristol.event_store.backends.tables import checkpoints
from faristol.event_store.positions import last_position

PROGRESS_POLL_SECONDS = 2.0
"""Seconds between two polls."""
NO_PROGRESS_SECONDS = 10.0
"""Seconds without progress after which a consumer with pending events counts as still."""

_log = logging.getLogger(__name__)


class ProgressWatch:
    """The time of the last progress of each consumer and of the relay."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._moved: Mapping[str, tuple[int, float]] = {}
        """Position of each, and the time when it was first seen there or had no pending event."""

    async def keep_looking(self) -> None:
        """Poll until cancelled."""
        while True:
            try:
                await self._look()
            except FAILURES as error:
                _log.info("the progress of consumers cannot be stored: %r", error)
            await asyncio.sleep(PROGRESS_POLL_SECONDS)

    async def _look(self) -> None:
        async with self._record.reading() as connection:
            last = await last_position(connection)
            rows = (await connection.execute(select(checkpoints))).all()
        now = asyncio.get_running_loop().time()
        before = self._moved
        self._moved = {
            row.consumer: before[row.consumer]
            if row.consumer in before and row.position == before[row.consumer][0] and row.position < last
            else (row.position, now)
            for row in rows
        }

    def is_still(self, consumer: str, position: int) -> bool:
        """Check whether a consumer with pending events has been at a position for ``NO_PROGRESS_SECONDS`` seconds."""
        at, since = self._moved.get(consumer, (-1, 0.0))
        return at == position and asyncio.get_running_loop().time() - since >= NO_PROGRESS_SECONDS
