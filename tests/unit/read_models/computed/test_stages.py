"""The stages of a championship and their final table, from rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from faristol.read_models.computed.stages import PlayedStage, are_finished, connect_stages, list_final_table
from faristol.read_models.computed.standings import Ranked
from faristol.read_models.storage.rows import Player, Standing, Tournament
from faristol.rules import load_ruleset


def stage(tournament_id: str, ranks: Mapping[str, int], sources: Sequence[str] = (), **fields: Any) -> PlayedStage:
    """Return a stage whose players have these ranks, in this order."""
    number = fields.pop("number", 2 if sources else 1)
    head = Tournament(tournament_id, stage_number=number, stage_sources=tuple(sources), **fields)
    lines = [Ranked(Standing(tournament_id, 1, player, rank=rank), cast("Any", None)) for player, rank in ranks.items()]
    return PlayedStage(head, load_ruleset("fisc-2023"), {}, (), lines)


def places(*stages: PlayedStage) -> list[tuple[int, int, str]]:
    return [(line.first_place, line.last_place, line.player_id) for line in list_final_table(stages)]


def test_the_players_of_a_later_stage_have_its_places_and_the_others_those_that_remain() -> None:
    swiss = stage("open", {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 5})
    final = stage("final", {"b": 1, "a": 2}, ["open"], final_place=1)
    assert places(swiss, final) == [(1, 1, "b"), (2, 2, "a"), (3, 3, "c"), (4, 4, "d"), (5, 6, "e"), (5, 6, "f")]
    third = stage("third", {"d": 1, "c": 2}, ["open"], final_place=3)
    assert places(swiss, final, third)[2:4] == [(3, 3, "d"), (4, 4, "c")]


def test_players_that_share_places_of_a_stage_share_those_of_the_final_table() -> None:
    swiss = stage("open", {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5})
    final = stage("final", {"a": 1, "d": 2, "b": 3, "c": 3}, ["open"])
    assert places(swiss, final) == [(1, 1, "a"), (2, 2, "d"), (3, 4, "b"), (3, 4, "c"), (5, 5, "e")]


def test_players_of_several_groups_with_equal_ranks_share_places() -> None:
    groups = [stage("a", {"a1": 1, "a2": 2, "a3": 3}), stage("b", {"b1": 1, "b2": 2, "b3": 3})]
    final = stage("final", {"b1": 1, "a1": 2}, ["a", "b"])
    assert places(*groups, final) == [
        (1, 1, "b1"),
        (2, 2, "a1"),
        (3, 4, "a2"),
        (3, 4, "b2"),
        (5, 6, "a3"),
        (5, 6, "b3"),
    ]


def test_players_of_groups_that_were_dealt_from_entries_have_the_places_after_the_knock_out() -> None:
    entries = stage("open", {"a1": 1, "b1": 2, "b2": 3, "a2": 4})
    groups = [stage("a", {"a1": 1, "a2": 2}, ["open"]), stage("b", {"b1": 1, "b2": 2}, ["open"])]
    final = stage("final", {"b1": 1, "a1": 2}, ["a", "b"], number=3)
    assert places(entries, *groups, final) == [(1, 1, "b1"), (2, 2, "a1"), (3, 4, "a2"), (3, 4, "b2")]


def test_a_player_who_did_not_go_on_has_no_place_of_those_that_did() -> None:
    swiss = stage("open", {"a": 1, "b": 2, "c": 3})
    semi = stage("semi", {"a": 1, "b": 2, "c": 3}, ["open"])
    final = stage("final", {"a": 1, "c": 2}, ["semi"], number=3)
    assert places(swiss, semi, final) == [(1, 1, "a"), (2, 2, "c"), (3, 3, "b")]


def test_a_player_who_goes_from_stage_to_stage_has_the_place_of_the_last_one() -> None:
    swiss = stage("open", {"a": 1, "b": 2, "c": 3, "d": 4})
    semi = stage("semi", {"b": 1, "a": 2, "d": 3, "c": 4}, ["open"])
    final = stage("final", {"a": 1, "b": 2}, ["semi"], number=3)
    assert [place[2] for place in places(swiss, semi, final)] == ["a", "b", "d", "c"]


def test_entries_that_are_not_played_are_finished_once_their_players_are_in_a_later_stage() -> None:
    entries, played = stage("open", {"a": 1, "b": 2}, rounds=5), stage("a", {"a": 1, "b": 2}, ["open"], rounds=0)
    assert not are_finished([entries, played]), "no player has qualified yet"
    players = {player: Player("a", player) for player in ("a", "b")}
    assert are_finished([entries, replace(played, players=players)])
    assert not are_finished([entries, replace(played, players=players, head=replace(played.head, rounds=3))])


def test_stages_are_connected_by_the_qualification_of_players_only() -> None:
    heads = [each.head for each in (stage("open", {}), stage("final", {}, ["open"]), stage("other", {}))]
    assert [head.tournament_id for head in connect_stages(heads, "final")] == ["open", "final"]
    assert [head.tournament_id for head in connect_stages(heads, "other")] == ["other"]
