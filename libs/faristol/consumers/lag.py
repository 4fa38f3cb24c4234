"""The lag of consumers, measured on demand."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from concurrent.futures import CancelledError
from typing import Protocol

from opentelemetry import metrics

from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES

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


def begin(lag: Lag) -> None:
    """Add a lag to the metrics."""
    _measured[:] = [*(each for each in _measured if each.asks), lag]


def end(lag: Lag) -> None:
    """Stop the queries of a lag."""
    lag.asks = False


def _observe(_: metrics.CallbackOptions) -> Iterable[metrics.Observation]:
    for lag in _measured:
        yield from lag.measure()


metrics.get_meter("faristol.bus").create_observable_gauge(
    "faristol.consumer.lag", [_observe], unit="{event}", description="lag of a consumer, in events"
)
