from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.standings.naive_standings import Championship
from tests.unit.rules.standings.test_standings import PLAYERS, championships, row

from faristol.rules import Bye, Result, Ruleset, SpreadAdjustment, TableResult, load_ruleset, standings
from faristol.rules.ruleset.with_options import with_options
from faristol.rules.standings import Arithmetic, LeftOut
from faristol.rules.standings.encounters import Group
from faristol.rules.standings.history import PlayerRound
from faristol.rules.standings.tie_breaks import TieBreaks

FISC = load_ruleset("fisc-2023")
PES = load_ruleset("pes-2024")
ALL_AGAINST_ALL = with_options(PES, {"pairing": "round-robin", "tie_breaks": "head-to-head"})
FESTA_MAJOR = load_ruleset("festa-major")
UNPLAYED = {
    name: with_options(FISC, {"unplayed": name}) for name in ("fide-dummy", "fide-virtual", "own-score", "zero")
}


def everything(ruleset: Ruleset) -> Ruleset:
    """Return the same rules with every tie-break that two players can have, as records from before editions of FIDE
    have them.

    ``test_against_tiebreak_core`` holds the edition of 2026.
    """
    law = dataclasses.replace(
        ruleset.championship,
        fide_edition="2024",
        tie_breaks=("head-to-head", "median-buchholz", "buchholz", "berger", "spread", "total"),
    )
    return dataclasses.replace(ruleset, championship=law)


@st.composite
def with_byes(draw: st.DrawFn) -> list[Result]:
    """Return the same championships, with byes that were asked for."""
    kinds = st.sampled_from([Bye.HALF_POINT, Bye.FULL_POINT, Bye.ZERO_POINT])
    return [
        Result.bye(result.round, result.first, draw(kinds)) if result.sat_out and draw(st.booleans()) else result
        for result in draw(championships())
    ]


@given(with_byes(), st.sampled_from(sorted(UNPLAYED)), st.sampled_from([5, 6, 7, 9]))
def test_standings_are_what_the_words_of_the_rules_come_to(results: list[Result], unplayed: str, planned: int) -> None:
    ruleset = everything(UNPLAYED[unplayed])
    rows = standings(results, PLAYERS, ruleset, planned)
    found = [(row.rank, row.player, row.points, dict(row.tie_breaks)) for row in rows]
    assert found == [tuple(line) for line in Championship(results, PLAYERS, ruleset, planned).lines()]


@given(with_byes(), st.sampled_from(sorted(UNPLAYED)))
def test_every_value_is_the_sum_of_its_terms_and_no_term_is_of_a_round_to_come(
    results: list[Result], unplayed: str
) -> None:
    held = {result.round for result in results}
    for line in standings(results, PLAYERS, everything(UNPLAYED[unplayed]), 5):
        values = [(value, line.arithmetic[name]) for name, value in line.tie_breaks.items()]
        for value, arithmetic in [(line.points, line.point_arithmetic), *values]:
            counted = [term for term in arithmetic.terms if term.left_out is None]
            assert sum(term.value for term in counted) == value * arithmetic.divisor
            assert {term.round for term in arithmetic.terms} <= held
        left_out = [term for term in line.arithmetic["median-buchholz"].terms if term.left_out]
        assert len(left_out) == min(1, len(held))


def median_buchholz(results: list[Result], player: str, planned: int = 5) -> Arithmetic:
    return row(standings(results, PLAYERS, FISC, planned), player).arithmetic["median-buchholz"]


def test_the_arithmetic_names_who_was_left_out_and_why() -> None:
    results = [
        Result.of_game(1, "p0", "p1", 400, 300),
        Result.of_game(2, "p0", "p2", 400, 300),
        Result.of_game(2, "p3", "p1", 400, 300),
        Result.forfeit(3, "p3", "p0"),
        Result.of_game(3, "p1", "p2", 300, 400),
    ]
    terms = median_buchholz(results, "p0").terms
    assert [(term.round, term.opponent, term.value, term.left_out) for term in terms] == [
        (1, "p1", 0.0, None),
        (2, "p2", 1.0, None),
        (3, "p3", 2.0, LeftOut.MISSED_BY_WILL),
    ]
    terms = median_buchholz(results, "p1").terms
    assert [(term.opponent, term.left_out) for term in terms if term.left_out] == [("p2", LeftOut.LOWEST)]


