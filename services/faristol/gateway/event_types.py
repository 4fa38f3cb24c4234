"""The types of news, each with what it means: from the contract, where the event is described."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from faristol.gateway.openapi import named
from faristol.kernel import facts
from faristol.pb.comments import COMMENTS
from faristol.pb.event.v1.event_pb2 import AUDIENCE_PUBLIC, Change


class EventType(NamedTuple):
    """A type of news."""

    name: str
    stream: str
    """What it is of: ``game``, ``clock``, ``duplicate``, ``tournament``, ``rating`` …"""
    about: str
    changes: tuple[str, ...]
    """What is another after it, by the words of ``Change`` in the contract: ``sheet``, ``result``."""


def _types() -> Iterator[EventType]:
    public = facts.told_to(AUDIENCE_PUBLIC)
    for kind in facts.EVENTS:
        if kind in public:
            means = facts.meaning(kind)
            changes = (Change.Name(change).removeprefix("CHANGE_").lower() for change in sorted(means.changes))
            about = COMMENTS.get(kind.DESCRIPTOR.full_name, "")
            yield EventType(kind.DESCRIPTOR.name, means.stream, about, tuple(changes))


TYPES: Mapping[str, EventType] = {each.name: each for each in _types()}
"""Every type of news by its name, in the order of the contract."""

RESET = "Reset"
"""The type of the event that a client is sent who comes from another record: it is told everything from the start."""

_ABOUT = {
    **{name: each.about for name, each in TYPES.items()},
    RESET: "No event of the record: what came before is of another one, and is told anew from the first news on.",
}

SCHEMA = named(
    "EventType",
    sorted(_ABOUT),
    "The type of a piece of news. New types may come: ignore those that you do not know.",
    {name: _ABOUT[name] for name in sorted(_ABOUT)},
)
"""Says in the type of a field that it is the name of such a type."""
