from __future__ import annotations

import dataclasses
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules import Bye, Result, RoundOutcome, Ruleset, StandingsRow, load_ruleset, standings, with_options
from faristol.rules.standings import Basis, SpreadAdjustment, Standings

FISC = load_ruleset("fisc-2023")
ZERO = dataclasses.replace(FISC, championship=dataclasses.replace(FISC.championship, unplayed="zero"))
PLAYERS = [f"p{number}" for number in range(6)]


@st.composite
def championships(draw: st.DrawFn) -> list[Result]:
    """Return up to five rounds of six players, each round a game, a bye or nothing for each."""
    results = []
    for number in range(1, draw(st.integers(1, 5)) + 1):
        order = draw(st.permutations(PLAYERS))
        for first, second in zip(order[::2], order[1::2], strict=True):
            kind = draw(st.sampled_from(["game", "game", "game", "bye", "forfeit", "double loss", "absent"]))
            if kind == "game":
                score, other = draw(st.integers(0, 600)), draw(st.integers(0, 600))
                results.append(Result.of_game(number, first, second, score, other))
            elif kind == "bye":
                results.append(Result.bye(number, first))
            elif kind == "forfeit":
                results.append(Result.forfeit(number, first, second))
            elif kind == "double loss":
                results.append(Result(number, first, second, 0, 0, (RoundOutcome.LOSS, RoundOutcome.LOSS)))
    return results


def row(rows: tuple[StandingsRow, ...], player: str) -> StandingsRow:
    return next(row for row in rows if row.player == player)


def key(row: StandingsRow) -> tuple[float, ...]:
    return (row.points, *row.tie_breaks.values())


@given(championships(), st.randoms(use_true_random=False), st.sampled_from([FISC, ZERO]))
def test_the_order_of_the_results_does_not_matter(results: list[Result], shuffle: Random, ruleset: Ruleset) -> None:
    shuffled = list(results)
    shuffle.shuffle(shuffled)
    assert standings(shuffled, PLAYERS, ruleset, 5) == standings(results, PLAYERS, ruleset, 5)


