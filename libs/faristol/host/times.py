"""Times on the wire and in Python. Everything is UTC."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.host.errors import Invalid
from faristol.rules.refusal import N_

AHEAD = timedelta(minutes=5)
"""How far a caller's clock may be ahead of ours."""


def to_datetime(timestamp: Timestamp) -> datetime:
    """The moment as Python has it, to the microsecond."""
    return timestamp.ToDatetime(UTC)


def moment_of(field: str, given: Timestamp) -> datetime:
    """The moment that a caller gave in a field. Raises ``Invalid`` for a time that is no time."""
    try:
        return to_datetime(given)
    except (ValueError, OverflowError) as problem:
        raise Invalid(
            field, N_("is no time between the years 1 and 9999 ({problem})"), {"problem": str(problem)}
        ) from problem


def to_timestamp(moment: datetime) -> Timestamp:
    """The moment as it travels. ``moment`` has to be aware of its time zone."""
    timestamp = Timestamp()
    timestamp.FromDatetime(moment.astimezone(UTC))
    return timestamp


def milliseconds_between(earlier: Timestamp, later: Timestamp) -> int:
    """Whole milliseconds from one moment to another, negative when the second is the earlier one."""
    seconds = later.seconds - earlier.seconds
    return (seconds * 1_000_000_000 + later.nanos - earlier.nanos) // 1_000_000


def occurred_at(request: Any, now: Callable[[], datetime]) -> Timestamp:
    """When a command happened: what it says, or now.

    Raises ``Invalid`` for a time that is no time, and for one that is further ahead than clocks differ: a fact from
    the future could not be followed by any of today.
    """
    given: Timestamp = request.occurred_at
    if not request.HasField("occurred_at"):
        return to_timestamp(now())
    moment = moment_of("occurred_at", given)
    if moment > (latest := now() + AHEAD):
        raise Invalid(
            "occurred_at",
            N_("is {given}, which has not come yet: expected {latest} at the latest"),
            {"given": moment.isoformat(timespec="seconds"), "latest": latest.isoformat(timespec="seconds")},
        )
    return given
