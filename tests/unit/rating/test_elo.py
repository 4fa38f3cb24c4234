from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rating.elo import Elo, Factor, expected_share
from faristol.rating.games import GAME_PARTS_COUNT, Change, Rated, RatedGame, of_table
from faristol.rating.systems import ELO_1, NASPA_1

ratings = st.integers(0, 3000)


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[list[Rated], list[RatedGame]]:
    names = [f"p{number}" for number in range(draw(st.integers(2, 8)))]
    players = [Rated(name, draw(ratings), draw(st.booleans())) for name in names]
    pair = st.lists(st.sampled_from(names), min_size=2, max_size=2, unique=True)
    games = draw(st.lists(st.tuples(pair, st.sampled_from([0, 1, 2])), max_size=20))
    return players, [RatedGame(player, other, half_points) for (player, other), half_points in games]


# 1000 / (1 + 10^(-d / 400)), by hand.
@pytest.mark.parametrize(
    ("ahead", "expected"), [(0, 500), (8, 512), (9, 513), (100, 640), (200, 760), (400, 909), (800, 990), (3000, 1000)]
)
def test_the_expected_score_runs_on_the_logistic_curve_of_400_points(ahead: int, expected: int) -> None:
    assert expected_share(ELO_1.curve, 1000 + ahead, 1000, 1000) == expected
    assert expected_share(ELO_1.curve, 1000, 1000 + ahead, 1000) == 1000 - expected


@given(rating=ratings, opponent=ratings, more=st.integers(1, 100))
def test_expectations_add_up_to_one_game_and_rise_with_the_rating(rating: int, opponent: int, more: int) -> None:
    mine = expected_share(ELO_1.curve, rating, opponent, 1000)

    assert mine + expected_share(ELO_1.curve, opponent, rating, 1000) == 1000
    assert 0 <= mine <= expected_share(ELO_1.curve, rating + more, opponent, 1000) <= 1000


@pytest.mark.parametrize(
    ("rating", "unrated", "k"),
    [(0, False, 20), (1799, False, 20), (1800, False, 16), (1999, False, 16), (2000, False, 10), (1000, True, 40)],
)
def test_the_factor_falls_as_the_rating_rises_and_is_largest_at_first(rating: int, unrated: bool, k: int) -> None:
    assert ELO_1.k(rating, unrated=unrated) == k


def test_two_equals_win_and_lose_half_the_factor() -> None:
    players = [Rated("a", 1500), Rated("b", 1500)]

    assert ELO_1.rate(players, [RatedGame("a", "b", 2)]) == (
        Change("a", 1500, 1510, 1, 2, 500),
        Change("b", 1500, 1490, 1, 0, 500),
    )


def test_a_newcomer_moves_faster_than_the_opponent() -> None:
    # 1000 against 1400 expects 0.091. Winning: 40 × 0.909 = 36.36 and 20 × −0.909 = −18.18.
    players = [Rated("new", 1000, unrated=True), Rated("old", 1400)]

    assert ELO_1.rate(players, [RatedGame("new", "old", 2)]) == (
        Change("new", 1000, 1036, 1, 2, 91),
        Change("old", 1400, 1382, 1, 0, 909),
    )


def test_newcomers_alone_are_rated_among_themselves_from_the_rating_that_all_start_with() -> None:
    # Each is expected to score half: 40 × 1 for two wins, 0 for one of each, 40 × −1 for two losses.
    players = [Rated(name, 1000, unrated=True) for name in ("a", "b", "c", "d")]
    changes = ELO_1.rate(players, [RatedGame("a", "b", 2), RatedGame("a", "c", 2), RatedGame("b", "c", 2)])

    assert [change.after for change in changes] == [1040, 1000, 960, 1000]
    assert [change.games for change in changes] == [2, 2, 2, 0]


def test_a_tournament_is_rated_as_a_whole_on_the_ratings_before_it() -> None:
    # a (1600) beats b (1500) and draws with c (1400): expects 0.640 + 0.760 = 1.400, scores 1.5: 20 × 0.1 = 2.
    # b loses to a (0.360) and beats c (0.640): expects 1.000, scores 1: no change.
    # c draws with a (0.240) and loses to b (0.360): expects 0.600, scores 0.5: 20 × −0.1 = −2.
    players = [Rated("a", 1600), Rated("b", 1500), Rated("c", 1400)]
    games = [RatedGame("a", "b", 2), RatedGame("b", "c", 2), RatedGame("c", "a", 1)]

    changes = ELO_1.rate(players, games)

    assert [(change.after, change.expected_milli) for change in changes] == [(1602, 1400), (1500, 1000), (1398, 600)]
    assert ELO_1.rate(players, games[::-1]) == changes


