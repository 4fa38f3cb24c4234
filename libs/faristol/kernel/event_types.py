"""Metadata of events from the contract (`proto/faristol/event/v1/event.proto`), their fields and their handlers. Pure.

A handler of an event or a request is found by the type of message that annotates its parameter. No table repeats the
type, so a handler cannot be listed under another one, nor be forgotten.

In variable names, `event` is the message of an event; `Recorded` is an event with its position, actor and times.
"""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from types import FunctionType, ModuleType
from typing import Any, Generic, TypeVar, get_args, get_type_hints

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
from faristol.pb.hall.v1 import events_pb2 as hall
from faristol.pb.lexicon.v1 import events_pb2 as lexicon
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.pb.pairing.v1 import fee_events_pb2 as fees
from faristol.pb.pairing.v1 import registration_events_pb2 as registration
from faristol.pb.people.v1 import events_pb2 as people
from faristol.pb.rating.v1 import events_pb2 as rating
from faristol.pb.rating.v1 import federation_events_pb2 as rating_lists
from faristol.pb.register.v1 import events_pb2 as register
from faristol.pb.season.v1 import events_pb2 as season

CONTEXTS = (
    *(access, clock, turns, game, duplicate, lexicon, pairing, registration),
    *(fees, people, rating, rating_lists, register, season, hall),
)
"""The modules that define events. Importing them registers every type by its name."""

OF_THE_CELL = "_"
"""Placeholder for the tournament of an event that concerns the whole cell. No tournament has this id."""

Kind = type[Message]
"""The class of an event."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Meaning:
    """The metadata of an event type."""

    stream: str
    """Prefix of the name of its stream, before the id: ``game``."""
    audience: options.Audience.ValueType
    changes: frozenset[options.Change.ValueType]
    version: int
    """Version of its definition, from 1."""
    command: str
    """The command that produces it; may be empty."""


def events_of(*contexts: ModuleType) -> tuple[Kind, ...]:
    """Return the event types that modules of the contract define, in the order of the contract."""
    messages = (message for context in contexts for message in context.DESCRIPTOR.message_types_by_name.values())
    return tuple(GetMessageClass(message) for message in messages if message.GetOptions().HasExtension(options.meaning))


RECORD_EVENT_TYPES = events_of(*CONTEXTS)
"""Every event type."""


def _read(message: Any) -> Meaning:
    meaning = message.GetOptions().Extensions[options.meaning]
    stream = meaning.stream or message.file.GetOptions().Extensions[options.stream]
    return Meaning(stream, meaning.audience, frozenset(meaning.changes), meaning.version or 1, meaning.command)


_MEANINGS = {kind: _read(kind.DESCRIPTOR) for kind in RECORD_EVENT_TYPES}


def meaning(kind: Kind) -> Meaning:
    """Return the metadata of an event type. Raises ``TypeError`` for a message without the option ``meaning``."""
    try:
        return _MEANINGS[kind]
    except KeyError:
        name = kind.DESCRIPTOR.full_name
        raise TypeError(f"{name} is not an event: it has no option faristol.event.v1.meaning in the contract") from None


def types_that_change(*changes: options.Change.ValueType) -> frozenset[Kind]:
    """Return the event types that change any of ``changes``."""
    return frozenset(kind for kind, means in _MEANINGS.items() if not means.changes.isdisjoint(changes))


def types_for_audience(audience: options.Audience.ValueType) -> frozenset[Kind]:
    """Return the event types for an audience."""
    return frozenset(kind for kind, means in _MEANINGS.items() if means.audience == audience)


@cache
def _private_fields(message: Any) -> Mapping[str, bool]:
    """Return the fields that may have a private value; False for a message that has one only in a direct field."""
    found = {}
    for field in message.fields:
        given, below = field.GetOptions(), field.message_type
        if given.Extensions[options.private] or given.debug_redact:
            found[field.name] = True
        elif below is not None and _private_fields(below):
            found[field.name] = False
    return found


def has_private(message: Message) -> bool:
    """Check whether a message has a value that is not public: a field with the option ``private``, or free text."""
    private = _private_fields(message.DESCRIPTOR)
    for field, value in message.ListFields() if private else ():
        if field.name in private and (
            private[field.name] or any(map(has_private, value if field.is_repeated else [value]))
        ):
            return True
    return False


def on_streams(stream: str) -> frozenset[Kind]:
    """Return the event types on streams of a kind: ``game`` for those of tables."""
    return frozenset(kind for kind, means in _MEANINGS.items() if means.stream == stream)


def types_of(kinds: Iterable[Kind]) -> frozenset[str]:
    """Return the full names of event types, as in the record and on the bus: ``faristol.game.v1.PlayPlaced``."""
    return frozenset(kind.DESCRIPTOR.full_name for kind in kinds)


PUBLIC_TYPES = types_of(types_for_audience(options.AUDIENCE_PUBLIC))
"""Full names of the event types that every caller is notified of. A value of such an event may still be private."""


_OF_RESULTS = frozenset(
    {
        *(pairing.ResultEntered, pairing.ResultRecorded, pairing.ResultCorrected, pairing.ResultConfirmed),
        *(pairing.PointsAdjusted, pairing.SpreadAdjusted, pairing.PlayerSanctioned, pairing.SanctionLifted),
        *(pairing.RoundClosed, pairing.StandingsPublished, pairing.StandingsReopened),
    }
)

HELD_TYPES = types_of(_OF_RESULTS.union(*map(on_streams, ("game", "clock", "ratings"))))
"""Full names of the event types that the delay of a broadcast holds back from the public.

