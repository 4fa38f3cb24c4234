"""Times on the wire and in Python. Everything is UTC."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_

AHEAD = timedelta(minutes=5)
"""How far a caller's clock may be ahead of ours."""


Instant = int
"""A moment in nanoseconds since 1970-01-01T00:00Z: all that a ``Timestamp`` says, in order, without rounding."""


def instant(timestamp: Timestamp) -> Instant:
    """``timestamp`` as a number."""
    return timestamp.ToNanoseconds()


def timestamp(at: Instant) -> Timestamp:
    """``at`` as protobuf writes it."""
    written = Timestamp()
    written.FromNanoseconds(at)
    return written


def written(at: Instant) -> str:
    """``at`` as an error has it, to the millisecond."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at // 1_000)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def check_not_before(at: Instant, last: Instant) -> None:
    """Within a game time never runs back. Raises ``Invalid`` when ``at`` is before the ``last`` fact of its table."""
    if at < last:
        raise Invalid(
            "occurred_at",
            N_("is {at}, before the last thing at this table, which was at {last}"),
            {"at": written(at), "last": written(last)},
        )


def to_datetime(timestamp: Timestamp) -> datetime:
    """The moment as Python has it, to the microsecond."""
    return timestamp.ToDatetime(UTC)


def moment_of(field: str, given: Timestamp) -> datetime:
    """The moment that a caller gave in a field. Raises ``Invalid`` for a time that is no time."""
    try:
        return to_datetime(given)
    except (ValueError, OverflowError) as problem:
        raise Invalid(
            field, N_("is not a time between the years 1 and 9999 ({problem})"), {"problem": str(problem)}
        ) from problem


def to_timestamp(moment: datetime) -> Timestamp:
    """The moment as it travels. ``moment`` has to be aware of its time zone."""
    timestamp = Timestamp()
    timestamp.FromDatetime(moment.astimezone(UTC))
    return timestamp


def moments_of(local: datetime, zone: tzinfo) -> tuple[datetime, ...]:
    """The moments in UTC, in order, at which the clocks of ``zone`` show a ``local`` time: one nearly always.

    None where clocks are put forward over it, two where they are put back to it. Raises ``OverflowError`` for a time
    whose moment is out of the years 1 to 9999.
    """
    found = (local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    plain = local.replace(fold=0)
    return tuple(dict.fromkeys(at for at in found if at.astimezone(zone).replace(tzinfo=None, fold=0) == plain))


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