def test_half_a_point_is_rounded_away_from_zero_for_winner_and_loser() -> None:
    # 8 and 9 points ahead: expects 0.512 + 0.513, scores 1: 20 × −0.025 = −0.5. Behind by as much: +0.5.
    ahead = ELO_1.rate(
        [Rated("a", 1509), Rated("b", 1501), Rated("c", 1500)], [RatedGame("a", "b", 2), RatedGame("a", "c", 0)]
    )
    behind = ELO_1.rate(
        [Rated("a", 1500), Rated("b", 1508), Rated("c", 1509)], [RatedGame("a", "b", 2), RatedGame("a", "c", 0)]
    )

    assert (ahead[0].expected_milli, ahead[0].after) == (1025, 1508)
    assert (behind[0].expected_milli, behind[0].after) == (975, 1501)


@given(tournament=tournaments())
def test_what_is_won_is_lost_when_the_factors_are_equal(tournament: tuple[list[Rated], list[RatedGame]]) -> None:
    players, games = tournament
    equal = Elo("equal", ELO_1.curve, first_factors=(Factor(0, 24),), factors=(Factor(0, 24),))

    changes = equal.rate(players, games)

    assert sum(500 * change.half_points - change.expected_milli for change in changes) == 0
    # Every player's change is rounded by half a point at most.
    assert 2 * abs(sum(change.after - change.before for change in changes)) <= len(players)
    assert sum(change.games for change in changes) == 2 * len(games) == sum(change.half_points for change in changes)


@given(rating=ratings, other=ratings, half_points=st.sampled_from([0, 1, 2]))
def test_one_game_between_equal_factors_sums_to_zero(rating: int, other: int, half_points: int) -> None:
    equal = Elo("equal", ELO_1.curve, first_factors=(Factor(0, 24),), factors=(Factor(0, 24),))

    first, second = equal.rate([Rated("a", rating), Rated("b", other)], [RatedGame("a", "b", half_points)])

    assert first.after - first.before == second.before - second.after


def test_whoever_played_no_game_keeps_the_rating() -> None:
    assert ELO_1.rate([Rated("a", 1234)], []) == (Change("a", 1234, 1234, 0, 0, 0),)


def test_a_game_of_somebody_unknown_is_an_error() -> None:
    with pytest.raises(KeyError):
        ELO_1.rate([Rated("a", 1234)], [RatedGame("a", "nobody", 2)])


# 1000 / (1 + e^(-0.0031879 d)), by hand; the factors are NASPA's table.
@pytest.mark.parametrize(("ahead", "expected"), [(0, 500), (100, 579), (200, 654), (400, 782), (-400, 218)])
def test_naspa_expects_by_its_curve_of_2009(ahead: int, expected: int) -> None:
    assert expected_share(NASPA_1.curve, 1500 + ahead, 1500, 1000) == expected


@pytest.mark.parametrize(
    ("rating", "unrated", "k"),
    [(1799, False, 20), (1800, False, 16), (2000, False, 10), (1799, True, 30), (1999, True, 24), (2000, True, 15)],
)
def test_naspas_multipliers_fall_as_the_rating_rises(rating: int, unrated: bool, k: int) -> None:
    assert NASPA_1.k(rating, unrated=unrated) == k


def test_a_table_of_four_is_rated_by_pairs_and_counts_as_one_game() -> None:
    # Four equals expect half a game. The winner scores 3 of 3 pairs: 20 × (1 − 0.5) = 10; the second 2 of 3:
    # 20 × 0.1667 = 3.33; the two who share the last place ½ of 3: 20 × (0.1667 − 0.5) = −6.67.
    players = [Rated(name, 1500) for name in "abcd"]

    changes = ELO_1.rate(players, of_table([("a", 300), ("b", 250), ("c", 200), ("d", 200)]))

    assert [(change.after, change.games, change.expected_milli) for change in changes] == [
        (1510, 1, 500),
        (1503, 1, 500),
        (1493, 1, 500),
        (1493, 1, 500),
    ]


@given(st.lists(st.integers(-20, 600), min_size=2, max_size=4))
def test_whatever_the_table_it_is_one_game_for_each(scores: list[int]) -> None:
    seats = [(f"p{place}", score) for place, score in enumerate(scores)]
    games = of_table(seats)
    assert all(
        sum(game.parts for game in games if name in (game.first, game.second)) == GAME_PARTS_COUNT for name, _ in seats
    )
    if len(seats) == 2:
        assert games == (RatedGame("p0", "p1", 1 + (scores[0] > scores[1]) - (scores[0] < scores[1])),)