@given(st.lists(championships(), min_size=2, max_size=3), st.sampled_from(["fisc-2023", "fise", "pes-2024", "uf-2007"]))
def test_standings_made_again_after_other_results_are_those_made_at_once(given: list[list[Result]], book: str) -> None:
    ruleset = load_ruleset(book)
    again = Standings(PLAYERS, ruleset, 5)
    for results in given:
        for count in (0, len(results) // 2, len(results) - 1, len(results)):
            waiting = {(player, 5) for player in PLAYERS[:count]} - {
                (player, result.round) for result in results[:count] for player in (result.first, result.second)
            }
            sanctions = [SpreadAdjustment(1, player, count) for player in PLAYERS[:1]]
            fresh = standings(results[:count], PLAYERS, ruleset, 5, waiting, sanctions)
            assert again.after(results[:count], waiting, sanctions) == fresh


@dataclasses.dataclass(eq=False)
class OfRound:
    """The data of a round: a new object after each change."""

    round: int
    results: list[Result]
    pending: frozenset[tuple[str, int]] = frozenset()
    adjustments: tuple[SpreadAdjustment, ...] = ()


@given(championships(), st.data(), st.sampled_from(["fisc-2023", "fise", "pes-2024", "uf-2007"]))
def test_one_result_more_makes_the_standings_that_all_make_at_once(
    results: list[Result], data: st.DataObject, book: str
) -> None:
    """unchanged rounds are the same object; an impossible round leaves the data unchanged"""
    ruleset = load_ruleset(book)
    again = Standings(PLAYERS, ruleset, 5)
    told: dict[int, OfRound] = {}
    known: list[Result] = []
    adjusted: list[SpreadAdjustment] = []
    for result in data.draw(st.permutations(results)):
        known.append(result)
        if data.draw(st.booleans()):
            adjusted.append(SpreadAdjustment(result.round, result.first, 7))
        of_round = [each for each in known if each.round == result.round]
        present = {player for each in of_round for player in (each.first, each.second)}
        waiting = frozenset((player, result.round) for player in PLAYERS[:4] if player not in present)
        adjustments = tuple(each for each in adjusted if each.round == result.round)
        told[result.round] = OfRound(result.round, of_round, waiting, adjustments)
        pending = {pair for each in told.values() for pair in each.pending}
        rows = again.after_rounds(tuple(told.values()))
        assert rows == standings(known, PLAYERS, ruleset, 5, pending, adjusted)
        with pytest.raises(ValueError, match="not one of the players"):
            again.after_rounds((*told.values(), OfRound(5, [Result.bye(5, "nobody")])))
        assert again.after_rounds(tuple(told.values())) == rows


@given(championships())
def test_ranks_follow_points_and_tie_breaks_and_are_shared_exactly_by_equals(results: list[Result]) -> None:
    rows = standings(results, PLAYERS, FISC, 5)
    assert sorted(row.player for row in rows) == PLAYERS
    assert [key(row) for row in rows] == sorted(map(key, rows), reverse=True)
    for line in rows:
        assert line.rank == 1 + sum(key(other) > key(line) for other in rows)


@given(championships())
def test_spreads_of_all_players_cancel_out_and_points_are_those_awarded(results: list[Result]) -> None:
    rows = standings(results, PLAYERS, FISC, 5)
    assert sum(row.tie_breaks["spread"] for row in rows) == 0
    games = [result for result in results if result.played]
    assert sum(row.games for row in rows) == 2 * len(games)
    assert sum(row.wins + row.draws + row.losses for row in rows) == 2 * len(games)
    double_losses = sum(result.outcomes == ("loss", "loss") for result in results)
    assert sum(row.points for row in rows) == len(results) - double_losses


@pytest.mark.parametrize("book", ["fisc-2023", "uf-2007", "festa-major", "fise", "pes-2024", "box"])
@given(results=championships())
def test_games_over_the_board_forfeits_and_byes_add_up_to_what_a_player_had(book: str, results: list[Result]) -> None:
    for line in standings(results, PLAYERS, load_ruleset(book), 5):
        own = [result for result in results if line.player in (result.first, result.second)]
        forfeits = [result for result in own if not result.played and result.second is not None]
        byes = [result for result in own if result.second is None]
        assert line.wins + line.draws + line.losses + len(forfeits) + len(byes) == len(own)
        told = Counter(term.basis for term in line.point_arithmetic.terms if term.basis is not Basis.ABSENCE)
        expected = {Basis.GAME: line.games, Basis.FORFEIT: len(forfeits), Basis.BYE: len(byes)}
        assert told == Counter(expected)


def test_a_bye_is_a_point_without_spread_and_without_a_game() -> None:
    rows = standings([Result.bye(1, "p0"), Result.of_game(1, "p1", "p2", 400, 300)], PLAYERS[:3], ZERO, 5)
    assert [(row.rank, row.player, row.points, row.games) for row in rows] == [
        (1, "p1", 1.0, 1),
        (2, "p0", 1.0, 0),
        (3, "p2", 0.0, 1),
    ]
    assert row(rows, "p0").tie_breaks["spread"] == 0


def test_a_bye_adds_the_points_of_an_option_to_the_spread() -> None:
    rules = with_options(load_ruleset("fise"), {"tie_breaks": "spread", "bye_spread": "50"})
    results = [Result.bye(1, "p0"), Result.of_game(1, "p1", "p2", 430, 390)]
    rows = standings(results, PLAYERS[:3], rules, 5)
    assert [(row.player, row.tie_breaks["spread"]) for row in rows] == [("p0", 50), ("p1", 40), ("p2", -40)]


def test_a_bye_is_a_game_against_a_dummy_worth_no_more_than_a_draw_in_every_round() -> None:
    results = [Result.bye(1, "p0"), *(Result.of_game(n, "p0", f"p{n - 1}", 400, 300) for n in (2, 3, 4, 5))]
    results += [Result.of_game(5, "p1", "p2", 300, 400), Result.bye(5, "p3")]
    # five own points, but a draw in each of five rounds is worth two and a half; p2 and p3 have one each
    assert row(standings(results, PLAYERS, FISC, 5), "p0").tie_breaks["berger"] == 2.5 + 1 + 1
    assert row(standings(results, PLAYERS, ZERO, 5), "p0").tie_breaks["berger"] == 1 + 1


def test_a_dummy_has_no_more_points_than_the_player_or_than_the_opponent_who_was_not_there() -> None:
    results = [
        Result.forfeit(1, "p0", "p1"),
        Result.of_game(2, "p1", "p2", 400, 300),
        Result.of_game(2, "p0", "p3", 400, 300),
        Result.of_game(3, "p0", "p4", 400, 300),
    ]
    rows = standings(results, PLAYERS, FISC, 5)
    # p1 was there in round 2 and away in round 3, the last: that counts as a draw for opponents.
    assert row(rows, "p0").tie_breaks["berger"] == pytest.approx(1.5 + 0.5 + 0.0)


def test_rounds_after_a_player_left_count_as_draws_for_opponents_only() -> None:
    results = [
        Result.of_game(1, "p0", "p1", 400, 300),
        Result.of_game(2, "p0", "p2", 400, 300),
        Result.of_game(3, "p0", "p3", 400, 300),
    ]
    rows = standings(results, PLAYERS[:4], FISC, 5)
    # p1 left after round 1 (two draws), p2 after round 2 but was not there in round 1 (one draw), p3 came for round 3.
    assert row(rows, "p0").tie_breaks["berger"] == 1.0 + 0.5 + 0.0
    assert row(rows, "p1").points == 0
    assert row(standings(results, PLAYERS[:4], ZERO, 5), "p0").tie_breaks["berger"] == 0


def test_a_round_missed_by_will_is_left_out_before_a_weak_opponent() -> None:
    results = [
        Result.of_game(1, "p0", "p1", 400, 300),
        Result.of_game(2, "p0", "p2", 400, 300),
        Result.of_game(2, "p3", "p1", 400, 300),
        Result.forfeit(3, "p3", "p0"),
        Result.of_game(3, "p1", "p2", 300, 400),
    ]
    rows = standings(results, PLAYERS[:4], FISC, 5)
    # p1 has no point and p2 has one; against p3, who won by forfeit, the dummy has two, and is left out first.
    assert row(rows, "p0").tie_breaks["median-buchholz"] == 0 + 1.0


def test_a_game_that_is_being_played_counts_for_nothing_yet() -> None:
    results = [
        Result.of_game(1, "p0", "p1", 400, 300),
        Result.of_game(1, "p2", "p3", 350, 350),
        Result.of_game(2, "p0", "p2", 400, 300),
    ]
    rows = standings(results, PLAYERS[:4], FISC, 5, pending={("p1", 2), ("p3", 2)})
    assert {r.player: (r.rank, r.points, r.games) for r in rows} == {
        "p0": (1, 2.0, 2),
        "p2": (2, 0.5, 2),
        "p3": (3, 0.5, 1),
        "p1": (4, 0.0, 1),
    }
    # p0 has won over p1 (no point) and p2 (half a point); p2 has drawn with p3 (half a point) and lost to p0 (two).
    # p1 and p3 have one opponent each, who is left out; away from table 2 they would have a dummy to leave out.
    assert {r.player: tuple(r.tie_breaks.values()) for r in rows} == {
        "p0": (0.5, 0.0 + 0.5, 200, 800),
        "p2": (2.0, 0.5 * 0.5, -100, 650),
        "p3": (0.0, 0.5 * 0.5, 0, 350),
        "p1": (0.0, 0.0, -100, 300),
    }
    absent = standings(results, PLAYERS[:4], FISC, 5)
    assert row(absent, "p0").tie_breaks["berger"] == 0.5 + 0.5
    assert row(absent, "p1").tie_breaks["median-buchholz"] == 2.0


def test_whoever_plays_again_has_not_left() -> None:
    results = [
        Result.of_game(1, "p0", "p1", 400, 300),
        Result.of_game(2, "p0", "p2", 400, 300),
        Result.of_game(3, "p0", "p3", 400, 300),
    ]
    rows = standings(results, PLAYERS[:4], FISC, 5, pending=[("p1", 3), ("p2", 3)])
    # p1 was away in round 2 and sits at a table in round 3, so round 2 is not a draw for p0.
    assert row(rows, "p0").tie_breaks["berger"] == 0.0


@given(championships())
def test_a_round_without_any_result_changes_nothing_whoever_waits_for_it(results: list[Result]) -> None:
    before = [result for result in results if result.round < 5]
    waiting = [(player, 5) for player in PLAYERS]
    assert standings(before, PLAYERS, FISC, 5, waiting) == standings(before, PLAYERS, FISC, 5)


@pytest.mark.parametrize(
    ("pending", "problem"),
    [
        (("p2", 6), "round 6, pending for p2, is not one of the 5 rounds"),
        (("zz", 1), "round 1 is pending for zz, not one of the players"),
        (("p0", 1), "round 1 is pending for p0, but has a result"),
    ],
)
def test_what_cannot_be_pending_is_refused(pending: tuple[str, int], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        standings([Result.of_game(1, "p0", "p1", 1, 0)], PLAYERS, FISC, 5, [pending])


def test_scores_after_deductions_decide_even_when_negative() -> None:
    rows = standings([Result.of_game(1, "p0", "p1", -12, -10)], PLAYERS[:2], FISC, 5)
    assert [r.player for r in rows] == ["p1", "p0"]
    assert row(rows, "p0").tie_breaks == {"median-buchholz": 0, "berger": 0, "spread": -2, "total": -12}


@pytest.mark.parametrize(
    ("results", "problem"),
    [
        ([Result.of_game(6, "p0", "p1", 1, 0)], "round 6 is not one of the 5 rounds"),
        ([Result.of_game(1, "p0", "zz", 1, 0)], "round 1 has a result of zz"),
        ([Result.bye(1, "p0"), Result.of_game(1, "p1", "p0", 1, 0)], "p0 has two results in round 1"),
    ],
)
def test_results_that_cannot_be_are_refused(results: list[Result], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        standings(results, PLAYERS, FISC, 5)


def test_a_bye_that_was_asked_for_is_worth_what_was_granted() -> None:
    results = [
        Result.of_game(1, "a", "b", 400, 300),
        Result.bye(1, "c", Bye.HALF_POINT),
        Result.bye(1, "d", Bye.FULL_POINT),
        Result.bye(1, "e", Bye.ZERO_POINT),
    ]
    rows = {row.player: row for row in standings(results, ["a", "b", "c", "d", "e"], FISC, 5)}

    assert {player: row.points for player, row in rows.items()} == {"a": 1, "b": 0, "c": 0.5, "d": 1, "e": 0}
    assert all(rows[player].games == 0 for player in "cde")


def test_for_opponents_a_bye_asked_for_counts_as_granted_before_a_game_and_as_a_draw_after_the_last() -> None:
    def worth(*after: Result) -> float:
        results = [
            Result.of_game(1, "a", "b", 400, 300),
            Result.bye(2, "a", Bye.ZERO_POINT),
            Result.of_game(2, "b", "c", 400, 300),
            *after,
        ]
        rows = standings(results, ["a", "b", "c", "d"], load_ruleset("pes-2024"), 3)
        return next(row for row in rows if row.player == "b").tie_breaks["buchholz"]

    played_on = Result.of_game(3, "a", "d", 300, 400)
    gone = Result.bye(3, "a", Bye.ZERO_POINT)
    # a has one point from the first round; two announced absences at the end count as two draws for b.
    assert worth(gone) - worth(played_on) == 1.0
