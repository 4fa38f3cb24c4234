"""News of appends: a hint that saves waiting, never a promise. Who needs certainty looks into the record as well."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import asyncpg
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from faristol.record.tasks import end

CHANNEL = "faristol_appended"
"""Where PostgreSQL tells every process of a position that one of them wrote."""

RETRY = 1.0
"""Seconds until a connection that was lost is made again."""

_log = logging.getLogger(__name__)


class News:
    """What this process heard of appends: its own and, on PostgreSQL, those of others."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._latest = 0
        self._heard = asyncio.Event()
        self._listener: asyncio.Task[None] | None = None

    def tell(self, position: int) -> None:
        """Something was written up to ``position``."""
        if position > self._latest:
            self._latest = position
            heard, self._heard = self._heard, asyncio.Event()
            heard.set()

    async def wait(self, timeout: float, after: int | None = None) -> bool:
        """Wait until something is heard of, at most ``timeout`` seconds; False when nothing was.

        With ``after`` a position, what was heard already and lies behind it counts.
        """
        if self._listener is None and self._engine.dialect.name == "postgresql":
            self._listener = asyncio.create_task(self._listen(), name="news")
        if after is not None and self._latest > after:
            return True
        try:
            async with asyncio.timeout(timeout):  # `wait_for` of Python 3.11 can lose a cancellation
                await self._heard.wait()
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Stop listening."""
        listener, self._listener = self._listener, None
        if listener:
            await end([listener])

    async def _listen(self) -> None:
        while True:
            try:
                await self._listen_once()
            except (SQLAlchemyError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as problem:
                _log.info("news of other processes' appends have to wait: %s", problem)
            await asyncio.sleep(RETRY)

    async def _listen_once(self) -> None:
        """Listen until the connection is lost."""
        async with self._engine.connect() as connection:
            driver: Any = (await connection.get_raw_connection()).driver_connection
            lost = asyncio.Event()
            driver.add_termination_listener(lambda *_: lost.set())
            try:
                await driver.add_listener(CHANNEL, lambda *heard: self.tell(int(heard[-1])))
                await lost.wait()
            finally:
                await connection.invalidate()  # nobody else is to get a connection that listens
