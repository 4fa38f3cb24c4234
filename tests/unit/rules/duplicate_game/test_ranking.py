from __future__ import annotations

from fractions import Fraction

import pytest

from faristol.rules import load_ruleset
from faristol.rules.duplicate_game.ranking import GameScores, TurnScores, rank, ranks_among
from faristol.rules.ruleset.with_options import with_options

FISC = load_ruleset("fisc-2023-duplicate")
HOUSE = load_ruleset("duplicate-house")
PLAYERS = ("anna", "blai", "cesca", "dídac", "eloi")


def game(*turns: tuple[int, dict[str, int]], warnings: dict[str, int] | None = None, players: int = 5) -> GameScores:
    return GameScores([TurnScores(top, top, points) for top, points in turns], warnings or {}, players)


FIRST = game((70, {"anna": 70, "blai": 68}), (20, {"anna": 10, "blai": 12, "cesca": 20, "dídac": 20}))


def ranks(*games: GameScores, rules: object = FISC) -> list[tuple[int, str, int]]:
    ruleset = rules if isinstance(rules, type(FISC)) else FISC
    return [(line.rank, line.player, line.total) for line in rank(games, PLAYERS, ruleset)]


def test_players_are_ranked_by_the_sum_of_their_turns_and_equal_ones_share_a_rank() -> None:
    assert ranks(FIRST) == [(1, "anna", 80), (1, "blai", 80), (3, "cesca", 20), (3, "dídac", 20), (5, "eloi", 0)]


def test_percent_and_negative_are_against_the_master_plays() -> None:
    lines = {line.player: line for line in rank([FIRST], PLAYERS, FISC)}
    assert (lines["anna"].percent, lines["anna"].negative) == (Fraction(800, 9), -10)
    assert (lines["eloi"].percent, lines["eloi"].negative) == (Fraction(0), -90)
    lower = GameScores([TurnScores(30, 20, {"anna": 30})], {}, 5)
    (line, *_) = rank([lower], PLAYERS, FISC)
    assert (line.percent, line.negative, line.tops) == (Fraction(150), 10, 1)
    assert rank([game()], PLAYERS, FISC)[0].percent == 0


def test_games_are_summed_and_who_was_absent_has_nothing() -> None:
    second = game((50, {"cesca": 50, "anna": 40}))
    assert ranks(FIRST, second)[:3] == [(1, "anna", 120), (2, "blai", 80), (3, "cesca", 70)]


@pytest.mark.parametrize(
    ("tie_breaks", "first"),
    [("tops", "anna"), ("best-play", "anna"), ("last-turn-backwards", "blai")],
)
def test_a_club_parts_equal_players_as_it_says(tie_breaks: str, first: str) -> None:
    rules = with_options(HOUSE, {"tie_breaks": tie_breaks})
    assert ranks(FIRST, rules=rules)[0] == (1, first, 80)
    assert ranks(FIRST, rules=rules)[1][0] == 2


def test_by_percent_each_game_counts_alike() -> None:
    rules = with_options(HOUSE, {"ranking": "percent"})
    long, short = game((100, {"anna": 100, "blai": 50})), game((10, {"blai": 10}))
    assert [line.player for line in rank([long, short], PLAYERS, rules)][:2] == ["blai", "anna"]
    assert [line.player for line in rank([long, short], PLAYERS, HOUSE)][:2] == ["anna", "blai"]
    assert rank([long, short], PLAYERS, rules)[0].percent == 75


def test_a_bonus_is_for_who_alone_found_the_top_where_enough_play() -> None:
    rules = with_options(HOUSE, {"solo_points": 10, "solo_players": 5})
    lines = {line.player: line for line in rank([FIRST], PLAYERS, rules)}
    assert (lines["anna"].total, lines["anna"].bonus, lines["anna"].solos) == (90, 10, 1)
    assert (lines["cesca"].total, lines["cesca"].bonus) == (20, 0)
    few = {line.player: line for line in rank([game((70, {"anna": 70}), players=4)], PLAYERS, rules)}
    assert (few["anna"].total, few["anna"].solos) == (70, 1)
    nobody = rank([game((0, {"anna": 0}))], PLAYERS, rules)
    assert all(line.bonus == line.tops == 0 for line in nobody)


def test_warnings_cost_points_from_the_one_on_that_a_club_says() -> None:
    rules = with_options(HOUSE, {"warnings": "from-third"})
    warned = game((70, {"anna": 70, "blai": 70}), warnings={"anna": 2, "blai": 4})
    assert ranks(warned, rules=rules)[:2] == [(1, "anna", 70), (2, "blai", 60)]
    assert ranks(warned)[:2] == [(1, "anna", 70), (1, "blai", 70)]


def test_a_category_is_ranked_among_itself() -> None:
    lines = [line for line in rank([FIRST], PLAYERS, FISC) if line.player in ("blai", "cesca", "dídac", "eloi")]
    assert [line.player for line in lines] == ["blai", "cesca", "dídac", "eloi"]
    assert ranks_among([line.rank for line in lines]) == [1, 2, 2, 4]


def test_a_top_of_one_point_is_a_top_and_solos_are_found_by_players_of_the_list_alone() -> None:
    lines = {line.player: line for line in rank([game((1, {"anna": 1, "zoe": 0}))], PLAYERS, FISC)}
    assert (lines["anna"].tops, lines["anna"].solos, lines["blai"].tops) == (1, 1, 0)
    other = rank([game((9, {"zoe": 9, "anna": 8}))], PLAYERS, FISC)
    assert {line.solos for line in other} == {0}


def test_what_was_done_in_earlier_games_is_no_part_of_the_percent_of_a_later_one() -> None:
    rules = with_options(HOUSE, {"ranking": "percent"})
    games = [game((100, {"anna": 100})), game((200, {"anna": 100})), game()]
    line = rank(games, PLAYERS, rules)[0]
    assert (line.percent, line.total, line.negative) == (Fraction(75), 200, -100)
    assert rank([GameScores([TurnScores(0, 0, {})], {}, 5)], PLAYERS, rules)[0].percent == 0


def test_ranks_among_some_are_shared_by_those_who_share_one_already() -> None:
    assert ranks_among([]) == []
    assert ranks_among([2, 2, 5, 7, 7, 7, 9]) == [1, 1, 3, 4, 4, 4, 7]


def test_warnings_of_who_is_not_ranked_cost_nobody_anything() -> None:
    rules = with_options(HOUSE, {"warnings": "from-third"})
    warned = game((70, {"anna": 70}), warnings={"zoe": 9, "anna": 3})
    line = rank([warned], PLAYERS, rules)[0]
    assert (line.player, line.penalty, line.total) == ("anna", rules.warnings.points, 70 - rules.warnings.points)
