"""What a decision on a tournament is made on, and how its commands and their undoing are described. Pure.

A decision takes the ``Situation`` and the request and gives the facts to append. It raises ``Invalid`` for a malformed
field, ``AlreadyExists`` for an id that is taken, and ``Refusal`` for what the rules or the state of the tournament do
not allow. Each feature says in its ``COMMANDS`` what decides its commands and what has to be read for them, and in its
``UNDO`` what undoes its facts.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_timestamp
from faristol.pairing import conditions
from faristol.pairing.model import Origins, Rulings, Tournament
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.rules import Ruleset, pinned_ruleset

M = TypeVar("M", bound=Message)


@dataclass(frozen=True, slots=True)
class Words:
    """What is kept of a player beside the events; empty where nothing is."""

    name: str = ""
    club: str = ""
    country: str = ""
    note: str = ""


@dataclass(frozen=True)
class Situation:
    """A tournament as it stands when something is decided on it, and what else that depends on."""

    state: Tournament
    now: datetime
    at: datetime | None = None
    """When the act happened; None for ``now``."""
    rules: Ruleset | None = None
    """The rules of the tournament; None for those that it is pinned to."""
    facts: Sequence[Message] = ()
    """All facts of the tournament so far."""
    divisions: Sequence[Tournament] = ()
    """The other divisions of its championship."""
    tables: Mapping[str, Rulings] = field(default_factory=dict)
    """What the streams of the tables tell, by game."""
    origins: Origins = field(default_factory=Origins)
    """Where the persons belong whom the command is about."""
    words: Words = field(default_factory=Words)
    """Those of the player who is amended."""

    @cached_property
    def ruleset(self) -> Ruleset:
        """The rules of the tournament. Raises ``Refusal`` when this process does not have their content."""
        pin = self.state.ruleset
        return self.rules or pinned_ruleset(pin.name, pin.digest, dict(pin.options))

    @property
    def moment(self) -> datetime:
        """When the act happened. Raises ``Invalid`` for a moment before the latest fact."""
        return conditions.moment(self.state, self.at, self.now)

    @property
    def occurred_at(self) -> Timestamp:
        """The same, as facts say it."""
        return to_timestamp(self.moment)

    def again(self, fact: M, note: str = "") -> M:
        """A fact once more, at the moment of the act, with ``note`` where it has one."""
        repeated: Any = type(fact)()
        repeated.CopyFrom(fact)
        repeated.occurred_at.CopyFrom(self.occurred_at)
        if "note" in repeated.DESCRIPTOR.fields_by_name:
            repeated.note = note
        return repeated  # type: ignore[no-any-return] # a fact of the same type

    def act(self, version: int) -> Message:
        """The fact of ``version``, from 1. Raises ``Invalid`` when no version is given, ``NotFound`` for no such."""
        if not version:
            raise Invalid("version", N_("is missing; expected the number of the act, which the history tells"))
        if not 1 <= version <= len(self.facts):
            raise NotFound("act", f"{self.state.tournament_id}/{version}")
        return self.facts[version - 1]


@dataclass(frozen=True, slots=True)
class Command:
    """What decides a command, what is read for it, and what its answer tells."""

    decide: Callable[[Situation, Any], list[Message]]
    of_tables: bool = False
    """It is about pairs, tables or results of games of two, of which the rules of duplicate games say nothing."""
    tells: type[Message] | None = None
    """The fact whose fields the answer has under the same names."""
    more: Callable[[Situation, Any, Sequence[Message]], Mapping[str, Any]] = lambda situation, request, facts: {}
    """Fields of the answer beside these, from the request and the facts that it led to."""
    facts: bool = False
    """All facts of the tournament are read."""
    divisions: bool = False
    """The other divisions of the championship are read, and must not change meanwhile."""
    games: Callable[[Any], Iterable[str]] | None = None
    """Games whose tables are read, and must not go on meanwhile."""
    persons: Callable[[Tournament, Any], Collection[str]] = lambda state, request: ()
    """Persons of whom it is read where they belong."""
    rests_on: tuple[type[Message], ...] = (Message,)
    """Facts after which it is not carried out for who had seen the tournament before them (``expected_version``)."""
    concerned: Callable[[Tournament, Any], Collection[str]] | None = None
    """Players who may not be its arbiter. The sender is, unless the request names another; None for no arbiter."""


def of_player(state: Tournament, request: Any) -> Collection[str]:
    """The player whom a request names."""
    return {str(request.player_id)}


def of_game(state: Tournament, request: Any) -> Collection[str]:
    """The players of the game that a request names; nobody where there is no such game."""
    found = state.find_game(request.game_id)
    return found[1].player_ids if found else ()


def latest(kind: type[M], before: Sequence[Message]) -> M:
    """The last of the facts ``before`` that is of a kind; an empty one where there is none."""
    return next((fact for fact in reversed(before) if isinstance(fact, kind)), kind())


def paired_since(act: Any, later: Message) -> bool:
    """The round of an act was paired after it."""
    return isinstance(later, events.RoundPaired) and later.round == act.round


def started_since(act: Any, later: Message) -> bool:
    """The round of an act was started after it."""
    return isinstance(later, events.RoundStarted) and later.round == act.round


@dataclass(frozen=True, slots=True)
class Undo:
    """What undoes a fact, and what keeps it from being undone."""

    by: Callable[[Any, Sequence[Message]], Message] | None = None
    """The command that undoes it, made from the fact and all facts before it; None where none does."""
    decide: Callable[[Situation, int, str], list[Message]] | None = None
    """Decides that for the fact of a version, with a note, where the command does not say enough."""
    thing: Callable[[Any], Hashable] | None = None
    """What the fact decides, where a later fact about the same thing takes its place."""
    rests: Callable[[Any, Message], bool] = lambda act, later: False
    """Whether a later fact would have been another, or none, without this one."""
    check: Callable[[Situation, Any], None] = lambda situation, act: None
    """Refuses to undo it whatever came later."""
    now: Callable[[Tournament, Sequence[Message], int, str], str] | None = None
    """The command that undoes the fact of a version as the tournament stands, empty for none, in place of the name of
    that of ``by``, which is given."""
