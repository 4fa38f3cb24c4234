"""Types of notifications, with descriptions from the contract."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from faristol.kernel import event_types
from faristol.pb.comments import COMMENTS
from faristol.pb.event.v1.event_pb2 import AUDIENCE_PUBLIC, Change


class EventType(NamedTuple):
    """Type of a notification."""

    name: str
    stream: str
    """Stream of the event: ``game``, ``clock``, ``duplicate``, ``tournament``, ``rating`` …"""
    about: str
    changes: tuple[str, ...]
    """Words of ``Change`` in the contract for the affected parts: ``sheet``, ``result``."""


def _types() -> Iterator[EventType]:
    public = event_types.types_for_audience(AUDIENCE_PUBLIC)
    for kind in event_types.RECORD_EVENT_TYPES:
        if kind in public:
            means = event_types.meaning(kind)
            changes = (Change.Name(change).removeprefix("CHANGE_").lower() for change in sorted(means.changes))
            about = COMMENTS.get(kind.DESCRIPTOR.full_name, "")
            yield EventType(kind.DESCRIPTOR.name, means.stream, about, tuple(changes))


EVENT_TYPES: Mapping[str, EventType] = {each.name: each for each in _types()}
"""Types of notifications by name, in the order of the contract."""

RESET = "Reset"
"""Type of the event for a client that comes from another record: every notification is sent from the start."""

_TYPE_DESCRIPTIONS = {
    **{name: each.about for name, each in EVENT_TYPES.items()},
    RESET: "No event of the record: earlier events are of another record. All events follow again from the first.",
}

MEANINGS = "x-enum-descriptions"
"""Key of the meanings of words in a schema."""

SCHEMA = {
    "title": "EventType",
    "type": "string",
    "enum": sorted(_TYPE_DESCRIPTIONS),
    "description": "The type of a piece of news. New types may come: ignore those that you do not know.",
    MEANINGS: dict(sorted(_TYPE_DESCRIPTIONS.items())),
}
"""JSON schema of such a name."""
