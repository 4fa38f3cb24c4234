"""Intervals and probabilities are those of published tables."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.fair_play.estimates import (
    bootstrap_mean,
    compute_poisson_tail,
    compute_student_tail,
    compute_wilson_interval,
    correct_by_holm,
    correlate_ranks,
)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_of_a_share_are_those_of_newcombe(successes: int, trials: int, low: float, high: float) -> None:
    # R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3
    assert compute_wilson_interval(successes, trials) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 500), st.integers(0, 500))
def test_an_interval_of_a_share_contains_the_share_and_stays_within_0_and_1(best: int, others: int) -> None:
    low, high = compute_wilson_interval(best, best + others)
    assert 0 <= low <= high <= 1
    if best + others:
        assert low - 1e-9 <= best / (best + others) <= high + 1e-9


@pytest.mark.parametrize(
    ("degrees", "value", "tail"),
    [
        *((1, 6.314, 0.05), (1, 63.657, 0.005), (2, 2.920, 0.05), (2, 9.925, 0.005), (3, 2.353, 0.05)),
        *((5, 2.015, 0.05), (10, 3.169, 0.005), (11, 2.718, 0.01), (30, 1.697, 0.05), (120, 2.617, 0.005)),
    ],
)
def test_tails_of_student_are_those_of_the_tables(degrees: int, value: float, tail: float) -> None:
    assert compute_student_tail(value, degrees) == pytest.approx(tail, rel=2e-3)
    assert compute_student_tail(-value, degrees) == pytest.approx(1 - tail, rel=2e-3)


def test_a_tail_of_poisson_is_the_sum_of_its_terms() -> None:
    assert compute_poisson_tail(0, 2.0) == 1
    assert compute_poisson_tail(1, 2.0) == pytest.approx(1 - math.exp(-2))
    assert compute_poisson_tail(5, 2.0) == pytest.approx(0.052653, abs=1e-6)


def test_holm_corrects_each_probability_by_its_rank_and_keeps_the_order() -> None:
    assert correct_by_holm([0.01, 0.04, 0.03, 0.005], 4) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert correct_by_holm([0.01, 0.04], 10) == pytest.approx([0.1, 0.36])
    assert correct_by_holm([0.5], 3) == [1.0]
    assert correct_by_holm([], 3) == []


def test_a_bootstrap_contains_the_mean_as_often_as_stated_and_is_the_same_each_time() -> None:
    chance = random.Random(5)
    held = 0
    for number in range(100):
        sizes = [chance.randint(8, 14) for _ in range(15)]
        totals = [sum(chance.expovariate(1 / 5) for _ in range(size)) for size in sizes]
        interval = bootstrap_mean(totals, sizes, number)
        assert interval is not None
        assert interval == bootstrap_mean(totals, sizes, number)
        held += interval.low <= 5 <= interval.high
    assert 85 <= held <= 100  # 95 % of an infinite number of games; some less of 15


def test_few_games_have_no_interval_of_a_mean() -> None:
    assert bootstrap_mean([10.0, 20.0], [10, 10], 1) is None


def test_ranks_correlate_as_their_values_rise_together() -> None:
    assert correlate_ranks([1, 2, 3, 4], [10, 20, 30, 1_000]) == pytest.approx(1)
    assert correlate_ranks([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    assert correlate_ranks([1, 1, 2, 3], [1, 2, 2, 3]) == pytest.approx(5 / 6, abs=0.02)
    assert correlate_ranks([1, 1, 1], [1, 2, 3]) is None
    assert correlate_ranks([], []) is None
