"""Intervals, tail probabilities and corrections of statistics. Pure; random draws take a seed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

NORMAL_95_RATIO = 1.959963984540054
"""Standard deviations of a normal distribution on each side of its mean that contain 95 % of it."""

BOOTSTRAP_COUNT = 1_000
"""Samples of a bootstrap."""

MIN_BOOTSTRAP_COUNT = 3
"""Groups that a bootstrap requires: fewer cannot show how they differ."""


class Interval(NamedTuple):
    """A confidence interval of 95 %."""

    low: float
    high: float


def compute_wilson_interval(successes: int, trials: int) -> Interval:
    """Return the interval of a share (E. B. Wilson 1927); 0 to 1 without a trial.

    Unlike the normal approximation it stays within 0 and 1, and is not empty if all trials or none succeed.
    """
    if trials == 0:
        return Interval(0.0, 1.0)
    square = NORMAL_95_RATIO**2
    share = successes / trials
    middle = (share + square / (2 * trials)) / (1 + square / trials)
    spread = math.sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    half = NORMAL_95_RATIO * spread / (1 + square / trials)
    return Interval(max(0.0, middle - half), min(1.0, middle + half))


def bootstrap_mean(totals: Sequence[float], sizes: Sequence[int], seed: int) -> Interval | None:
    """Return the interval of the mean ``sum(totals) / sum(sizes)`` by percentiles of a bootstrap (B. Efron 1979).

    Whole groups are drawn, such as the turns of a game, because those in a group depend on each other. Returns None
    with fewer than ``MIN_BOOTSTRAP_COUNT`` groups.
    """
    if len(totals) < MIN_BOOTSTRAP_COUNT:
        return None
    drawn = np.random.default_rng(seed).integers(0, len(totals), (BOOTSTRAP_COUNT, len(totals)))
    means = np.asarray(totals, dtype=np.float64)[drawn].sum(axis=1) / np.asarray(sizes)[drawn].sum(axis=1)
    low, high = np.percentile(means, (2.5, 97.5))
    return Interval(float(low), float(high))


def compute_student_tail(value: float, degrees: int) -> float:
    """Return the probability that Student's t with ``degrees`` of freedom is ``value`` or more.

    By the finite series for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
    """
    angle = math.atan(abs(value) / math.sqrt(degrees))
    sine, cosine = math.sin(angle), math.cos(angle)
    if degrees % 2:
        inside = angle + sine * sum(_series(cosine, degrees, first=1))
        inside *= 2 / math.pi
    else:
        inside = sine * sum(_series(cosine, degrees, first=0))
    outside = max(0.0, 1 - inside) / 2
    return outside if value >= 0 else 1 - outside


def _series(cosine: float, degrees: int, first: int) -> list[float]:
    """Return the terms of the series, whose powers of the cosine begin with ``first`` and rise by 2."""
    terms: list[float] = []
    term = cosine**first
    for power in range(first, degrees - 1, 2):
        terms.append(term)
        term *= cosine**2 * (power + 1) / (power + 2)
    return terms


def compute_poisson_tail(count: int, expected: float) -> float:
    """Return the probability of ``count`` or more events if ``expected`` are expected on average (S. D. Poisson)."""
    below, term = 0.0, math.exp(-expected)
    for number in range(count):
        below += term
        term *= expected / (number + 1)
    return max(0.0, 1 - below)


def correct_by_holm(probabilities: Sequence[float], family: int) -> list[float]:
    """Return ``probabilities`` corrected for ``family`` comparisons (S. Holm 1979), in their order.

    If all comparisons have no cause but chance, at least one corrected probability is ``level`` or less with a
    probability of at most ``level``. Comparisons of the family that are not given are taken as larger, which corrects
    more, not less.
    """
    order = sorted(range(len(probabilities)), key=lambda place: probabilities[place])
    corrected = [1.0] * len(probabilities)
    least = 0.0
    for rank, place in enumerate(order):
        least = max(least, min(1.0, (max(family, len(order)) - rank) * probabilities[place]))
        corrected[place] = least
    return corrected


def correlate_ranks(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return the rank correlation of pairs of values (C. Spearman 1904), from -1 to 1; None if one side is constant."""
    ranks = [_rank(values) for values in (first, second)]
    if len(first) < 2 or any(float(np.ptp(each)) == 0 for each in ranks):
        return None
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _rank(values: Sequence[float]) -> npt.NDArray[np.float64]:
    """Return the rank of each value; equal values share the mean of their ranks."""
    given = np.asarray(values, dtype=np.float64)
    _, place, counts = np.unique(given, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means: npt.NDArray[np.float64] = last - (counts - 1) / 2
    return means[place]
