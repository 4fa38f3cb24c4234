from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules import naive

from faristol.kernel.refusal import Refusal
from faristol.rules import Ruleset, TurnKind, full_bag, load_ruleset
from faristol.rules.conditions import EndCondition, check_agreement, end_of_turns, is_out, turns_after_time_up
from faristol.rules.endgame import (
    Adjustment,
    AdjustmentKind,
    abandonment_adjustments,
    forfeit_adjustments,
    rack_adjustments,
    rack_value,
    time_adjustments,
)
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.turns import TAKEN_AWAY

FISC = load_ruleset("fisc-2023")

racks = st.lists(st.sampled_from(full_bag(FISC.tile_set)), min_size=1, max_size=7)
scores = st.integers(-100, 700)


def foot(
    condition: EndCondition, held: Mapping[str, Sequence[str]], over: Mapping[str, int], ruleset: Ruleset
) -> tuple[Adjustment, ...]:
    """Return the lines below a scoresheet for racks that are ``held`` and time that is ``over``."""
    return (*rack_adjustments(condition, held, ruleset, over), *time_adjustments(over, ruleset))


def after_lines(before: Mapping[str, int], lines: Sequence[Adjustment]) -> dict[str, int]:
    """Return the scores after such lines."""
    return {
        player: score + sum(line.points for line in lines if line.player == player) for player, score in before.items()
    }


@given(st.lists(st.sampled_from(TurnKind), max_size=30))
def test_a_game_goes_on_exactly_until_a_row_of_turns_is_long_enough(turns: list[TurnKind]) -> None:
    ends = end_of_turns(turns, [1, 0], FISC)
    kept = (TurnKind.PLAY, TurnKind.EXCHANGE, TurnKind.CANNOT_PLAY, TurnKind.TIMED_OUT, TurnKind.FORFEITED)
    lost = next((n for n, turn in enumerate(reversed(turns)) if turn in kept), len(turns))
    idle = next((n for n, turn in enumerate(reversed(turns)) if turn in (TurnKind.PLAY, *TAKEN_AWAY)), len(turns))
    if lost >= 6:
        assert ends is EndCondition.LOST_TURNS
    elif idle >= 12:
        assert ends is EndCondition.SCORELESS_TURNS
    else:
        assert ends is None
    assert end_of_turns(turns, [0, 0], FISC) is None


BOOKS = {name: load_ruleset(name) for name in ("uf-2007", "fisc-2023", "festa-major", "fise", "pes-2024")}


@given(
    st.sampled_from(sorted(BOOKS)),
    st.integers(2, 4),
    st.lists(st.tuples(st.sampled_from(TurnKind), st.sampled_from([0, 0, 12])), max_size=16),
    st.booleans(),
    st.sampled_from(TurnKind),
    st.integers(0, 8),
)
def test_every_book_ends_a_game_where_a_naive_reader_ends_it(
    name: str, players: int, turns: list[tuple[TurnKind, int]], zero: bool, often: TurnKind, bag: int
) -> None:
    if name != "festa-major":
        players = 2
    # Random turns are seldom consecutive turns of one kind: one kind is repeated after them.
    turns = [*turns[:4], *[(often, 0)] * len(turns)]
    points = [scored if kind is TurnKind.PLAY else 0 for kind, scored in turns]
    kinds = [kind for kind, _ in turns]
    totals = [0 if zero else 40, *[0] * (players - 1)]
    found = end_of_turns(kinds, totals, BOOKS[name], points, bag_size=bag)
    assert (found is not None) == naive.ends([kind.value for kind in kinds], points, totals, name, bag)


def test_a_play_worth_nothing_is_one_of_the_six_zeros_of_pes() -> None:
    pes, row = BOOKS["pes-2024"], [TurnKind.PASS] * 5 + [TurnKind.PLAY]
    assert end_of_turns(row, [9, 0], pes, [0] * 6) is EndCondition.SCORELESS_TURNS
    assert end_of_turns(row, [9, 0], pes, [0] * 5 + [1]) is None
    assert end_of_turns(row, [9, 0], with_options(pes, {"zeros": "no-tile"})) is None
    with pytest.raises(ValueError, match="say what each of 6 scored"):
        end_of_turns(row, [9, 0], pes)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_who_say_in_turn_that_they_can_play_nothing_end_a_festa_with_an_empty_bag(players: int) -> None:
    row, totals = [TurnKind.PLAY] * 2 + [TurnKind.CANNOT_PLAY] * players, [9] * players
    festa = BOOKS["festa-major"]
    assert end_of_turns(row, totals, festa, bag_size=0) is EndCondition.AGREEMENT
    assert end_of_turns(row[:-1], totals, festa, bag_size=0) is None
    assert end_of_turns([*row[:-1], TurnKind.TIMED_OUT], totals, festa, bag_size=0) is None
    assert end_of_turns(row, totals, festa, bag_size=1) is None
    for name in BOOKS.keys() - {"festa-major"}:
        assert end_of_turns(row[-2:], [9, 9], BOOKS[name], [0, 0], bag_size=0) is None


