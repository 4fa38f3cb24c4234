"""The hall cells of a tournament, folded from ``halls-<tournament_id>``. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.hall.v1 import events_pb2 as events
from faristol.pb.hall.v1.hall_pb2 import HallBatch
from faristol.pb.lexicon.v1.events_pb2 import CaseOpened

_CASE_OPENED = CaseOpened.DESCRIPTOR.full_name


def halls_stream(tournament_id: str) -> str:
    """Return the name of the stream of the hall cells of a tournament."""
    return f"halls-{tournament_id}"


FORK_REASONS = frozenset(
    (events.ASIDE_REASON_DIVERGENCE, events.ASIDE_REASON_COMMAND_KNOWN, events.ASIDE_REASON_INVALID)
)
"""Reasons that one event of a table is: the later ones of the hall cannot follow on its stream."""


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
    batch: bytes
    """The bytes that the hall signed, a ``HallBatch``."""
    ids: frozenset[tuple[str, bytes]]
    """Ids and hashes of the events in the batch."""
    cases: Mapping[str, str]
    """Games by the streams of the cases that the batch opens."""
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
        return frozenset().union(*(kept.ids for kept in self.aside.values() if kept.event.game_id == game_id))

    def find_fork(self, key: bytes, game_id: str, epoch: int) -> events.EventsKeptAside | None:
        """Return why the stream of a table cannot go on with later events of a hall; None if it can.

        The hall with that public key had the table in that epoch, and an event of it was kept aside.
        """
        return next(
            (
                kept.event
                for kept in self.aside.values()
                if (kept.event.key, kept.event.game_id, kept.event.epoch) == (key, game_id, epoch)
                and kept.event.reason in FORK_REASONS
            ),
            None,
        )

    def game_of_case(self, stream: str) -> str:
        """Return the game of a case that a batch opens which was kept aside; empty if none does."""
        return next((kept.cases[stream] for kept in self.aside.values() if stream in kept.cases), "")

    def count_undecided(self, hall: str) -> int:
        """Return the number of events of a hall that were kept aside and have no verdict."""
        return sum(kept.event.events for kept in self.aside.values() if kept.event.hall == hall and not kept.verdict)

    def measure_undecided(self, key: bytes) -> tuple[int, int]:
        """Return the number and the bytes of the events of a hall that were kept aside and have no verdict."""
        of_hall = [kept.event for kept in self.aside.values() if kept.event.key == key and not kept.verdict]
        return sum(event.events for event in of_hall), sum(len(event.batch) for event in of_hall)


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
            kept = _read_aside(halls, message)
            return replace(halls, aside=MappingProxyType({**halls.aside, message.number: kept}))
        case events.KeptAsideDecided():
            decided = replace(halls.aside[message.number], verdict=message.verdict)
            return replace(halls, aside=MappingProxyType({**halls.aside, message.number: decided}))
        case _:
            raise TypeError(f"{message.DESCRIPTOR.full_name} is not an event of the halls of a tournament")


def _read_aside(halls: Halls, message: events.EventsKeptAside) -> AsideEvents:
    """Return events that were kept aside, with their bytes, which another table of the batch may have."""
    if message.same_as:
        return replace(halls.aside[message.same_as], event=message, verdict=events.ASIDE_VERDICT_UNSPECIFIED)
    sent = HallBatch.FromString(message.batch).events
    opened = {event.stream: CaseOpened.FromString(event.payload) for event in sent if event.type == _CASE_OPENED}
    return AsideEvents(
        message,
        message.batch,
        frozenset((event.event_id, event.hash) for event in sent),
        MappingProxyType({stream: case.game_id for stream, case in opened.items()}),
    )
