"""The progress of consumers: for callers who wait for one, its absence, and the lag behind the end of the record."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import CancelledError
from typing import Protocol

from opentelemetry import metrics
from sqlalchemy import select

from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES
from faristol.event_store.backends.tables import checkpoints
from faristol.event_store.long_work import long_call
from faristol.event_store.positions import last_position


class Progress:
    """The position of a consumer in any process.

    A consumer in this process reports its position directly; for one elsewhere the record is polled.
    """

    POLL = 0.05
    """Seconds between polls of the record, for all waiting callers, while the consumer runs elsewhere.

    If the database notifies of appends, polling pauses while the consumer is at the last notified position.
    """

    POLL_BESIDE = 1.0
    """The same while the consumer runs here, in case another replica did the work."""

    def __init__(self, record: Record, consumer: str) -> None:
        self._record = record
        self.consumer = consumer
        self._reached = 0
        self._told = False
        self._looked = -self.POLL_BESIDE
        self._moved = asyncio.Event()

    def tell(self, position: int) -> None:
        """Report that the consumer in this process has reached ``position``."""
        self._told = True
        self._reach(position)

    def leave(self) -> None:
        """Report that another replica works from now on."""
        self._told = False

    def _reach(self, position: int) -> None:
        if position > self._reached:
            self._reached = position
            moved, self._moved = self._moved, asyncio.Event()
            moved.set()

    async def position(self) -> int:
        """Return the position of the consumer."""
        now = asyncio.get_running_loop().time()
        if now - self._looked >= (self.POLL_BESIDE if self._told else self.POLL):
            self._looked = now
            self._reach(await self._record.checkpoint(self.consumer))
        return self._reached

    async def wait_until_reached(self, position: int, timeout: float) -> bool:
        """Wait until the consumer has reached ``position``; return False after ``timeout`` seconds."""
        deadline = asyncio.get_running_loop().time() + timeout
        with long_call():
            while self._reached < position and await self.position() < position:
                left = deadline - asyncio.get_running_loop().time()
                if left <= 0:
                    return False
                await self._wait(left)
        return True

    async def _wait(self, left: float) -> None:
        news = self._record.news
        if self._told or news.latest > self._reached:
            await self.wait_for_report(min(left, self.POLL))
        else:
            longest = self.POLL_BESIDE if news.of_others else self.POLL
            await news.wait(min(left, longest), self._reached)

    async def wait_for_report(self, timeout: float) -> None:
        """Wait for a report of this process's consumer, at most ``timeout`` seconds."""
        try:
            async with asyncio.timeout(timeout):
                await self._moved.wait()
        except TimeoutError:
            return


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


PATIENCE_SECONDS = 2.0
"""Timeout in seconds of the query for the end of the record, after which the last result is used."""


class Measured(Protocol):
    """A consumer for the measurement."""

    name: str

    @property
    def reached(self) -> int | None:
        """The position up to which it has worked; None while another replica works."""
        ...


class Lag:
    """Measures the lag of a process's consumers behind the end of its record.

    It runs in the thread of a scrape or of an exporter. So a consumer that hangs shows a lag, and one without pending
    events shows 0, whether events arrive or not.
    """

    def __init__(self, record: Record, consumers: Sequence[Measured]) -> None:
        self._record = record
        self._consumers = consumers
        self._loop = asyncio.get_running_loop()
        self._end = 0
        self.asks = True
        """Whether the record is queried; false at the end of the process, which exports the last result."""

    def measure(self) -> Iterable[metrics.Observation]:
        """Query the end of the record and yield the lag of each consumer."""
        self._look()
        for consumer in self._consumers:
            reached = consumer.reached
            behind = max(0, self._end - reached) if reached is not None else 0
            yield metrics.Observation(behind, {"consumer": consumer.name})

    def _look(self) -> None:
        if not self.asks or _running_loop() is self._loop or not self._loop.is_running():
            return  # it would wait for itself
        asked = asyncio.run_coroutine_threadsafe(self._record.last_position(), self._loop)
        try:
            self._end = max(self._end, asked.result(PATIENCE_SECONDS))
        except (TimeoutError, CancelledError, *FAILURES):
            asked.cancel()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


_measured: list[Lag] = []


def begin_lag(lag: Lag) -> None:
    """Add a lag to the metrics."""
    _measured[:] = [*(each for each in _measured if each.asks), lag]


def end_lag(lag: Lag) -> None:
    """Stop the queries of a lag."""
    lag.asks = False


def _observe(_: metrics.CallbackOptions) -> Iterable[metrics.Observation]:
    for lag in _measured:
        yield from lag.measure()


metrics.get_meter("faristol.bus").create_observable_gauge(
    "faristol.consumer.lag", [_observe], unit="{event}", description="lag of a consumer, in events"
)