def test_two_opponents_are_left_out_from_seven_rounds_on() -> None:
    results = [Result.of_game(number, "p0", f"p{number}", 400, 300) for number in (1, 2, 3, 4, 5)]
    for planned, left_out in ((6, 1), (7, 2)):
        terms = median_buchholz(results, "p0", planned).terms
        assert sum(term.left_out is LeftOut.LOWEST for term in terms) == left_out


def test_points_granted_for_rounds_missed_are_told_apart() -> None:
    results = [Result.of_game(number, "p0", f"p{number}", 400, 300) for number in (1, 2)]
    first, second = row(standings(results, PLAYERS[:3], FISC, 5), "p0").arithmetic["berger"].terms
    assert (first.worth, first.granted, second.worth, second.granted) == (0.5, 0.5, 0.0, 0.0)


def test_the_virtual_opponent_of_2009_is_that_of_fides_examples() -> None:
    """Of nine rounds: away in the third after 1½ points; unopposed in the sixth after 3½."""
    ruleset = UNPLAYED["fide-virtual"]

    def virtual(missed: Result, scores: list[int]) -> float:
        others = [f"o{number}" for number in range(1, 10)]
        games = [
            Result.of_game(number, "p", others[number - 1], score, 350)
            for number, score in enumerate(scores, 1)
            if number != missed.round
        ]
        rows = standings([*games, missed], ["p", *others], ruleset, 9)
        return next(term.worth for term in row(rows, "p").arithmetic["berger"].terms if term.round == missed.round)

    assert virtual(Result.forfeit(3, "o3", "p"), [400, 350, 0, *[300] * 6]) == 5.5
    assert virtual(Result.forfeit(6, "p", "o6"), [400, 400, 400, 350, 300, 0, *[300] * 3]) == 5.0


def test_games_among_equals_decide_before_the_spread_where_all_meet_all() -> None:
    results = [
        Result.of_game(1, "p0", "p1", 301, 300),
        Result.of_game(1, "p2", "p3", 301, 300),
        Result.of_game(2, "p0", "p2", 301, 300),
        Result.of_game(2, "p1", "p3", 500, 200),
        Result.of_game(3, "p3", "p0", 900, 100),
        Result.of_game(3, "p1", "p2", 500, 200),
    ]
    rows = standings(results, PLAYERS[:4], ALL_AGAINST_ALL, 3)
    assert [(line.player, line.points, line.tie_breaks["head-to-head"]) for line in rows] == [
        ("p0", 2.0, 1.0),
        ("p1", 2.0, 0.0),
        ("p2", 1.0, 1.0),
        ("p3", 1.0, 0.0),
    ]
    assert row(rows, "p0").tie_breaks["spread"] < row(rows, "p1").tie_breaks["spread"]
    (term,) = row(rows, "p1").arithmetic["head-to-head"].terms
    assert (term.opponent, term.value, term.left_out) == ("p0", 0.0, None)


def test_games_among_equals_wait_until_all_of_them_have_met() -> None:
    results = [Result.of_game(1, "p0", "p1", 400, 300), Result.of_game(2, "p1", "p2", 400, 300)]
    results += [Result.of_game(3, "p2", "p3", 380, 300)]
    rows = standings(results, PLAYERS[:4], ALL_AGAINST_ALL, 3)
    assert [line.points for line in rows] == [1.0, 1.0, 1.0, 0.0]
    assert all(line.tie_breaks["head-to-head"] == 0 for line in rows[:3])
    assert [term.left_out for term in row(rows, "p1").arithmetic["head-to-head"].terms] == [LeftOut.NOT_ALL_MET] * 2
    assert [line.player for line in rows] == ["p0", "p1", "p2", "p3"]  # the spread decides


def test_a_festa_major_ranks_by_the_mean_of_scores_times_players() -> None:
    results = [
        TableResult(1, (("anna", 300), ("biel", 200), ("carme", 100))),
        TableResult(2, (("anna", 100), ("biel", 150), ("carme", 120), ("dolors", 250))),
    ]
    rows = standings(results, ["anna", "biel", "carme", "dolors"], FESTA_MAJOR, 3)
    assert [(line.rank, line.player, line.tie_breaks["cusca"]) for line in rows] == [
        (1, "dolors", 1000.0),
        (2, "anna", (900 + 400) / 2),
        (3, "biel", (600 + 600) / 2),
        (4, "carme", (300 + 480) / 2),
    ]
    assert {line.points for line in rows} == {0}
    assert [(term.score, term.seats) for term in row(rows, "anna").arithmetic["cusca"].terms] == [(300, 3), (100, 4)]


