"""The hall cells of a tournament, folded from ``halls-<tournament_id>``. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1.hall_pb2 import HallBatch


def halls_stream(tournament_id: str) -> str:
    """Return the name of the stream of the hall cells of a tournament."""
    return f"halls-{tournament_id}"


@dataclass(frozen=True, slots=True)
class JoinedHall:
    """A hall cell that has joined and was not released."""

    hall: str
    key: bytes
    address: str
    version: str
    joined_at: Timestamp
    """Not to be changed."""


@dataclass(frozen=True, slots=True)
class AsideEvents:
    """Events of a table that were kept aside."""

    event: events.EventsKeptAside
    """Not to be changed."""
    verdict: events.AsideVerdict.ValueType = events.ASIDE_VERDICT_UNSPECIFIED


@dataclass(frozen=True, slots=True)
class Halls:
    """The hall cells of a tournament."""

    joined: Mapping[str, JoinedHall] = field(default_factory=dict)
    """Hall cells by the names of their halls."""
    keys: Mapping[str, tuple[bytes, ...]] = field(default_factory=dict)
    """Every key that has joined for a hall, released or not."""
    draw_salt: bytes = b""
    """Bytes that enter the seeds of tables, secret from all halls; empty before the first cell has joined."""
    behind: frozenset[str] = frozenset()
    """Halls that were not heard, by name."""
    aside: Mapping[int, AsideEvents] = field(default_factory=dict)
    """Events that were kept aside by number, from 1."""

    def kept_events(self, game_id: str) -> frozenset[tuple[str, bytes]]:
        """Return ids and hashes of the events in the batches that were kept aside for a table."""
        batches = (
            HallBatch.FromString(kept.event.batch) for kept in self.aside.values() if kept.event.game_id == game_id
        )
        return frozenset((event.event_id, event.hash) for batch in batches for event in batch.events)


def evolve(halls: Halls, message: Message) -> Halls:
    """Return the hall cells after an event of their stream. Raises ``TypeError`` for any other event."""
    match message:
        case events.HallJoined():
            joined = JoinedHall(message.hall, message.key, message.address, message.version, message.occurred_at)
            keys = halls.keys.get(message.hall, ())
            if message.key not in keys:
                keys = (*keys, message.key)
            return replace(
                halls,
                joined=MappingProxyType({**halls.joined, message.hall: joined}),
                keys=MappingProxyType({**halls.keys, message.hall: keys}),
                draw_salt=halls.draw_salt or message.draw_salt,
            )
        case events.HallReleased():
            others = {hall: joined for hall, joined in halls.joined.items() if hall != message.hall}
            return replace(halls, joined=MappingProxyType(others))
        case events.HallFellBehind():
            return replace(halls, behind=halls.behind | {message.hall})
        case events.HallCaughtUp():
            return replace(halls, behind=halls.behind - {message.hall})
        case events.EventsKeptAside():
            return replace(halls, aside=MappingProxyType({**halls.aside, message.number: AsideEvents(message)}))
        case events.KeptAsideDecided():
            decided = replace(halls.aside[message.number], verdict=message.verdict)
            return replace(halls, aside=MappingProxyType({**halls.aside, message.number: decided}))
        case _:
            raise TypeError(f"{message.DESCRIPTOR.full_name} is not an event of the halls of a tournament")
