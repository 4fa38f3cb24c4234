"""The input of a decision on a tournament, and the descriptions of commands and their undo. Pure.

A decision takes a ``Situation`` and a request and returns the events to append. It raises ``Invalid`` for a malformed
field and ``AlreadyExists`` for a taken id. It raises ``Refusal`` if the rules or the state of the tournament do not
allow the command. ``COMMANDS`` of each feature describes its commands and the data they need; ``UNDO`` describes how
its events are undone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.details import Person
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.event_types import round_of
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.register.model import Register
from faristol.rules import Ruleset, pinned_ruleset
from faristol.tournament import conditions
from faristol.tournament.state import Origins, TableRulings, TournamentState

M = TypeVar("M", bound=Message)


@dataclass(frozen=True, slots=True)
class Words:
    """The data of a player that are stored outside events."""

    person: Person = field(default_factory=lambda: Person(""))
    note: str = ""
    """Note for officials; may be empty."""


@dataclass(frozen=True, slots=True)
class Imposed:
    """A sanction of an arbiter at a table."""

    game: str
    version: int
    """Version of its event in the stream of the game, from 1."""
    sanction: game_events.SanctionImposed
    """The sanction with its note, unless that was erased."""


@dataclass(frozen=True, slots=True)
class OpenMatters:
    """The open matters that a check finds before a tournament is finalised."""

    check: events.FinalCheck.ValueType
    open: int
    """Number of open matters."""
    subjects: tuple[str, ...] = ()
    """The games, halls, consumers and witnesses concerned, by their names."""


@dataclass(frozen=True)
class Situation:
    """The state of a tournament at a decision, and the other inputs of the decision."""

    state: TournamentState
    now: datetime
    at: datetime | None = None
    """The requested time of the command; None for ``now``."""
    rules: Ruleset | None = None
    """The rules of the tournament; None for the pinned ones."""
    past_events: Sequence[Message] = ()
    """All events of the tournament so far."""
    divisions: Sequence[TournamentState] = ()
    """The other divisions of its championship."""
    tables: Mapping[str, TableRulings] = field(default_factory=dict)
    """The folded streams of tables, by game id."""
    imposed: Sequence[Imposed] = ()
    """The sanctions at tables that the tournament has not noted yet, in the order of the record."""
    open_matters: Sequence[OpenMatters] = ()
    """What the checks before the end of a tournament find, in their order."""
    origins: Origins = field(default_factory=Origins)
    """The countries and affiliations of the persons concerned."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The names of the players, by id."""
    words: Words = field(default_factory=Words)
    """The data outside events of the player to amend."""
    caller_id: str = ""
    """Id of the caller; empty if unknown, and if neither the tournament nor the command needs a second official."""
    caller_ids: frozenset[str] = frozenset()
    """That id, and those of proposers and of players in proposals who have the name of the caller."""
    notes: Mapping[int, str] = field(default_factory=dict)
    """The notes of the tournament's events, by version."""
    persons: Register = field(default_factory=Register)
    """The federation's register; empty if the tournament requires no licence."""

    @cached_property
    def ruleset(self) -> Ruleset:
        """The rules of the tournament. Raises ``Refusal`` if this process does not have their content."""
        pin = self.state.ruleset
        return self.rules or pinned_ruleset(pin.name, pin.digest, dict(pin.options))

    @property
    def moment(self) -> datetime:
        """The time of the command. Raises ``Invalid`` if it is before the latest event."""
        return conditions.compute_command_time(self.state, self.at, self.now)

    @property
    def occurred_at(self) -> Timestamp:
        """The time of the command as a message."""
        return to_timestamp(self.moment)

    def event(self, kind: type[M], source: Message | None = None, /, **fields: Any) -> M:
        """Return an event with the time of the command, ``fields``, and the shared fields of ``source`` (``like``)."""
        fields["occurred_at"] = self.occurred_at
        return kind(**fields) if source is None else like(kind, source, **fields)

    def again(self, event: M, note: str = "") -> M:
        """Copy an event with the time of the command, and with ``note`` if its type has one."""
        repeated: Any = deepcopy(event)
        repeated.occurred_at.CopyFrom(self.occurred_at)
        if "note" in repeated.DESCRIPTOR.fields_by_name:
            repeated.note = note
        return repeated  # type: ignore[no-any-return] # an event of the same type

    def act(self, version: int) -> Any:
        """Return the event of ``version``, from 1. Raises ``Invalid`` if it is 0, ``NotFound`` if it is unknown."""
        if not version:
            raise Invalid("version", N_("is missing; expected the number of the command in the history"))
        if not 1 <= version <= len(self.past_events):
            raise NotFound("act", f"{self.state.tournament_id}/{version}")
        return self.past_events[version - 1]


