"""Conversion of times between protobuf and Python. Everything is UTC."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

NANOSECONDS_PER_MS = 1_000_000
"""An ``Instant`` is in nanoseconds."""

AHEAD = timedelta(minutes=5)
"""How far a caller's clock may be ahead of the server's."""


Instant = int
"""A moment in nanoseconds since 1970-01-01T00:00Z: the full precision of a ``Timestamp``, with an order."""


def instant(timestamp: Timestamp) -> Instant:
    """Convert ``timestamp`` to nanoseconds."""
    return timestamp.ToNanoseconds()


def timestamp(at: Instant) -> Timestamp:
    """Convert ``at`` to a protobuf timestamp."""
    written = Timestamp()
    written.FromNanoseconds(at)
    return written


def format_instant(at: Instant) -> str:
    """Format ``at`` for an error, to the millisecond."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at // 1_000)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def check_not_before(at: Instant, last: Instant) -> None:
    """Raise ``Invalid`` if ``at`` is before ``last``, the last event of a table: game time does not go back."""
    if at < last:
        raise Invalid(
            "occurred_at",
            N_("is {at}, before the latest event at this table, at {last}"),
            {"at": format_instant(at), "last": format_instant(last)},
        )


def to_datetime(timestamp: Timestamp) -> datetime:
    """Convert to a ``datetime`` in UTC, to the microsecond."""
    return timestamp.ToDatetime(UTC)


def moment_of(field: str, given: Timestamp) -> datetime:
    """Convert a caller's timestamp in ``field``. Raises ``Invalid`` for a time outside the years 1 to 9999."""
    try:
        return to_datetime(given)
    except (ValueError, OverflowError) as error:
        raise Invalid(
            field, N_("is not a time between the years 1 and 9999 ({problem})"), {"problem": str(error)}
        ) from error


def to_timestamp(moment: datetime) -> Timestamp:
    """Convert to a protobuf timestamp. ``moment`` must be aware of its time zone."""
    timestamp = Timestamp()
    timestamp.FromDatetime(moment.astimezone(UTC))
    return timestamp


def moments_of(local: datetime, zone: tzinfo) -> tuple[datetime, ...]:
    """Return the moments in UTC, in order, at which clocks in ``zone`` show ``local``: usually one.

    The result is empty if clocks skip ``local`` when put forward, and has two moments if they repeat it when put back.
    Raises ``OverflowError`` for a moment outside the years 1 to 9999.
    """
    found = (local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    plain = local.replace(fold=0)
    return tuple(dict.fromkeys(at for at in found if at.astimezone(zone).replace(tzinfo=None, fold=0) == plain))


def milliseconds_between(earlier: Timestamp, later: Timestamp) -> int:
    """Return whole milliseconds from ``earlier`` to ``later``, negative if the second is before the first."""
    seconds = later.seconds - earlier.seconds
    return (seconds * 1_000_000_000 + later.nanos - earlier.nanos) // NANOSECONDS_PER_MS


def occurred_at(request: Any, now: Callable[[], datetime]) -> Timestamp:
    """Return the moment of a command: its ``occurred_at``, or now if it has none.

    Raises ``Invalid`` for an invalid time, and for one more than ``AHEAD`` after now: an event in the future would
    block all events of today after it.
    """
    given: Timestamp = request.occurred_at
    if not request.HasField("occurred_at"):
        return to_timestamp(now())
    moment = moment_of("occurred_at", given)
    if moment > (latest := now() + AHEAD):
        raise Invalid(
            "occurred_at",
            N_("is {given}, in the future: expected {latest} at the latest"),
            {"given": moment.isoformat(timespec="seconds"), "latest": latest.isoformat(timespec="seconds")},
        )
    return given


_DAY_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}")


def set_times(new_events: Iterable[Any], at: Timestamp) -> None:
    """Set the time of events that were decided without it."""
    for event in new_events:
        event.occurred_at.CopyFrom(at)


def check_day(field: str, value: str) -> str:
    """Return a day as ``2026-11-28``; it may be empty. Raises ``Invalid``."""
    if not value:
        return value
    try:
        if _DAY_PATTERN.fullmatch(value):
            return date.fromisoformat(value).isoformat()
    except ValueError:
        pass
    raise Invalid(field, N_("{given} is not a date; expected one such as 2026-11-28"), {"given": repr(value[:40])})


def check_day_order(first: str, last: str, field: str) -> None:
    """Raise ``Invalid`` for ``field`` if the last day is before the first; either may be empty."""
    if first and last and last < first:
        raise Invalid(field, N_("the last day, {last}, is before the first, {first}"), {"first": first, "last": last})
