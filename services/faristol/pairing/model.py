"""A tournament as its facts tell it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import Enum
from types import MappingProxyType
from typing import assert_never

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events


def stream(tournament_id: str) -> str:
    """The stream of a tournament."""
    return f"tournament-{tournament_id}"


def game_id(tournament_id: str, round_number: int, table: int) -> str:
    """The id of the game at a table, the same whenever the tournament is run again."""
    return f"{tournament_id}-r{round_number}-t{table}"


_NEVER = datetime.min.replace(tzinfo=UTC)


class Phase(Enum):
    """Where a round stands."""

    PAIRED = "paired"
    STARTED = "started"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Pin:
    """A document by its name and the SHA-256 of its content, in lower-case hexadecimal."""

    name: str = ""
    digest: str = ""
    options: tuple[tuple[str, str], ...] = ()
    """What was chosen for a ruleset: names and values as text."""

    def message(self) -> game_events.Pin:
        """As the contract has it."""
        options = [game_events.ChosenOption(name=name, value=value) for name, value in self.options]
        return game_events.Pin(name=self.name, digest=self.digest, options=options)


@dataclass(frozen=True, slots=True)
class Player:
    """Somebody registered."""

    player_id: str
    rating: int
    unrated: bool


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players at a table, the higher-ranked one first."""

    table: int
    game_id: str
    player_ids: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Decided:
    """How a table was decided, beside its scores."""

    winner_id: str = ""
    """Empty for a draw, when all lost, and in facts from before this was said: then the higher score wins."""
    lost_by_all: bool = False
    revision: int = 0
    """How often the result had been opened again."""
    condition: game_events.EndCondition.ValueType = game_events.END_CONDITION_UNSPECIFIED
    """What ended the game; not said in facts from before this was."""
    losers: tuple[str, ...] = ()
    """Who left, or lost by decision."""
    unplayed: bool = False
    """Decided before any turn was over."""

    @classmethod
    def by(cls, fact: game_events.ResultFinal | events.ResultRecorded) -> Decided:
        """What a fact says about it."""
        return cls(
            winner_id=fact.winner_id,
            lost_by_all=fact.lost_by_all,
            revision=fact.revision,
            condition=fact.condition,
            losers=tuple(fact.loser_ids),
            unplayed=fact.unplayed,
        )


@dataclass(frozen=True, slots=True)
class Round:
    """A round, from its pairing on."""

    number: int
    phase: Phase
    pairings: tuple[Pairing, ...]
    bye: str | None = None
    results: Mapping[str, tuple[int, int]] = field(default_factory=lambda: MappingProxyType({}))
    """Scores of each finished game, in the order of its pairing, by game id."""
    decided: Mapping[str, Decided] = field(default_factory=lambda: MappingProxyType({}))
    """How each of those was decided."""

    @property
    def missing(self) -> tuple[Pairing, ...]:
        """The tables without a result."""
        return tuple(pairing for pairing in self.pairings if pairing.game_id not in self.results)


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament. The empty one, ``Tournament()``, is one that does not exist yet."""

    tournament_id: str = ""
    name: str = ""
    rounds: int = 0
    seed: bytes = b""
    created_at: datetime = _NEVER
    latest: datetime = _NEVER
    """The latest moment that a fact of this tournament speaks of."""
    ruleset: Pin = Pin()
    lexicon: Pin = Pin()
    players: tuple[Player, ...] = ()
    """In the order of registration."""
    played: tuple[Round, ...] = ()
    """The rounds paired so far."""
    over: bool = False

    @property
    def exists(self) -> bool:
        """It was created."""
        return bool(self.tournament_id)

    def player(self, player_id: str) -> Player | None:
        """The player of that id, if registered."""
        return next((player for player in self.players if player.player_id == player_id), None)

    def find_game(self, wanted: str) -> tuple[Round, Pairing] | None:
        """The round and the table of a game, if it was paired."""
        for one in self.played:
            for pairing in one.pairings:
                if pairing.game_id == wanted:
                    return one, pairing
        return None


Fact = (
    events.TournamentCreated
    | events.RulesetPinned
    | events.LexiconPinned
    | events.PlayerRegistered
    | events.RoundPaired
    | events.ByeAwarded
    | events.RoundStarted
    | events.ResultRecorded
    | events.RoundClosed
    | events.StandingsPublished
)
"""Everything that a tournament's stream can hold."""


def evolve(state: Tournament, fact: Message) -> Tournament:
    """The tournament after one more fact. Raises ``TypeError`` for a message that is no fact of a tournament."""
    if not isinstance(fact, Fact):
        raise TypeError(f"{fact.DESCRIPTOR.full_name} is not a fact of a tournament")
    match fact:
        case events.TournamentCreated():
            at = _moment(fact.occurred_at)
            return replace(
                state,
                tournament_id=fact.tournament_id,
                name=fact.name,
                rounds=fact.rounds,
                seed=fact.seed,
                created_at=at,
                latest=at,
            )
        case events.RulesetPinned():
            return replace(state, ruleset=_pin(fact.ruleset))
        case events.LexiconPinned():
            return replace(state, lexicon=_pin(fact.lexicon))
        case events.PlayerRegistered():
            player = Player(fact.player_id, fact.rating, fact.unrated)
            return _later(replace(state, players=(*state.players, player)), fact.occurred_at)
        case events.RoundPaired():
            pairings = tuple(
                Pairing(one.table, one.game_id, (one.first_player_id, one.second_player_id)) for one in fact.pairings
            )
            paired = Round(fact.round, Phase.PAIRED, pairings)
            return _later(replace(state, played=(*state.played, paired)), fact.occurred_at)
        case events.ByeAwarded():
            return _with_round(state, replace(state.played[fact.round - 1], bye=fact.player_id))
        case events.RoundStarted():
            started = replace(state.played[fact.round - 1], phase=Phase.STARTED)
            return _later(_with_round(state, started), fact.occurred_at)
        case events.ResultRecorded():
            one = state.played[fact.round - 1]
            first, second = fact.scores
            results = MappingProxyType({**one.results, fact.game_id: (first.score, second.score)})
            decided = MappingProxyType({**one.decided, fact.game_id: Decided.by(fact)})
            return _later(_with_round(state, replace(one, results=results, decided=decided)), fact.occurred_at)
        case events.RoundClosed():
            closed = replace(state.played[fact.round - 1], phase=Phase.CLOSED)
            return _later(_with_round(state, closed), fact.occurred_at)
        case events.StandingsPublished():
            return _later(replace(state, over=True), fact.occurred_at)
        case _:
            assert_never(fact)


def _with_round(state: Tournament, changed: Round) -> Tournament:
    played = tuple(changed if one.number == changed.number else one for one in state.played)
    return replace(state, played=played)


def _later(state: Tournament, occurred_at: Timestamp) -> Tournament:
    return replace(state, latest=max(state.latest, _moment(occurred_at)))


def _moment(occurred_at: Timestamp) -> datetime:
    return occurred_at.ToDatetime(tzinfo=UTC)


def _pin(pin: game_events.Pin) -> Pin:
    return Pin(pin.name, pin.digest, tuple((option.name, option.value) for option in pin.options))
