"""Decisions about seasons and circuits. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import AlreadyExists, Invalid, NotFound, check_range
from faristol.kernel.likeness import like
from faristol.kernel.names import check_id, check_name
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.spellings import name_of, names_of
from faristol.kernel.times import check_day, check_day_order
from faristol.pb.season.v1 import events_pb2 as events
from faristol.pb.season.v1 import season_pb2 as pb
from faristol.seasons.model import DEFAULT_WEIGHT_PERCENT, CircuitState, Seasons, SeasonState, evolve

MAX_SCORING_PLACES = 200
"""Places that a table of points can have."""

MAX_PLACE_POINTS = 100_000
"""Points of a place."""

MAX_CIRCUIT_COUNT = 1_000
"""Results that count, tournaments that are demanded, and players that qualify."""

MAX_WEIGHT_PERCENT = 10_000


def create(state: Seasons, request: pb.CreateSeasonRequest, occurred_at: Timestamp) -> list[Message]:
    """Create a season. Raises ``Invalid`` for an invalid value, and ``AlreadyExists`` for the id of another season."""
    season_id = check_id("season_id", request.season_id)
    if season_id in state.by_id:
        raise AlreadyExists("season", season_id)
    first, last = check_day("starts_on", request.starts_on.strip()), check_day("ends_on", request.ends_on.strip())
    check_day_order(first, last, "ends_on")
    name = check_name("name", request.name)
    return [
        events.SeasonCreated(season_id=season_id, name=name, starts_on=first, ends_on=last, occurred_at=occurred_at)
    ]


def set_circuit(state: Seasons, request: pb.SetCircuitRequest, occurred_at: Timestamp) -> list[Message]:
    """Add a circuit to a season, or change its rule.

    Raises ``NotFound`` for an unknown season, ``Invalid`` for an invalid value, and ``Refusal`` if no value changes.
    """
    season = state.find(request.season_id)
    check_id("circuit_id", request.circuit_id)
    _check_rule(request)
    changed = like(events.CircuitSet, request, name=check_name("name", request.name), occurred_at=occurred_at)
    known = season.circuits.get(request.circuit_id)
    if known and evolve(state, changed).by_id[season.season_id].circuits[request.circuit_id] == known:
        raise Refusal("SAME_CIRCUIT", N_("No change for {name}: specify a new value."), {"name": known.rule.name})
    return [changed]


def remove_circuit(state: Seasons, request: pb.RemoveCircuitRequest, occurred_at: Timestamp) -> list[Message]:
    """Remove a circuit. Raises ``NotFound`` for an unknown one."""
    season, circuit = _find_circuit(state, request)
    return [events.CircuitRemoved(season_id=season.season_id, circuit_id=circuit.circuit_id, occurred_at=occurred_at)]


def add_tournament(state: Seasons, request: pb.AddCircuitTournamentRequest, occurred_at: Timestamp) -> list[Message]:
    """Add a tournament to a circuit, or change its weight.

    The caller has checked that the tournament exists. Raises ``NotFound``, ``Invalid`` for an impossible weight, and
    ``Refusal`` if the weight does not change.
    """
    _, circuit = _find_circuit(state, request)
    if not 0 <= request.percent <= MAX_WEIGHT_PERCENT:
        raise Invalid(
            "percent",
            N_("{given} is not a weight: expected {least} to {most}"),
            {"given": request.percent, "least": 1, "most": MAX_WEIGHT_PERCENT},
        )
    percent = request.percent or DEFAULT_WEIGHT_PERCENT
    if circuit.weights.get(request.tournament_id) == percent:
        raise Refusal(
            "SAME_WEIGHT",
            N_("{tournament} is in {circuit} already, with a weight of {percent} per cent."),
            {"tournament": request.tournament_id, "circuit": circuit.rule.name, "percent": percent},
        )
    return [like(events.CircuitTournamentAdded, request, percent=percent, occurred_at=occurred_at)]


def remove_tournament(
    state: Seasons, request: pb.RemoveCircuitTournamentRequest, occurred_at: Timestamp
) -> list[Message]:
    """Remove a tournament from a circuit. Raises ``NotFound``, and ``Refusal`` if it is not in it."""
    _, circuit = _find_circuit(state, request)
    if request.tournament_id not in circuit.weights:
        raise Refusal(
            "NOT_IN_CIRCUIT",
            N_("{tournament} is not in {circuit}: expected one of its tournaments."),
            {"tournament": request.tournament_id, "circuit": circuit.rule.name},
        )
    return [like(events.CircuitTournamentRemoved, request, occurred_at=occurred_at)]


def merge(
    state: Seasons, request: pb.MergePersonsRequest, occurred_at: Timestamp, entered: Mapping[str, frozenset[str]]
) -> list[Message]:
    """Count two entries as one person. ``entered`` has the tournaments of each player.

    Raises ``NotFound`` for an unknown player. Raises ``Refusal`` for the same entry, one that is merged already, and
    two that played in one tournament: they are two persons.
    """
    for player_id in (request.person_id, request.merged_id):
        if player_id not in entered:
            raise NotFound("player", player_id)
        if player_id in state.merged:
            raise Refusal(
                "ALREADY_MERGED",
                N_("{player} is merged into {person} already: use that id, or undo the merge first."),
                {"player": player_id, "person": state.person_of(player_id)},
            )
    if request.person_id == request.merged_id:
        raise Refusal("ONE_ENTRY", N_("{player} is one entry: expected two."), {"player": request.person_id})
    own, other = (
        frozenset[str]().union(*(entered.get(each, frozenset()) for each in state.entries_of(player_id)))
        for player_id in (request.person_id, request.merged_id)
    )
    if both := sorted(own & other):
        raise Refusal(
            "PLAYED_TOGETHER",
            N_("{player} and {person} both entered {tournament}: they are two persons."),
            {"player": request.merged_id, "person": request.person_id, "tournament": both[0]},
        )
    return [like(events.PersonsMerged, request, occurred_at=occurred_at)]


def separate(state: Seasons, request: pb.SeparatePersonsRequest, occurred_at: Timestamp) -> list[Message]:
    """Undo a merge. Raises ``Refusal`` for an entry that is not merged."""
    if request.merged_id not in state.merged:
        raise Refusal("NOT_MERGED", N_("{player} is not merged into another entry."), {"player": request.merged_id})
    person_id = state.merged[request.merged_id]
    return [events.PersonsSeparated(person_id=person_id, merged_id=request.merged_id, occurred_at=occurred_at)]


SEASON_COMMANDS: Mapping[type[Message], Callable[[Seasons, Any, Timestamp], list[Message]]] = {
    pb.CreateSeasonRequest: create,
    pb.SetCircuitRequest: set_circuit,
    pb.RemoveCircuitRequest: remove_circuit,
    pb.AddCircuitTournamentRequest: add_tournament,
    pb.RemoveCircuitTournamentRequest: remove_tournament,
    pb.SeparatePersonsRequest: separate,
}
"""The decision of each command, except for a merge, which depends on the tournaments of the players."""


def _find_circuit(state: Seasons, request: Any) -> tuple[SeasonState, CircuitState]:
    """Return the season and the circuit that a request names. Raises ``NotFound``."""
    season = state.find(request.season_id)
    if request.circuit_id not in season.circuits:
        raise NotFound("circuit", request.circuit_id)
    return season, season.circuits[request.circuit_id]


def _check_rule(request: pb.SetCircuitRequest) -> None:
    """Raise ``Invalid`` for a rule by which no ranking can be computed."""
    if request.basis not in events.PointsBasis.values() or not request.basis:
        expected = [name for name, value in names_of(events.PointsBasis.DESCRIPTOR).items() if value]
        raise Invalid("basis", N_("is empty; expected one of {known}"), {"known": ", ".join(expected)})
    by_place = request.basis == events.POINTS_BASIS_PLACE
    if by_place != bool(request.place_points):
        problem = N_("is empty; expected the points of the first place, the second, and so on")
        raise Invalid(
            "place_points",
            problem if by_place else N_("only the basis {basis} has points of places"),
            {"basis": name_of(events.PointsBasis.DESCRIPTOR, events.POINTS_BASIS_PLACE)},
        )
    points = list(request.place_points)
    if len(points) > MAX_SCORING_PLACES:
        raise Invalid(
            "place_points",
            N_("has {count} places; expected {most} at most"),
            {"count": len(points), "most": MAX_SCORING_PLACES},
        )
    if points != sorted(points, reverse=True) or not all(0 <= each <= MAX_PLACE_POINTS for each in points):
        raise Invalid(
            "place_points",
            N_("{given} is no table of points; expected falling numbers from 0 to {most}"),
            {"given": " ".join(map(str, points))[:60], "most": MAX_PLACE_POINTS},
        )
    for field in ("best_of", "min_tournaments", "qualified_places"):
        check_range(field, getattr(request, field), 0, MAX_CIRCUIT_COUNT)
    known = set(events.CircuitTieBreak.values()) - {events.CIRCUIT_TIE_BREAK_UNSPECIFIED}
    if not known.issuperset(request.tie_breaks) or len(set(request.tie_breaks)) != len(request.tie_breaks):
        expected = [name for name, value in names_of(events.CircuitTieBreak.DESCRIPTOR).items() if value]
        raise Invalid("tie_breaks", N_("expected each of these once at most: {known}"), {"known": ", ".join(expected)})
    if request.qualifies_for_id:
        check_id("qualifies_for_id", request.qualifies_for_id)
