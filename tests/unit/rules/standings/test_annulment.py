"""Players who leave a round robin before half of their games (FIDE C.05 6.6)."""

from __future__ import annotations

import dataclasses
from typing import Literal

import pytest

from faristol.rules import Result, Ruleset, StandingsRow, load_ruleset, standings
from faristol.rules.ruleset.sections import TieBreak
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.standings import LeftOut, SpreadAdjustment, Standings

TIE_BREAKS: tuple[TieBreak, ...] = ("head-to-head", "berger", "buchholz", "median-buchholz", "spread", "total")


def rules(
    left_early: Literal["counts", "annulled"] = "annulled",
    system: Literal["round-robin", "double-round-robin", "swiss"] = "round-robin",
    tie_breaks: tuple[TieBreak, ...] = TIE_BREAKS,
) -> Ruleset:
    book = with_options(load_ruleset("uf-2007"), {"pairing": "round-robin"})
    law = dataclasses.replace(book.championship, left_early=left_early, system=system, tie_breaks=tie_breaks)
    return dataclasses.replace(book, championship=law)


def win(number: int, winner: str, loser: str, score: int = 400) -> Result:
    return Result.of_game(number, winner, loser, score, 300)


# In a round robin of five, e wins in the first round and leaves after the second: two games of four would be half.
ROUNDS = [
    *(win(1, "e", "a", 500), win(1, "b", "c")),
    *(win(2, "a", "b"), win(2, "c", "d")),
    *(Result.forfeit(3, "d", "e"), win(3, "a", "c")),
    *(Result.forfeit(4, "b", "e"), win(4, "d", "a")),
    *(Result.forfeit(5, "c", "e"), win(5, "b", "d")),
]
TWO_PLAYED = [*ROUNDS[:4], win(3, "e", "d"), *ROUNDS[5:]]


def table(results: list[Result], ruleset: Ruleset, left: str = "e", planned: int = 5) -> dict[str, StandingsRow]:
    return {row.player: row for row in standings(results, list("abcde"), ruleset, planned, left=left)}


def without_e() -> dict[str, StandingsRow]:
    others = [result for result in ROUNDS if "e" not in (result.first, result.second)]
    return {row.player: row for row in standings(others, list("abcd"), rules(), 5)}


def test_the_others_stand_as_if_the_player_had_never_been_there() -> None:
    found, alone = table(ROUNDS, rules()), without_e()
    assert [found[player].points for player in "abcd"] == [2.0, 2.0, 1.0, 1.0]
    for player in "abcd":
        assert found[player].rank == alone[player].rank
        assert found[player].tie_breaks == alone[player].tie_breaks
        assert (found[player].games, found[player].wins, found[player].losses) == (
            alone[player].games,
            alone[player].wins,
            alone[player].losses,
        )


def test_the_player_stands_behind_all_others_without_points() -> None:
    last = table(ROUNDS, rules())["e"]
    assert (last.rank, last.points, last.games, last.annulled) == (5, 0.0, 0, True)
    assert set(last.tie_breaks.values()) == {0.0}
    beaten = table(ROUNDS[:2], rules())  # c and d have no points either, and are not equal to the player who left
    assert beaten["e"].rank == 5


def test_what_does_not_count_is_said_with_what_it_would_have_been() -> None:
    (term,) = [term for term in table(ROUNDS, rules())["b"].point_arithmetic.terms if term.opponent == "e"]
    assert (term.round, term.value, term.left_out) == (4, 1.0, LeftOut.ANNULLED)


@pytest.mark.parametrize(
    ("results", "ruleset", "left"),
    [
        (ROUNDS, rules("counts"), "e"),
        (ROUNDS, rules(system="swiss"), "e"),
        (ROUNDS, rules(), ""),
        (TWO_PLAYED, rules(), "e"),
    ],
    ids=["the games count", "not a round robin", "nobody has left", "half of the games were played"],
)
def test_otherwise_the_games_count(results: list[Result], ruleset: Ruleset, left: str) -> None:
    found = table(results, ruleset, left)
    assert found["e"].points >= 1.0
    assert found["b"].points == 3.0
    assert not any(row.annulled for row in found.values())


def test_half_of_a_double_round_robin_is_once_all_others() -> None:
    twice = rules(system="double-round-robin")
    assert table(TWO_PLAYED, twice, planned=10)["e"].annulled


def test_two_who_left_share_the_last_rank_and_the_mean_is_of_the_games_that_count() -> None:
    found = table(ROUNDS[:4], rules(tie_breaks=("cusca",)), left="ed")
    assert (found["e"].rank, found["d"].rank) == (4, 4)
    assert found["a"].tie_breaks["cusca"] == 400.0  # only of the game against b


def test_an_adjustment_of_an_annulled_game_goes_with_it_and_a_sanction_stays() -> None:
    changes = [SpreadAdjustment(1, "a", 64), SpreadAdjustment(1, "a", -30, sanction=True), SpreadAdjustment(2, "a", 5)]
    found = Standings(list("abcde"), rules(), 5).after(ROUNDS[:4], (), changes, "e")
    (row,) = [row for row in found if row.player == "a"]
    assert row.tie_breaks["spread"] == 100 - 30 + 5
    assert row.tie_breaks["total"] == 400 - 30


def test_standings_that_are_kept_up_follow_who_leaves_and_comes_back() -> None:
    kept = Standings(list("abcde"), rules(), 5)
    for left in ("", "e", "ec", "e", "", "e"):
        assert kept.after(ROUNDS[:4], left=left) == standings(ROUNDS[:4], list("abcde"), rules(), 5, left=left)