@dataclass(frozen=True, slots=True)
class PairingCommand:
    """The decision of a command, the data it needs, and the fields of its answer."""

    decide: Callable[[Situation, Any], list[Message]]
    of_tables: bool = False
    """Whether it is about pairs, tables or results of games of two, and so not for duplicate games."""
    tells: type[Message] | None = None
    """The type of event whose fields the answer copies by name."""
    more: Callable[[Situation, Any, Sequence[Message]], Mapping[str, Any]] = lambda situation, request, new_events: {}
    """Computes further fields of the answer from the request and the new events."""
    in_thread: bool = False
    """Whether the decision is made in a thread: that of a round of 1,000 players takes longer than a second."""
    needs_past_events: bool = False
    """Whether all events of the tournament are read."""
    divisions: bool = False
    """Whether the other divisions are read and guarded against concurrent changes."""
    games: Callable[[TournamentState, Any], Iterable[str]] = lambda state, request: ()
    """Returns the games whose tables are read and guarded against concurrent changes."""
    names: bool = False
    """Whether the names of the players are read."""
    imposed: bool = False
    """Whether the sanctions at tables that the tournament has not noted yet are read."""
    notes: bool = False
    """Whether the notes of the tournament's events are read."""
    open_matters: bool = False
    """Whether the checks before the end of a tournament are made."""
    persons: Callable[[TournamentState, Any], Collection[str]] = lambda state, request: ()
    """Returns the persons whose countries and affiliations are read."""
    keeps: Callable[[TournamentState, Any], Sequence[Person]] = lambda state, request: ()
    """Returns the persons whose details are stored with its events, see ``people.remember_persons``."""
    stores: Callable[[Any], tuple[str, Message]] | None = None
    """Returns a stream, with the one event that it has, for content apart from the tournament's stream."""
    rests_on: tuple[type[Message], ...] = (Message,)
    """Types of events that make an older ``expected_version`` stale."""
    concerned: Callable[[TournamentState, Any], Collection[str]] | None = None
    """Returns the players who may not be its arbiter; None if it has no arbiter. The default arbiter is the caller."""
    official: str = ""
    """Field of another official who acts, by default the caller; empty if it has none."""


def of_player(state: TournamentState, request: Any) -> Collection[str]:
    """Return the player of a request."""
    return {str(request.player_id)}


def name_game(state: TournamentState, request: Any) -> Iterable[str]:
    """Return the game of a request."""
    return (request.game_id,)


def of_game(state: TournamentState, request: Any) -> Collection[str]:
    """Return the players of the game of a request, or an empty tuple if there is no such game."""
    found = state.find_game(request.game_id)
    return found[1].player_ids if found else ()


def latest(kind: type[M], before: Sequence[Message]) -> M:
    """Return the last event of a type among ``before``, or an empty one."""
    return next((event for event in reversed(before) if isinstance(event, kind)), kind())


def latest_about(act: Any, field: str, kinds: tuple[type[Message], ...], before: Sequence[Message]) -> Message | None:
    """Return the last event of some types among ``before`` with the value of a field that ``act`` has; or None."""
    value = getattr(act, field)
    found = (event for event in reversed(before) if isinstance(event, kinds) and getattr(event, field) == value)
    return next(found, None)


def as_before(command: type[Message]) -> Callable[[Any, Sequence[Message]], Message]:
    """Return a function that builds a command with the fields of the last event of the same type before an event."""
    return lambda act, before: like(command, latest(type(act), before), occurred_at=None)


def set_as_before(
    field: str, kinds: tuple[type[Message], type[Message]], commands: tuple[type[Message], type[Message]]
) -> Callable[[Any, Sequence[Message]], Message]:
    """Return a function that builds the command to set or remove a subject, as it was before an event.

    ``kinds`` are the events of both commands, and ``field`` identifies the subject.
    """

    def build(act: Any, before: Sequence[Message]) -> Message:
        earlier = latest_about(act, field, kinds, before)
        is_set = isinstance(earlier, kinds[0])
        return like(commands[0], earlier, occurred_at=None) if is_set else like(commands[1], act, occurred_at=None)

    return build


def since(*kinds: type[Message]) -> Callable[[Any, Any], bool]:
    """Return a function that checks whether a later event is of one of these types, and of the event's round."""
    return lambda act, later: isinstance(later, kinds) and round_of(later) == act.round


@dataclass(frozen=True, slots=True)
class Undo:
    """How an event is undone, and the obstacles."""

    by: type[Message] | Callable[[Any, Sequence[Message]], Message] | None = None
    """The command that undoes the event, with the event's fields, or a function that builds it from the event and all
    events before it; None if it cannot be undone."""
    decide: Callable[[Situation, int, str], list[Message]] | None = None
    """Decides the undo of a version, with a note, if the command lacks information."""
    thing: tuple[str, ...] = ()
    """The subject of the event: a word, and fields of the event. A later event with the same subject supersedes it."""
    rests: Callable[[Any, Message], bool] = lambda act, later: False
    """Checks whether a later event depends on this one."""
    check: Callable[[Situation, Any], None] = lambda situation, act: None
    """Raises ``Refusal`` if the event cannot be undone, regardless of later events."""
    now: Callable[[TournamentState, Sequence[Message], int, str], str] | None = None
    """Returns the name of the command that can undo a version in the current state, or an empty string.

    Its last argument is the name of the command of ``by``.
    """
