"""What is measured of the record as a whole: how far the relay is behind it, and the seals."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from opentelemetry import metrics

from faristol.bus import relay
from faristol.host.part import Part
from faristol.host.runtime import Runtime
from faristol.record import Record, seals
from faristol.record.databases import FAILURES
from faristol.record.positions import checkpoint, last_position

LOOK = 5.0
"""Seconds between two looks."""

_log = logging.getLogger(__name__)
_meter = metrics.get_meter("faristol.host")
_position = _meter.create_gauge("faristol.record.position", unit="{event}", description="events on the record")
_relay_lag = _meter.create_gauge(
    "faristol.relay.lag", unit="{event}", description="events that NATS knows nothing of yet"
)
_unsealed = _meter.create_gauge("faristol.seals.behind", unit="{event}", description="events that no seal is over yet")


async def look(record: Record) -> None:
    """Measure once. Raises one of ``FAILURES`` where the database does not answer."""
    async with record.reading() as connection:
        sealed = await seals.last(connection)
        noted = await checkpoint(connection, relay.NAME)
        position = await last_position(connection)
    _position.set(position)
    _relay_lag.set(max(0, position - noted))
    _unsealed.set(position - (sealed.to_position if sealed else 0))


def repeated(look: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    """What looks again and again until cancelled, also after the database did not answer."""

    async def watch() -> None:
        while True:
            try:
                await look()
            except FAILURES as problem:
                _log.info("what is measured has to wait: %s", problem)
            await asyncio.sleep(LOOK)

    return watch


def part(runtime: Runtime) -> Part:
    """Looks again and again, beside what the process serves."""
    return Part(name="gauges", tasks=(repeated(partial(look, runtime.record)),))
