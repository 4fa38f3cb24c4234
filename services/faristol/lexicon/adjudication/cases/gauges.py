"""Metrics of the cases waiting for a judge."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from opentelemetry import metrics

from faristol.consumers import NotBuilt
from faristol.event_store import Record
from faristol.event_store.event import microseconds
from faristol.lexicon.adjudication.cases import queries

_meter = metrics.get_meter("faristol.lexicon")
_waiting = _meter.create_gauge("faristol.cases.waiting", unit="{case}", description="cases waiting for a judge")
_longest = _meter.create_gauge("faristol.cases.wait", unit="s", description="waiting time of the oldest case")


async def look(record: Record, now: Callable[[], datetime]) -> None:
    """Measure once, if the docket is built. Raises the errors of an unavailable database."""
    try:
        number, since = await queries.backlog(record)
    except NotBuilt:
        return
    _waiting.set(number)
    _longest.set(max(0.0, (microseconds(now()) - since) / 1_000_000) if number else 0.0)
