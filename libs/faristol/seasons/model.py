"""The seasons of a cell and its merged persons, folded from their events. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import NotFound
from faristol.kernel.event_types import find_fold, folds_in
from faristol.pb.season.v1 import events_pb2 as events

SEASONS_STREAM = "seasons-cell"
"""The stream of all seasons and merges: a cell holds the events of one federation."""

DEFAULT_WEIGHT_PERCENT = 100
"""Weight of a tournament in a circuit that counts the whole season."""


@dataclass(frozen=True, slots=True)
class CircuitRule:
    """The rule of a circuit, under the names of the contract."""

    name: str
    basis: events.PointsBasis.ValueType
    place_points: tuple[int, ...] = ()
    best_of: int = 0
    min_tournaments: int = 0
    tie_breaks: tuple[events.CircuitTieBreak.ValueType, ...] = ()
    qualified_places: int = 0
    qualifies_for_id: str = ""
    whole_season: bool = False


@dataclass(frozen=True, slots=True)
class CircuitState:
    """A circuit of a season."""

    circuit_id: str
    rule: CircuitRule
    weights: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """The weight in percent of each tournament that was added to it, by tournament id."""


@dataclass(frozen=True, slots=True)
class SeasonState:
    """A season."""

    season_id: str
    name: str
    starts_on: str = ""
    """First day, such as ``2026-09-01``; empty if not set."""
    ends_on: str = ""
    circuits: Mapping[str, CircuitState] = field(default_factory=lambda: MappingProxyType({}))
    """By circuit id, in the order in which they were added."""

    @property
    def tournament_ids(self) -> frozenset[str]:
        """The tournaments of all circuits."""
        return frozenset(tournament_id for each in self.circuits.values() for tournament_id in each.weights)

    def weights_of(self, circuit: CircuitState) -> Mapping[str, int]:
        """Return the weight in percent of each tournament that counts in a circuit, by tournament id."""
        if not circuit.rule.whole_season:
            return circuit.weights
        return {each: circuit.weights.get(each, DEFAULT_WEIGHT_PERCENT) for each in self.tournament_ids}


@dataclass(frozen=True, slots=True)
class Merge:
    """The merge of two entries that are one person."""

    person_id: str
    """The id under which both are counted."""
    merged_id: str
    merged_at: Timestamp
    separated_at: Timestamp | None = None
    """Time at which it was undone; None if it stands."""


@dataclass(frozen=True, slots=True)
class Seasons:
    """The seasons of a cell, and the persons with several entries."""

    by_id: Mapping[str, SeasonState] = field(default_factory=lambda: MappingProxyType({}))
    """In the order in which they were created."""
    merges: tuple[Merge, ...] = ()
    """In the order of the record, with those that were undone."""
    merged: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The id that each merged entry was merged into, by its id."""

    def find(self, season_id: str) -> SeasonState:
        """Return a season. Raises ``NotFound``."""
        if season_id not in self.by_id:
            raise NotFound("season", season_id)
        return self.by_id[season_id]

    def person_of(self, player_id: str) -> str:
        """Return the id under which an entry is counted: its own unless it was merged."""
        while player_id in self.merged:
            player_id = self.merged[player_id]
        return player_id

    def entries_of(self, player_id: str) -> list[str]:
        """Return the ids of all entries that are the same person, the one under which they are counted first."""
        person = self.person_of(player_id)
        return [person, *sorted(each for each in self.merged if self.person_of(each) == person)]


def evolve(state: Seasons, event: Message) -> Seasons:
    """Apply an event. Raises ``TypeError`` if the message is not an event of seasons."""
    fold = find_fold(SEASON_FOLDS, event, "seasons")
    return fold(state, event)


def fold_seasons(past_events: Iterable[Message]) -> Seasons:
    """Return the seasons after events."""
    state = Seasons()
    for event in past_events:
        state = evolve(state, event)
    return state


def _apply_season_created(state: Seasons, event: events.SeasonCreated) -> Seasons:
    return _with_season(state, SeasonState(event.season_id, event.name, event.starts_on, event.ends_on))


def _apply_circuit_set(state: Seasons, event: events.CircuitSet) -> Seasons:
    known = state.by_id[event.season_id].circuits.get(event.circuit_id)
    rule = CircuitRule(
        event.name,
        event.basis,
        tuple(event.place_points),
        event.best_of,
        event.min_tournaments,
        tuple(event.tie_breaks),
        event.qualified_places,
        event.qualifies_for_id,
        event.whole_season,
    )
    circuit = replace(known, rule=rule) if known else CircuitState(event.circuit_id, rule)
    return _with_circuit(state, event.season_id, circuit)


def _apply_circuit_removed(state: Seasons, event: events.CircuitRemoved) -> Seasons:
    season = state.by_id[event.season_id]
    circuits = {circuit_id: each for circuit_id, each in season.circuits.items() if circuit_id != event.circuit_id}
    return _with_season(state, replace(season, circuits=MappingProxyType(circuits)))


def _apply_circuit_tournament_added(state: Seasons, event: events.CircuitTournamentAdded) -> Seasons:
    circuit = state.by_id[event.season_id].circuits[event.circuit_id]
    weights = MappingProxyType({**circuit.weights, event.tournament_id: event.percent})
    return _with_circuit(state, event.season_id, replace(circuit, weights=weights))


def _apply_circuit_tournament_removed(state: Seasons, event: events.CircuitTournamentRemoved) -> Seasons:
    circuit = state.by_id[event.season_id].circuits[event.circuit_id]
    weights = {each: percent for each, percent in circuit.weights.items() if each != event.tournament_id}
    return _with_circuit(state, event.season_id, replace(circuit, weights=MappingProxyType(weights)))


def _with_circuit(state: Seasons, season_id: str, circuit: CircuitState) -> Seasons:
    season = state.by_id[season_id]
    circuits = MappingProxyType({**season.circuits, circuit.circuit_id: circuit})
    return _with_season(state, replace(season, circuits=circuits))


def _with_season(state: Seasons, season: SeasonState) -> Seasons:
    return replace(state, by_id=MappingProxyType({**state.by_id, season.season_id: season}))


def _apply_persons_merged(state: Seasons, event: events.PersonsMerged) -> Seasons:
    merge = Merge(event.person_id, event.merged_id, event.occurred_at)
    merged = MappingProxyType({**state.merged, event.merged_id: event.person_id})
    return replace(state, merges=(*state.merges, merge), merged=merged)


def _apply_persons_separated(state: Seasons, event: events.PersonsSeparated) -> Seasons:
    merges = tuple(
        replace(each, separated_at=event.occurred_at)
        if each.merged_id == event.merged_id and each.separated_at is None
        else each
        for each in state.merges
    )
    merged = {each: person for each, person in state.merged.items() if each != event.merged_id}
    return replace(state, merges=merges, merged=MappingProxyType(merged))


SEASON_FOLDS: Mapping[type[Message], Callable[[Seasons, Any], Seasons]] = folds_in(__name__)
"""The function that applies each type of event."""
