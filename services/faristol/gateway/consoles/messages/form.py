"""The form of a message: its choices, and times without a day. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from google.protobuf.descriptor import EnumDescriptor

from faristol.gateway.consoles.forms import Given
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.kernel.spellings import labels_of, names_of
from faristol.pb.pairing.v1 import events_pb2 as events

_TIME_PATTERN = re.compile(r"\s*([01]?\d|2[0-3])[:.]([0-5]\d)\s*")

MAX_AHEAD_HOURS = 12
"""Limit in hours up to which a time that is past today means tomorrow."""

PAST_TODAY = N_("{time} is past today. If you mean tomorrow, choose “Tomorrow” and send it again.")

OF_TABLES = frozenset(
    {
        events.MESSAGE_AUDIENCE_TABLES,
        events.MESSAGE_AUDIENCE_WITHOUT_RESULT,
        events.MESSAGE_AUDIENCE_UNCONFIRMED,
    }
)
"""Audiences that a tournament of duplicate games does not have."""


def list_kinds() -> Sequence[tuple[str, str]]:
    """Return each kind of message with its English label, by the value of the form."""
    return _choices(events.MessageKind.DESCRIPTOR)


def list_audiences(*, of_duplicate: bool, in_hall: bool = False) -> Sequence[tuple[str, str]]:
    """Return each audience with its English label, by the value of the form.

    ``in_hall`` omits everyone: an official of a hall writes only to the hall.
    """
    left_out = OF_TABLES if of_duplicate else frozenset[events.MessageAudience.ValueType]()
    return _choices(events.MessageAudience.DESCRIPTOR, left_out | ({events.MESSAGE_AUDIENCE_ALL} if in_hall else set()))


def _choices(enum: EnumDescriptor, left_out: Collection[int] = ()) -> Sequence[tuple[str, str]]:
    labels = labels_of(enum)
    names = names_of(enum).items()
    return [(name, labels[number]) for name, number in names if number in labels and number not in left_out]


def add_day(given: Given, now: datetime, zone: str) -> Given:
    """Return the fields of a form; a time without a day, such as 14:10, is the next such time in ``zone``.

    With ``tomorrow`` it is that of the next day. Raises ``Invalid`` without, if the time is past today and the next one
    is more than ``MAX_AHEAD_HOURS`` ahead.
    """
    dated = dict(given)
    tomorrow = bool(dated.pop("tomorrow", ""))
    found = _TIME_PATTERN.fullmatch(given.get("until", ""))
    if not found:
        return dated
    local = now.astimezone(ZoneInfo(zone or "UTC"))
    at = local.replace(hour=int(found[1]), minute=int(found[2]), second=0, microsecond=0)
    if tomorrow or at <= local:
        at += timedelta(days=1)
    if not tomorrow and at.date() > local.date() and at - local > timedelta(hours=MAX_AHEAD_HOURS):
        raise Invalid("until", PAST_TODAY, {"time": f"{at:%H:%M}"})
    return {**dated, "until": f"{at:%Y-%m-%d %H:%M}"}