They are those of games and clocks, and those of the tournament and of ratings that follow from results.
"""

DELAY_TYPES = types_of([pairing.BroadcastDelaySet])
"""Full name of the event type that sets the delay of a broadcast."""

TOLD_TYPES = types_of([pairing.HeldEventTold])
"""Full name of the event type that tells a held event."""


def begins_delay(event: Message) -> bool:
    """Check whether an event sets a delay of more than 0."""
    return isinstance(event, pairing.BroadcastDelaySet) and event.minutes > 0


def broadcast_stream(tournament_id: str) -> str:
    """Return the stream of the told events of a tournament."""
    return f"broadcast-{tournament_id}"


class Common(Generic[T]):
    """A field of many events: returns its value in an event, or a default for an event type without the field."""

    def __init__(self, name: str, otherwise: T) -> None:
        self._read = {kind: attrgetter(name) for kind in RECORD_EVENT_TYPES if name in kind.DESCRIPTOR.fields_by_name}
        self._otherwise = otherwise

    def __call__(self, event: Message) -> T:
        """Return the value in ``event``."""
        read = self._read.get(type(event))
        return self._otherwise if read is None else read(event)


occurred_at = Common[Timestamp | None]("occurred_at", None)
"""The moment of an event; None for an event type that shares the moment of another event."""
round_of = Common("round", 0)
"""The round of an event, from 1; 0 if it has none."""
game_of = Common("game_id", "")
"""The game of an event; empty if it has none, as for events on a game's own stream."""

_DATED = frozenset(kind for kind in RECORD_EVENT_TYPES if "occurred_at" in kind.DESCRIPTOR.fields_by_name)
"""The event types with a moment."""


def set_occurred_at(events: Iterable[Message], at: Instant) -> list[Message]:
    """Return ``events`` after setting ``occurred_at`` to ``at`` in each event that has the field unset."""
    events = list(events)
    for event in events:
        if type(event) in _DATED and not event.HasField("occurred_at"):
            event.occurred_at.FromNanoseconds(at)  # type: ignore[attr-defined] # the contract gives it
    return events


Handler = Callable[..., Any]

F = TypeVar("F", bound=Handler)


def find_handlers(namespace: Mapping[str, Any], parameter: str, prefix: str = "") -> dict[type[Message], Handler]:
    """Return the functions of a module whose names begin with ``prefix``, by the message of their ``parameter``.

    A function for several messages is annotated with all of them; one for only that message takes precedence. An
    unused parameter is named ``_``. Functions without such a parameter are left out. Raises ``ValueError`` for two
    functions for the same message.
    """
    found: defaultdict[type[Message], dict[bool, list[Handler]]] = defaultdict(lambda: {True: [], False: []})
    for name, function in namespace.items():
        if isinstance(function, FunctionType) and name.startswith(prefix):
            hints = get_type_hints(function)
            kind = hints.get(parameter, hints.get("_"))
            for each in (kind, *get_args(kind)):
                if isinstance(each, type) and issubclass(each, Message):
                    found[each][each is kind].append(function)
    chosen = {message: functions[True] or functions[False] for message, functions in found.items()}
    for message, functions in chosen.items():
        if len(functions) > 1:
            names = ", ".join(each.__name__ for each in functions)
            raise ValueError(f"expected one function for {message.__name__}, found {names}")
    return {message: function for message, (function,) in chosen.items()}


def folds_in(*modules: str) -> Mapping[type[Message], Handler]:
    """Return the functions ``_apply_…`` of modules, given by name, by the event that each applies to a state."""
    functions = [
        (f"{name}.{key}", each)
        for name in modules
        for key, each in vars(sys.modules[name]).items()
        if key.startswith("_apply_")
    ]
    return find_handlers(dict(functions), "event")


def find_fold(folds: Mapping[type[Message], F], event: Message, subject: str) -> F:
    """Return the function that applies an event. Raises ``TypeError`` if it is not one of ``subject``."""
    fold = folds.get(type(event))
    if fold is None:
        raise TypeError(f"{event.DESCRIPTOR.full_name} is not an event of {subject}")
    return fold


def commands_in(*modules: ModuleType) -> Mapping[type[Message], Handler]:
    """Return the public functions that some modules define with a ``request``, by its type."""
    return _find_public(
        function
        for module in modules
        for function in vars(module).values()  # in the order of their definitions, unlike ``inspect.getmembers``
        if inspect.isfunction(function) and function.__module__ == module.__name__
    )


def methods_of(*services: object) -> Mapping[type[Message], Handler]:
    """Return the public methods of some objects with a ``request`` of a known type, by that type."""
    methods = {
        method.__func__: method for service in services for _, method in inspect.getmembers(service, inspect.ismethod)
    }
    return {kind: methods[function] for kind, function in _find_public(methods).items()}


def _find_public(functions: Iterable[Handler]) -> Mapping[type[Message], Handler]:
    public = {f"{each.__module__}.{each.__qualname__}": each for each in functions if not each.__name__.startswith("_")}
    return find_handlers(public, "request")