@pytest.mark.parametrize(
    ("name", "kind", "is_pass"),
    [
        ("uf-2007", TurnKind.LOST, True),
        ("uf-2007", TurnKind.TIMED_OUT, False),
        ("uf-2007", TurnKind.FORFEITED, False),
        ("fise", TurnKind.LOST, False),
        ("fise", TurnKind.TIMED_OUT, False),
        ("fise", TurnKind.FORFEITED, False),
        ("fise", TurnKind.WITHDRAWN, True),
        ("fisc-2023", TurnKind.LOST, True),
        ("fisc-2023", TurnKind.TIMED_OUT, False),
        ("fisc-2023", TurnKind.FORFEITED, False),
        ("festa-major", TurnKind.TIMED_OUT, False),
        ("box", TurnKind.FORFEITED, False),
    ],
)
def test_a_turn_that_a_penalty_or_the_timer_took_is_no_pass(name: str, kind: TurnKind, *, is_pass: bool) -> None:
    ruleset = load_ruleset(name)
    assert ruleset.end.lost_turns is not None
    row = [TurnKind.PASS] * (2 * ruleset.end.lost_turns - 1) + [kind]
    assert (end_of_turns(row, [9, 9], ruleset) is EndCondition.LOST_TURNS) == is_pass


def test_tiles_taken_back_are_a_pass_under_fise_only_if_the_organiser_says_so() -> None:
    row, fise = [TurnKind.PASS] * 3 + [TurnKind.LOST], BOOKS["fise"]
    assert end_of_turns(row, [9, 9], with_options(fise, {"touch_is_pass": "yes"})) is EndCondition.LOST_TURNS


@pytest.mark.parametrize("kind", TAKEN_AWAY)
@pytest.mark.parametrize("name", ["fisc-2023", "fise"])
def test_a_turn_that_was_taken_away_breaks_twelve_turns_unless_the_organiser_says_otherwise(
    name: str, kind: TurnKind
) -> None:
    row = [TurnKind.EXCHANGE] * 11 + [kind]
    assert end_of_turns(row, [9, 9], BOOKS[name]) is None
    counted = with_options(BOOKS[name], {"twelve_turns": "no-tile"})
    assert end_of_turns(row, [9, 9], counted) is EndCondition.SCORELESS_TURNS
    assert end_of_turns(row[-6:], [9, 9], BOOKS["uf-2007"]) is EndCondition.SCORELESS_TURNS


def test_a_withdrawn_play_is_a_pass_under_uf_only_if_the_organiser_says_so() -> None:
    row = [TurnKind.WITHDRAWN, TurnKind.PASS, TurnKind.PASS, TurnKind.PASS]
    uf = BOOKS["uf-2007"]
    assert end_of_turns(row, [5, 0], uf) is None
    assert end_of_turns(row, [5, 0], with_options(uf, {"withdrawn_is_pass": "yes"})) is EndCondition.LOST_TURNS
    assert end_of_turns(row, [5, 0], BOOKS["fise"]) is EndCondition.LOST_TURNS


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
def test_going_out_moves_the_points_of_a_rack_from_one_player_to_the_other(
    mine: int, two: int, rack: list[str]
) -> None:
    final = after_lines({"a": mine, "b": two}, foot(EndCondition.OUT, {"a": [], "b": rack}, {"a": 0, "b": 0}, FISC))
    assert sum(final.values()) == mine + two
    assert final["a"] == mine + rack_value(rack, FISC.tile_set)


@given(racks, racks, st.integers(0, 700_000), st.sampled_from(EndCondition))
def test_every_line_below_the_sheet_names_its_article(
    mine: list[str], theirs: list[str], over: int, condition: EndCondition
) -> None:
    held = {"a": [] if condition is EndCondition.OUT else mine, "b": theirs}
    assert all(line.article.startswith("FISC I.") for line in foot(condition, held, {"a": 0, "b": over}, FISC))