def test_at_a_table_of_several_the_highest_score_wins_and_two_of_them_draw() -> None:
    results = [
        TableResult(1, (("anna", 200), ("biel", 300), ("carme", 100))),
        TableResult(2, (("anna", 250), ("biel", 150), ("carme", 250))),
        TableResult(3, (("anna", 90), ("biel", 300), ("carme", 80)), losers=frozenset({"biel"})),
    ]
    rows = standings(results, ["anna", "biel", "carme"], FESTA_MAJOR, 3)
    assert {line.player: (line.wins, line.draws, line.losses) for line in rows} == {
        "anna": (1, 1, 1),
        "biel": (1, 0, 2),
        "carme": (0, 1, 2),
    }


def test_equal_means_share_a_rank_whatever_the_number_of_games() -> None:
    results = [
        TableResult(number, (("anna", 100), ("biel", 50), ("carme", score))) for number, score in ((1, 100), (2, 101))
    ]
    results += [TableResult(3, (("anna", 101), ("dolors", 1), ("eloi", 1)))]
    results += [TableResult(3 + number, (("carme", 100 + number % 2), ("dolors", 1), ("eloi", 1))) for number in (1, 2)]
    rows = standings(results, ["anna", "biel", "carme", "dolors", "eloi"], FESTA_MAJOR, 9)
    carme, anna = row(rows, "carme"), row(rows, "anna")
    assert (anna.tie_breaks["cusca"], carme.tie_breaks["cusca"]) == (3 * 301 / 3, 3 * 402 / 4)
    assert carme.rank == 1


def test_what_a_ruling_put_right_changes_the_spread_stands_in_its_arithmetic() -> None:
    results = [Result.of_game(1, "p0", "p1", 400, 300)]
    rows = standings(results, PLAYERS[:2], FISC, 5, adjustments=[SpreadAdjustment(1, "p0", -24)])
    assert [term.value for term in row(rows, "p0").arithmetic["spread"].terms] == [100, -24]
    assert (row(rows, "p0").tie_breaks["spread"], row(rows, "p0").tie_breaks["total"]) == (76, 400)


def test_what_a_sanction_takes_stands_in_the_arithmetic_of_spread_and_total() -> None:
    games = [Result.of_game(1, "p0", "p1", 400, 300)]
    rows = standings(games, PLAYERS[:2], PES, 5, adjustments=[SpreadAdjustment(1, "p0", -30, sanction=True)])
    spread, total = (row(rows, "p0").arithmetic[name] for name in ("spread", "total"))
    assert [(term.basis, term.value) for term in spread.terms] == [("game", 100), ("sanction", -30)]
    assert [(term.basis, term.value) for term in total.terms] == [("game", 400), ("sanction", -30)]
    assert row(rows, "p1").tie_breaks["spread"] == -100


@pytest.mark.parametrize("book", ["fisc-2023", "pes-2024", "fise", "uf-2007"])
def test_every_book_with_rounds_says_how_rounds_without_a_game_count(book: str) -> None:
    option = next(option for option in load_ruleset(book).options if option.name == "unplayed")
    assert set(option.choices) == {"fide-dummy", "fide-virtual", "own-score", "zero"}


def test_whether_equals_have_all_met_is_looked_up_once_for_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_up: list[str] = []
    met = TieBreaks._list_met

    def count_lookup(self: TieBreaks, player: str, equals: Group) -> list[PlayerRound]:
        looked_up.append(player)
        return met(self, player, equals)

    monkeypatch.setattr(TieBreaks, "_list_met", count_lookup)
    players = [f"p{number:02}" for number in range(40)]
    drawn = [Result.of_game(1, players[at], players[at + 20], 300, 300) for at in range(20)]
    rows = standings(drawn, players, ALL_AGAINST_ALL, 39)
    assert {row.rank for row in rows} == {1}
    assert len(looked_up) <= 2 * len(players)
