"""Metrics of the record as a whole: the lag of the relay, and the seals. Violated invariants of this process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from opentelemetry import metrics

from faristol.assertions import INVARIANTS
from faristol.bus.relay import RELAY_NAME
from faristol.event_store import Record
from faristol.event_store.backends.databases import FAILURES
from faristol.event_store.event import microseconds, utc_now
from faristol.event_store.integrity import seals
from faristol.event_store.positions import checkpoint, checkpoints_of, last_position, recorded_at
from faristol.event_store.witness.delivery import PREFIX as WITNESS_PREFIX
from faristol.host.runtime import Runtime
from faristol.host.service_module import Part

GAUGE_INTERVAL_SECONDS = 5.0
"""Seconds between two measurements."""

_log = logging.getLogger(__name__)
_meter = metrics.get_meter("faristol.host")
_position = _meter.create_gauge("faristol.record.position", unit="{event}", description="events on the record")
_relay_lag = _meter.create_gauge("faristol.relay.lag", unit="{event}", description="events not yet published to NATS")
_unsealed_seconds = _meter.create_gauge(
    "faristol.seals.wait",
    unit="s",
    description="age of the oldest event without a seal; 0 if all are sealed",
)
_witness_behind = _meter.create_gauge(
    "faristol.witness.behind",
    unit="{event}",
    description="sealed events whose seals were not yet delivered to a witness",
)
_unsealed = _meter.create_gauge("faristol.seals.behind", unit="{event}", description="events without a seal")


def _observe_violations(_: metrics.CallbackOptions) -> Iterable[metrics.Observation]:
    return [metrics.Observation(each.count, {"invariant": each.description}) for each in INVARIANTS]


_meter.create_observable_counter(
    "faristol.invariant.violations",
    [_observe_violations],
    unit="{violation}",
    description="violations of conditions that always hold",
)


async def measure_once(record: Record, *, seals_here: bool = False) -> None:
    """Measure once; the age of unsealed events only if this process ``seals_here``.

    Raises one of ``FAILURES`` if the database does not answer.
    """
    async with record.reading() as connection:
        sealed = await seals.last(connection)
        noted = await checkpoint(connection, RELAY_NAME)
        position = await last_position(connection)
        end = sealed.to_position if sealed else 0
        oldest = await recorded_at(connection, end + 1)
        witnesses = await checkpoints_of(connection, WITNESS_PREFIX)
    _position.set(position)
    _relay_lag.set(max(0, position - noted))
    _unsealed.set(position - end)
    if seals_here:
        _unsealed_seconds.set(max(0.0, (microseconds(utc_now()) - oldest) / 1_000_000) if oldest else 0.0)
    for name, reached in witnesses.items():
        _witness_behind.set(max(0, end - reached), {"witness": name.removeprefix(WITNESS_PREFIX)})


def repeat_measurement(look: Callable[[], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    """Return a task that measures periodically until cancelled, and continues after failures of the database."""

    async def watch() -> None:
        while True:
            try:
                await look()
            except FAILURES as error:
                _log.info("measurements are delayed: %s", error)
            await asyncio.sleep(GAUGE_INTERVAL_SECONDS)

    return watch


def part(runtime: Runtime) -> Part:
    """Return the part that measures periodically."""
    seals_here = bool(runtime.settings.seal_key)
    return Part(
        name="gauges", tasks=(repeat_measurement(partial(measure_once, runtime.record, seals_here=seals_here)),)
    )