@given(st.data(), st.integers(2, 4), st.sampled_from(EndCondition), st.sampled_from(sorted(BOOKS)))
def test_racks_are_counted_as_each_book_says(
    data: st.DataObject, players: int, condition: EndCondition, name: str
) -> None:
    ruleset = BOOKS[name]
    values = ruleset.tile_set.values
    rack = st.lists(st.sampled_from(full_bag(ruleset.tile_set)), min_size=1, max_size=7)
    held = {f"p{number}": data.draw(rack) for number in range(players)}
    totals = {player: data.draw(scores) for player in held}
    over = {player: data.draw(st.integers(0, 130_000)) for player in held}
    if condition is EndCondition.OUT:
        held["p1"] = []
    final = after_lines(totals, foot(condition, held, over, ruleset))
    for player in held:
        own = sum(values[face] for face in held[player])
        others = sum(values[face] for rack in held.values() for face in rack)
        counted = condition in (EndCondition.OUT, EndCondition.LOST_TURNS, EndCondition.SCORELESS_TURNS) or (
            condition is EndCondition.AGREEMENT and name in ("uf-2007", "festa-major", "fise")
        )
        expected = totals[player] - (own if counted else 0)
        if condition is EndCondition.OUT and player == "p1":
            expected += others
        if name != "festa-major":
            expected -= 10 * len(range(0, over[player], 60_000))
        assert final[player] == expected


def test_only_three_books_end_a_game_by_agreement() -> None:
    for name, ruleset in BOOKS.items():
        if name in ("fisc-2023", "pes-2024"):
            with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NO_AGREEMENT"):
                check_agreement(ruleset)
        else:
            check_agreement(ruleset)


def test_english_tournaments_give_the_rack_twice_and_take_it_from_nobody() -> None:
    box = with_options(load_ruleset("box"), {"ending": "tournament"})
    (line,) = rack_adjustments(EndCondition.OUT, {"a": [], "b": ["Q", "I"]}, box)
    assert (line.player, line.kind, line.points) == ("a", AdjustmentKind.OUT_BONUS, 22)
    without = dataclasses.replace(box, end=dataclasses.replace(box.end, out_bonus="none"))
    (line,) = rack_adjustments(EndCondition.OUT, {"a": [], "b": ["Q", "I"]}, without)
    assert (line.player, line.points) == ("b", -11)


def test_racks_count_after_time_or_the_cap_only_where_a_ruleset_says_so() -> None:
    end = dataclasses.replace(FISC.end, racks_count_after_time=True, racks_count_after_cap=True)
    counting = dataclasses.replace(FISC, end=end)
    for condition in (EndCondition.ROUND_TIME, EndCondition.OVERTIME):
        assert [line.points for line in rack_adjustments(condition, {"a": ["X"], "b": ["H"]}, counting)] == [-10, -8]


def test_three_racks_go_to_the_player_who_is_out() -> None:
    lines = rack_adjustments(EndCondition.OUT, {"a": [], "b": ["A", "F"], "c": ["H"], "d": ["M"]}, FISC)
    assert {line.player: line.points for line in lines} == {"a": 15, "b": -5, "c": -8, "d": -2}


@pytest.mark.parametrize("condition", [EndCondition.ROUND_TIME, EndCondition.OVERTIME, EndCondition.ABANDONED])
def test_racks_are_not_counted_after_other_ends(condition: EndCondition) -> None:
    assert rack_adjustments(condition, {"a": ["X"], "b": ["H"]}, FISC) == ()


def test_only_players_with_overtime_have_a_line_for_it() -> None:
    (line,) = time_adjustments({"a": 0, "b": 1}, FISC)
    assert (line.player, line.kind, line.points, line.article) == ("b", AdjustmentKind.TIME_PENALTY, -10, "FISC I.11")


def abandon_game(before: dict[str, int], leavers: list[str], ruleset: Ruleset) -> dict[str, int]:
    return after_lines(before, abandonment_adjustments(before, leavers, ruleset))


