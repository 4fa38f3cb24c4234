"""Users of a program are told apart from honest players at the stated rates, and honest fields give no more signals."""

from __future__ import annotations

import random

import pytest
from tests.unit.fair_play.fields import draw_field, play_games

from faristol.fair_play.comparison import (
    MIN_OTHERS_COUNT,
    MIN_TURNS_COUNT,
    SIGNAL_LEVEL_RATIO,
    Compared,
    Comparison,
    Measure,
    compare,
)
from faristol.fair_play.figures import measure, measure_all

FIELDS_COUNT = 30
FIELD_PLAYERS = 24
GAMES_COUNT = 11


def report(seed: int, program_share: float = 0.0, games: int = GAMES_COUNT) -> list[Comparison]:
    """Return the comparison of a simulated field; its player ``p00`` uses a program for a share of turns."""
    chance = random.Random(seed)
    players = draw_field(FIELD_PLAYERS, chance, program_share)
    figures = measure_all(play_games(players, games, chance))
    return compare(figures.values(), figures, {player.player_id: player.rating for player in players})


def test_honest_fields_have_a_signal_in_no_more_reports_than_stated() -> None:
    false = sum(any(each.is_signal for each in report(seed)) for seed in range(FIELDS_COUNT))
    assert SIGNAL_LEVEL_RATIO == 0.01
    assert false <= 1  # with 1 % each, 2 or more of 30 reports have a probability of 4 %


def test_a_player_with_the_best_play_in_every_turn_is_found_and_no_other() -> None:
    for seed in range(5):
        found = report(seed, program_share=1.0)
        assert [each.player_id for each in found if each.is_signal] == ["p00"]
        assert found[0].player_id == "p00"
        (agreement,) = (each for each in found[0].measures if each.measure is Measure.AGREEMENT)
        assert agreement.is_signal
        assert agreement.percentile.low > 0.7


def test_a_program_in_three_of_ten_turns_is_found_in_four_of_ten_players_over_years_and_rarely_in_a_tournament() -> (
    None
):
    years = [report(seed, 0.3, games=60) for seed in range(2000, 2006)]
    assert sum(found[0].player_id == "p00" for found in years) >= 5
    assert sum(found[0].is_signal for found in years) >= 2
    tournaments = [report(seed, 0.3) for seed in range(2000, 2010)]
    assert sum(found[0].player_id == "p00" for found in tournaments) >= 5
    assert sum(found[0].is_signal for found in tournaments) <= 2
    assert not any(each.is_signal for found in (*years, *tournaments) for each in found if each.player_id != "p00")


def test_a_player_with_few_turns_is_not_compared() -> None:
    chance = random.Random(1)
    players = draw_field(FIELD_PLAYERS, chance, program_share=1.0)
    figures = measure_all(play_games(players, GAMES_COUNT, chance))
    few = measure("p00", play_games(players[:1], 4, chance))
    assert few.turns < MIN_TURNS_COUNT
    (compared,) = compare([few], figures, {})
    assert compared.measures == ()
    assert not compared.is_signal


@pytest.mark.parametrize("others", [MIN_OTHERS_COUNT - 1, MIN_OTHERS_COUNT])
def test_a_comparison_needs_enough_others(others: int) -> None:
    chance = random.Random(2)
    players = draw_field(others + 1, chance)
    figures = measure_all(play_games(players, GAMES_COUNT, chance))
    compared = compare(figures.values(), figures, {player.player_id: player.rating for player in players})
    assert all(bool(each.measures) == (others == MIN_OTHERS_COUNT) for each in compared)


def test_players_of_other_ratings_are_compared_only_if_too_few_have_a_similar_one() -> None:
    chance = random.Random(3)
    players = draw_field(30, chance)
    figures = measure_all(play_games(players, 6, chance))
    apart = {player.player_id: 1000 if number < 15 else 2000 for number, player in enumerate(players)}
    near = compare(figures.values(), figures, apart)
    assert all(each.similar and {one.others for one in each.measures} == {14} for each in near)
    alone = {**apart, "p00": 3000}
    (own,) = (each for each in compare(figures.values(), figures, alone) if each.player_id == "p00")
    assert not own.similar
    assert {one.others for one in own.measures} == {29}


def test_more_players_in_the_record_correct_the_same_probability_more() -> None:
    chance = random.Random(4)
    players = draw_field(60, chance, program_share=0.5)
    figures = measure_all(play_games(players, 6, chance))
    ratings: dict[str, int | None] = dict.fromkeys(figures, 1500)
    some = dict(list(figures.items())[:20])
    of_few, of_all = (_first(compare([figures["p00"]], reference, ratings)) for reference in (some, figures))
    assert of_few.corrected / of_few.probability < of_all.corrected / of_all.probability


def _first(found: list[Comparison]) -> Compared:
    return next(each for each in found[0].measures if 0 < each.corrected < 1)
