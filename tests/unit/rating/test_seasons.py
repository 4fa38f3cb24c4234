"""Decisions on seasons and circuits, and the state that they leave."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.refusal import Refusal
from faristol.pb.season.v1 import events_pb2 as events
from faristol.pb.season.v1 import season_pb2 as pb
from faristol.rating.seasons.decide import SEASON_COMMANDS, merge
from faristol.seasons.model import CircuitRule, Seasons, evolve

AT = Timestamp(seconds=1_780_000_000)


class Federation:
    """The seasons of a federation, by commands."""

    def __init__(self) -> None:
        self.state = Seasons()

    def do(self, request: Message) -> list[Message]:
        """Carry a command out, and return its events."""
        new_events = SEASON_COMMANDS[type(request)](self.state, request, AT)
        for event in new_events:
            self.state = evolve(self.state, event)
        return new_events


def circuit(**fields: Any) -> pb.SetCircuitRequest:
    given = {
        "season_id": "2026-27",
        "circuit_id": "cup",
        "name": "Cup",
        "basis": events.POINTS_BASIS_PLACE,
        "place_points": [10, 6, 4],
    }
    return pb.SetCircuitRequest(**{**given, **fields})


def add(tournament_id: str, percent: int = 0, circuit_id: str = "cup") -> pb.AddCircuitTournamentRequest:
    return pb.AddCircuitTournamentRequest(
        season_id="2026-27", circuit_id=circuit_id, tournament_id=tournament_id, percent=percent
    )


ENTERED = {
    "anna": frozenset({"open", "cup"}),
    "anna-2": frozenset({"club"}),
    "anna-3": frozenset({"club", "final"}),
    "biel": frozenset({"open", "final"}),
    "carla": frozenset({"gran"}),
}


def do_merge(federation: Federation, person_id: str, merged_id: str) -> None:
    request = pb.MergePersonsRequest(person_id=person_id, merged_id=merged_id)
    for event in merge(federation.state, request, AT, ENTERED):
        federation.state = evolve(federation.state, event)


@pytest.fixture
def federation() -> Federation:
    found = Federation()
    found.do(pb.CreateSeasonRequest(season_id="2026-27", name=" Season  2026/27 ", starts_on="2026-09-01"))
    found.do(circuit())
    return found


def test_a_season_has_the_circuits_and_tournaments_that_were_added(federation: Federation) -> None:
    federation.do(add("open"))
    federation.do(add("final", 150))
    season = federation.state.by_id["2026-27"]
    assert (season.name, season.starts_on, season.ends_on) == ("Season 2026/27", "2026-09-01", "")
    assert season.circuits["cup"].rule == CircuitRule("Cup", events.POINTS_BASIS_PLACE, (10, 6, 4))
    assert season.weights_of(season.circuits["cup"]) == {"open": 100, "final": 150}


def test_a_changed_rule_keeps_the_tournaments_of_its_circuit(federation: Federation) -> None:
    federation.do(add("open"))
    federation.do(circuit(basis=events.POINTS_BASIS_FIELD, place_points=[], best_of=4, qualifies_for_id="final"))
    found = federation.state.by_id["2026-27"].circuits["cup"]
    assert found.rule == CircuitRule("Cup", events.POINTS_BASIS_FIELD, best_of=4, qualifies_for_id="final")
    assert found.weights == {"open": 100}


def test_a_circuit_of_the_whole_season_counts_every_tournament_once(federation: Federation) -> None:
    federation.do(circuit(circuit_id="league", name="League"))
    federation.do(circuit(circuit_id="year", name="Year", whole_season=True))
    federation.do(add("open", 150))
    federation.do(add("open", 50, "league"))
    federation.do(add("club", circuit_id="league"))
    season = federation.state.by_id["2026-27"]
    assert season.weights_of(season.circuits["year"]) == {"open": 100, "club": 100}
    federation.do(add("open", 200, "year"))
    season = federation.state.by_id["2026-27"]
    assert season.weights_of(season.circuits["year"]) == {"open": 200, "club": 100}


def test_a_removed_tournament_or_circuit_is_in_the_season_no_longer(federation: Federation) -> None:
    federation.do(add("open"))
    removal = pb.RemoveCircuitTournamentRequest(season_id="2026-27", circuit_id="cup", tournament_id="open")
    federation.do(removal)
    assert federation.state.by_id["2026-27"].circuits["cup"].weights == {}
    with pytest.raises(Refusal) as refused:
        federation.do(removal)
    assert "open is not in Cup" in str(refused.value)
    federation.do(pb.RemoveCircuitRequest(season_id="2026-27", circuit_id="cup"))
    assert federation.state.by_id["2026-27"].circuits == {}


def test_an_id_of_another_season_is_taken_and_an_unknown_one_is_not_found(federation: Federation) -> None:
    with pytest.raises(AlreadyExists, match="2026-27"):
        federation.do(pb.CreateSeasonRequest(season_id="2026-27", name="Again"))
    with pytest.raises(NotFound, match="season"):
        federation.do(circuit(season_id="2027-28"))
    with pytest.raises(NotFound, match="circuit"):
        federation.do(add("open", circuit_id="league"))


def test_a_command_that_changes_no_value_is_refused(federation: Federation) -> None:
    federation.do(add("open", 100))
    for request, reason in ((circuit(), "SAME_CIRCUIT"), (add("open"), "SAME_WEIGHT")):
        with pytest.raises(Refusal) as refused:
            federation.do(request)
        assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"basis": 0}, "basis"),
        ({"basis": 77}, "basis"),
        ({"place_points": []}, "place_points"),
        ({"basis": events.POINTS_BASIS_FIELD}, "place_points"),
        ({"place_points": [4, 6]}, "place_points"),
        ({"place_points": [4, -1]}, "place_points"),
        ({"place_points": [1] * 201}, "place_points"),
        ({"best_of": -1}, "best_of"),
        ({"min_tournaments": 1_001}, "min_tournaments"),
        ({"qualified_places": -5}, "qualified_places"),
        ({"tie_breaks": [0]}, "tie_breaks"),
        ({"tie_breaks": [99]}, "tie_breaks"),
        ({"tie_breaks": [1, 1]}, "tie_breaks"),
        ({"name": " "}, "name"),
        ({"circuit_id": "The Cup"}, "circuit_id"),
        ({"qualifies_for_id": "The Final"}, "qualifies_for_id"),
    ],
)
def test_a_rule_without_a_ranking_is_refused_with_its_field(
    federation: Federation, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(Invalid) as refused:
        federation.do(circuit(**fields))
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"season_id": "2026/27"}, "season_id"),
        ({"name": ""}, "name"),
        ({"starts_on": "1 September"}, "starts_on"),
        ({"starts_on": "2026-09-01", "ends_on": "2026-08-31"}, "ends_on"),
    ],
)
def test_a_season_with_an_invalid_value_is_refused_with_its_field(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        Federation().do(pb.CreateSeasonRequest(**{"season_id": "next", "name": "Next", **fields}))
    assert refused.value.field == field


@pytest.mark.parametrize("percent", [-1, 10_001])
def test_an_impossible_weight_is_refused(federation: Federation, percent: int) -> None:
    with pytest.raises(Invalid, match="weight"):
        federation.do(add("open", percent))


def test_a_merged_entry_is_counted_as_the_other_until_the_merge_is_undone(federation: Federation) -> None:
    do_merge(federation, "anna", "anna-2")
    assert federation.state.person_of("anna-2") == "anna"
    assert federation.state.entries_of("anna-2") == ["anna", "anna-2"]
    federation.do(pb.SeparatePersonsRequest(merged_id="anna-2"))
    assert federation.state.person_of("anna-2") == "anna-2"
    assert [(each.merged_id, each.separated_at) for each in federation.state.merges] == [("anna-2", AT)]
    do_merge(federation, "anna", "anna-2")
    assert [each.separated_at is None for each in federation.state.merges] == [False, True]


def test_entries_that_are_merged_one_after_the_other_are_one_person(federation: Federation) -> None:
    do_merge(federation, "biel", "anna-2")
    do_merge(federation, "carla", "biel")
    assert {federation.state.person_of(each) for each in ("carla", "biel", "anna-2")} == {"carla"}
    assert federation.state.entries_of("anna-2") == ["carla", "anna-2", "biel"]


def test_entries_of_one_tournament_are_two_persons_also_through_an_earlier_merge(federation: Federation) -> None:
    with pytest.raises(Refusal, match="both entered open") as refused:
        do_merge(federation, "anna", "biel")
    assert refused.value.reason == "PLAYED_TOGETHER"
    do_merge(federation, "anna", "anna-2")
    with pytest.raises(Refusal, match="both entered club"):
        do_merge(federation, "anna", "anna-3")


def test_a_merge_of_an_unknown_a_merged_or_the_same_entry_is_refused(federation: Federation) -> None:
    do_merge(federation, "anna", "anna-2")
    with pytest.raises(NotFound, match="player"):
        do_merge(federation, "anna", "dora")
    for person_id, merged_id, reason in (
        ("anna", "anna", "ONE_ENTRY"),
        ("anna-2", "biel", "ALREADY_MERGED"),
        ("biel", "anna-2", "ALREADY_MERGED"),
    ):
        with pytest.raises(Refusal) as refused:
            do_merge(federation, person_id, merged_id)
        assert refused.value.reason == reason
    with pytest.raises(Refusal, match="not merged"):
        federation.do(pb.SeparatePersonsRequest(merged_id="biel"))
