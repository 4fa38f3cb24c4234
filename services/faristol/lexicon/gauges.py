"""What is measured of the cases that wait for a judge."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime

from opentelemetry import metrics

from faristol.bus import NotBuilt
from faristol.lexicon import queries
from faristol.record import Record
from faristol.record.databases import FAILURES
from faristol.record.event import microseconds

LOOK = 5.0
"""Seconds between two looks."""

_log = logging.getLogger(__name__)
_meter = metrics.get_meter("faristol.lexicon")
_waiting = _meter.create_gauge("faristol.cases.waiting", unit="{case}", description="cases that wait for a judge")
_longest = _meter.create_gauge("faristol.cases.wait", unit="s", description="how long the first of them has waited")


def watch(record: Record, now: Callable[[], datetime]) -> Callable[[], Awaitable[None]]:
    """What measures again and again, until cancelled."""

    async def measure() -> None:
        while True:
            try:
                number, since = await queries.backlog(record)
            except (NotBuilt, *FAILURES) as problem:
                _log.info("cases are counted later: %s", problem)
            else:
                _waiting.set(number)
                _longest.set(max(0.0, (microseconds(now()) - since) / 1_000_000) if number else 0.0)
            await asyncio.sleep(LOOK)

    return measure
