"""What events mean, as the contract says it (`proto/faristol/event/v1/event.proto`), and what many of them have. Pure.

A fact is an event's message.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter
from types import ModuleType
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.times import Instant
from faristol.pb.access.v1 import events_pb2 as access
from faristol.pb.clock.v1 import events_pb2 as clock
from faristol.pb.clock.v1 import turn_events_pb2 as turns
from faristol.pb.event.v1 import event_pb2 as options
from faristol.pb.game.v1 import duplicate_events_pb2 as duplicate
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.people.v1 import events_pb2 as people
from faristol.pb.rating.v1 import events_pb2 as rating

CONTEXTS = (access, clock, turns, game, duplicate, lexicon, pairing, people, rating)
"""The modules that describe events. Importing them makes every type known by its name."""

OF_THE_CELL = "_"
"""What stands in place of a tournament for an event that is of the whole cell. No tournament is called so."""

Kind = type[Message]
"""The class of an event."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an event means."""

    stream: str
    """What comes before the id in the name of its stream: ``game``."""
    audience: options.Audience.ValueType
    changes: frozenset[options.Change.ValueType]
    version: int
    """Of its definition, from 1."""
    command: str
    """The command that does what it tells; may be empty."""


def events_of(*contexts: ModuleType) -> tuple[Kind, ...]:
    """The events that modules of the contract describe, in the order of the contract."""
    messages = (message for context in contexts for message in context.DESCRIPTOR.message_types_by_name.values())
    return tuple(GetMessageClass(message) for message in messages if message.GetOptions().HasExtension(options.meaning))


EVENTS = events_of(*CONTEXTS)
"""Every event."""


def _read(message: Any) -> Meaning:
    said = message.GetOptions().Extensions[options.meaning]
    stream = said.stream or message.file.GetOptions().Extensions[options.stream]
    return Meaning(stream, said.audience, frozenset(said.changes), said.version or 1, said.command)


_MEANINGS = {kind: _read(kind.DESCRIPTOR) for kind in EVENTS}


def meaning(kind: Kind) -> Meaning:
    """What an event means. Raises ``TypeError`` for a message of which the contract does not say it: it is no event."""
    try:
        return _MEANINGS[kind]
    except KeyError:
        name = kind.DESCRIPTOR.full_name
        raise TypeError(f"{name} is no event: the contract gives it no option faristol.event.v1.meaning") from None


def that_change(*changes: options.Change.ValueType) -> frozenset[Kind]:
    """The events after which any of these is another."""
    return frozenset(kind for kind, means in _MEANINGS.items() if not means.changes.isdisjoint(changes))


def told_to(audience: options.Audience.ValueType) -> frozenset[Kind]:
    """The events that are for an audience."""
    return frozenset(kind for kind, means in _MEANINGS.items() if means.audience == audience)


def on_streams(stream: str) -> frozenset[Kind]:
    """The events on streams of a kind: ``game`` for those of tables."""
    return frozenset(kind for kind, means in _MEANINGS.items() if means.stream == stream)


def types_of(kinds: Iterable[Kind]) -> frozenset[str]:
    """Events by their full names, as the record and the bus know them: ``faristol.game.v1.PlayPlaced``."""
    return frozenset(kind.DESCRIPTOR.full_name for kind in kinds)


class Common(Generic[T]):
    """A field that many events have: gives its value in a fact, and what stands for it in one without the field."""

    def __init__(self, name: str, otherwise: T) -> None:
        self._read = {kind: attrgetter(name) for kind in EVENTS if name in kind.DESCRIPTOR.fields_by_name}
        self._otherwise = otherwise

    def __call__(self, fact: Message) -> T:
        """The value in ``fact``."""
        read = self._read.get(type(fact))
        return self._otherwise if read is None else read(fact)


occurred_at = Common[Timestamp | None]("occurred_at", None)
"""When it happened; None for an event that is of the moment of another."""
round_of = Common("round", 0)
"""The round that it names, from 1; 0 when it names none."""
game_of = Common("game_id", "")
"""The game that it names; empty when it names none, as events on a game's own stream."""

_DATED = frozenset(kind for kind in EVENTS if "occurred_at" in kind.DESCRIPTOR.fields_by_name)
"""The events that name a moment."""


def dated(facts: Iterable[Message], at: Instant) -> list[Message]:
    """``facts``, each of them with a moment: ``at`` for what names none, and has one."""
    facts = list(facts)
    for fact in facts:
        if type(fact) in _DATED and not fact.HasField("occurred_at"):
            fact.occurred_at.FromNanoseconds(at)  # type: ignore[attr-defined] # the contract gives it
    return facts
