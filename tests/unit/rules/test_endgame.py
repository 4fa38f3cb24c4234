from __future__ import annotations

import dataclasses
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules import Ruleset, TurnKind, full_bag, load_ruleset
from faristol.rules.endgame import (
    AdjustmentKind,
    EndCondition,
    end_of_turns,
    is_out,
    rack_adjustments,
    rack_value,
    settle,
    settle_abandonment,
    time_adjustments,
    turns_after_time_up,
)

FISC = load_ruleset("fisc-2023")

racks = st.lists(st.sampled_from(full_bag(FISC.tile_set)), min_size=1, max_size=7)
scores = st.integers(-100, 700)


@given(st.lists(st.sampled_from(TurnKind), max_size=30))
def test_a_game_goes_on_exactly_until_a_row_of_turns_is_long_enough(turns: list[TurnKind]) -> None:
    ends = end_of_turns(turns, [1, 0], FISC)
    lost = next((n for n, turn in enumerate(reversed(turns)) if turn in (TurnKind.PLAY, TurnKind.EXCHANGE)), len(turns))
    idle = next((n for n, turn in enumerate(reversed(turns)) if turn is TurnKind.PLAY), len(turns))
    if lost >= 6:
        assert ends is EndCondition.LOST_TURNS
    elif idle >= 12:
        assert ends is EndCondition.SCORELESS_TURNS
    else:
        assert ends is None
    assert end_of_turns(turns, [0, 0], FISC) is None


def test_three_players_lose_three_turns_each() -> None:
    assert end_of_turns([TurnKind.PASS] * 8, [1, 0, 0], FISC) is None
    assert end_of_turns([TurnKind.PASS] * 9, [1, 0, 0], FISC) is EndCondition.LOST_TURNS


def test_the_exemption_at_zero_may_cover_one_count_or_none() -> None:
    def ruleset(exempt: Literal["scoreless", "none"]) -> Ruleset:
        return dataclasses.replace(FISC, end=dataclasses.replace(FISC.end, exempt_at_zero=exempt))

    exchanges, passes = [TurnKind.EXCHANGE] * 12, [TurnKind.PASS] * 6
    assert end_of_turns(passes, [0, 0], ruleset("scoreless")) is EndCondition.LOST_TURNS
    assert end_of_turns(exchanges, [0, 0], ruleset("scoreless")) is None
    assert end_of_turns(exchanges, [0, 0], ruleset("none")) is EndCondition.SCORELESS_TURNS


@given(scores, scores, racks)
def test_going_out_moves_the_points_of_a_rack_from_one_player_to_the_other(one: int, two: int, rack: list[str]) -> None:
    settled = settle(EndCondition.OUT, {"a": one, "b": two}, {"a": [], "b": rack}, {"a": 0, "b": 0}, FISC)
    assert sum(settled.scores.values()) == one + two
    assert settled.scores["a"] == one + rack_value(rack, FISC.tile_set)


@given(scores, scores, racks, racks, st.integers(0, 700_000), st.sampled_from(EndCondition))
def test_the_lines_of_the_sheet_add_up_and_the_higher_score_wins(
    one: int, two: int, mine: list[str], theirs: list[str], over: int, condition: EndCondition
) -> None:
    held = {"a": [] if condition is EndCondition.OUT else mine, "b": theirs}
    settled = settle(condition, {"a": one, "b": two}, held, {"a": 0, "b": over}, FISC)
    for player, before in {"a": one, "b": two}.items():
        lines = sum(line.points for line in settled.adjustments if line.player == player)
        assert settled.scores[player] == before + lines
    difference = settled.scores["a"] - settled.scores["b"]
    assert settled.winner == (None if difference == 0 else "a" if difference > 0 else "b")
    assert all(line.article.startswith("FISC I.") for line in settled.adjustments)


def test_three_racks_go_to_the_player_who_is_out() -> None:
    lines = rack_adjustments(EndCondition.OUT, {"a": [], "b": ["A", "F"], "c": ["H"], "d": ["M"]}, FISC)
    assert {line.player: line.points for line in lines} == {"a": 15, "b": -5, "c": -8, "d": -2}


@pytest.mark.parametrize("condition", [EndCondition.ROUND_TIME, EndCondition.OVERTIME, EndCondition.ABANDONED])
def test_racks_are_not_counted_after_other_ends(condition: EndCondition) -> None:
    assert rack_adjustments(condition, {"a": ["X"], "b": ["H"]}, FISC) == ()


def test_only_players_with_overtime_have_a_line_for_it() -> None:
    (line,) = time_adjustments({"a": 0, "b": 1}, FISC)
    assert (line.player, line.kind, line.points, line.article) == ("b", AdjustmentKind.TIME_PENALTY, -10, "FISC I.11")


@given(scores, scores)
def test_a_player_who_leaves_never_wins(one: int, two: int) -> None:
    settled = settle_abandonment({"a": one, "b": two}, ["a"], FISC)
    assert settled.winner == "b"
    assert settled.scores["b"] == two
    assert settled.scores["a"] == (one if one < two else two - 50)


@pytest.mark.parametrize("leavers", [[], ["c"], ["a", "c"]])
def test_only_players_of_the_game_can_leave_it(leavers: list[str]) -> None:
    with pytest.raises(ValueError, match="one or both of two players abandon a game"):
        settle_abandonment({"a": 1, "b": 2}, leavers, FISC)


def test_a_player_is_out_only_when_the_bag_is_empty_too() -> None:
    assert is_out([], 0)
    assert not is_out([], 1)
    assert not is_out(["A"], 0)


def test_scores_may_stand_at_once_when_time_is_up() -> None:
    ruleset = dataclasses.replace(FISC, end=dataclasses.replace(FISC.end, time_up="scores-stand"))
    assert turns_after_time_up(7, 2, ruleset) == 0