@given(scores, scores, st.sampled_from(sorted(BOOKS)))
def test_a_game_that_a_player_leaves_is_worth_what_the_book_says(left: int, two: int, name: str) -> None:
    settled = abandon_game({"a": left, "b": two}, ["a"], BOOKS[name])
    if name == "pes-2024":
        assert settled == {"a": 0, "b": 150}
    elif name == "fisc-2023":
        assert settled == {"a": left if left < two else two - 50, "b": two}
    else:
        assert settled == {"a": left, "b": two}
    assert abandon_game({"a": left, "b": two}, ["b", "a"], BOOKS[name]) == {"a": 0, "b": 0}


def test_who_leaves_at_a_tie_trails_if_the_organiser_says_so() -> None:
    trailing = with_options(FISC, {"tie_on_abandonment": "as-trailing"})
    assert abandon_game({"a": 200, "b": 200}, ["a"], trailing) == {"a": 200, "b": 200}


def test_the_scores_of_a_table_of_three_stand_that_one_leaves() -> None:
    three = {"a": 90, "b": 70, "c": 80}
    assert abandon_game(three, ["a"], BOOKS["festa-major"]) == three
    with pytest.raises(ValueError, match="a game of two that a player leaves, not of 3"):
        abandonment_adjustments(three, ["a"], FISC)


@pytest.mark.parametrize("leavers", [[], ["c"], ["a", "c"]])
def test_only_players_of_the_game_can_leave_it(leavers: list[str]) -> None:
    with pytest.raises(ValueError, match="only players of the game can abandon it"):
        abandonment_adjustments({"a": 1, "b": 2}, leavers, FISC)


def test_a_forfeit_is_worth_what_the_book_or_the_organiser_says() -> None:
    unplayed = {"a": 0, "b": 0}
    lines = forfeit_adjustments(unplayed, ["b"], BOOKS["pes-2024"])
    assert after_lines(unplayed, lines) == {"a": 150, "b": 0}
    assert {line.article for line in lines} == {"PES ΣΤ"}
    assert after_lines(unplayed, forfeit_adjustments(unplayed, ["b"], with_options(FISC, {"forfeit": "50-0"}))) == {
        "a": 50,
        "b": 0,
    }
    assert forfeit_adjustments(unplayed, ["a", "b"], BOOKS["pes-2024"]) == ()


@given(scores, scores, st.sampled_from(sorted(BOOKS)))
def test_points_made_before_a_game_is_lost_by_decision_stay_on_the_sheet_unless_the_book_says_otherwise(
    lost: int, two: int, name: str
) -> None:
    made = {"a": lost, "b": two}
    lines = forfeit_adjustments(made, ["a"], BOOKS[name], begun=True)
    after = after_lines(made, lines)
    expected = {"a": 0, "b": 150} if name == "pes-2024" else abandon_game(made, ["a"], BOOKS[name])
    assert after == expected
    assert {line.kind for line in lines} <= {AdjustmentKind.FORFEIT}


def test_racks_count_after_an_abandonment_only_where_a_book_says_so() -> None:
    left = {"a": ["X"], "b": ["A", "A"]}
    assert rack_adjustments(EndCondition.ABANDONED, left, FISC) == ()
    counting = dataclasses.replace(FISC, abandon=dataclasses.replace(FISC.abandon, racks_count=True))
    lines = rack_adjustments(EndCondition.ABANDONED, left, counting)
    points = {player: -rack_value(rack, FISC.tile_set) for player, rack in left.items()}
    assert {line.player: line.points for line in lines} == points
    assert {line.article for line in lines} == {"FISC I.8.E"}


def test_a_player_is_out_only_when_the_bag_is_empty_too() -> None:
    assert is_out([], 0)
    assert not is_out([], 1)
    assert not is_out(["A"], 0)


@given(st.integers(0, 60), st.integers(2, 4))
def test_after_time_each_book_plays_on_for_as_long_as_it_says(taken: int, players: int) -> None:
    assert turns_after_time_up(taken, players, BOOKS["uf-2007"]) == 0
    assert turns_after_time_up(taken, players, FISC) == players * (taken // players + 2) - taken
    owed = turns_after_time_up(taken, players, BOOKS["fise"])
    assert 0 <= owed < players
    assert (taken + owed) % players == 0


@pytest.mark.parametrize("name", ["festa-major", "pes-2024"])
def test_a_book_without_a_time_of_rounds_has_no_turns_after_it(name: str) -> None:
    with pytest.raises(ValueError, match="has no round time"):
        turns_after_time_up(3, 2, BOOKS[name])
