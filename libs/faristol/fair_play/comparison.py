"""The figures of a player against those of others of similar rating, corrected for many comparisons. Pure.

Each measure is transformed so that its variance hardly depends on its value: the share of best plays by the arc sine
of its root, points lost per turn by their root, the correlation of time and difficulty by Fisher's z. Honest players
differ among themselves, so a player is compared with their spread and not with the chance of single turns: by
Student's t for one more observation, ``(value - mean) / sqrt(variance * (1 + 1 / others))``. The variance is widened if
the player has fewer turns than the others. A binomial test of single turns would call every strong player a signal.

Probabilities are one-sided, towards the play of a program: more best plays, fewer points lost, time that depends less
on the difficulty. They are corrected by Holm for the measures of all players of the record that have enough turns,
because a reader of reports looks at all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from statistics import fmean, variance
from typing import NamedTuple

from faristol.fair_play.estimates import Interval, compute_student_tail, compute_wilson_interval, correct_by_holm
from faristol.fair_play.figures import Figures

SIGNAL_LEVEL_RATIO = 0.01
"""Corrected probability up to which a measure is a signal: the share of reports on honest fields with any signal."""

MIN_TURNS_COUNT = 60
"""Turns that a player needs to be compared: some five games."""

MIN_HARD_TURNS_COUNT = 15
"""Hard turns that a player needs for a comparison of these."""

MIN_OTHERS_COUNT = 12
"""Other players that a comparison requires."""

RATING_WINDOW_POINTS = 150
"""Difference of ratings up to which players are comparable."""


class Measure(StrEnum):
    """A figure that is compared."""

    AGREEMENT = "agreement"
    """Share of turns with a play of the highest score; more is unusual."""
    HARD = "hard"
    """The same for hard turns: honest players find few of their best plays, and a program finds all."""
    LOSS = "loss"
    """Points lost per turn; fewer are unusual."""
    TIME = "time"
    """Rank correlation of time and difficulty; less is unusual."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A measure of a player against those of others."""

    measure: Measure
    value: float
    others: int
    """Number of the other players that were compared."""
    others_mean: float
    """Mean of the measure over the others: its base rate."""
    percentile: Interval
    """Interval of the share of the others that the player exceeds towards the play of a program."""
    probability: float
    """Probability of a value at least as unusual for an honest player, without a correction."""
    corrected: float
    """The same, corrected for all comparisons of the record."""

    @property
    def is_signal(self) -> bool:
        """Whether the measure is unusual after the correction."""
        return self.corrected <= SIGNAL_LEVEL_RATIO


@dataclass(frozen=True, slots=True)
class Comparison:
    """The measures of a player against those of others."""

    player_id: str
    figures: Figures
    rating: int | None
    measures: tuple[Compared, ...] = ()
    """Empty if the player has too few turns, or if there are too few others."""
    similar: bool = True
    """Whether the others have similar ratings; False if there were too few, so that all were compared."""

    @property
    def is_signal(self) -> bool:
        """Whether any measure is a signal."""
        return any(each.is_signal for each in self.measures)


def compare(
    figures: Iterable[Figures], reference: Mapping[str, Figures], ratings: Mapping[str, int | None]
) -> list[Comparison]:
    """Compare players with the others of ``reference``, all players of the record by id.

    ``figures`` are those of the players in question, such as over one tournament. ``ratings`` has a rating for each
    player, None for an unrated one. Those with the most unusual measure come first.
    """
    enough = {player_id: each for player_id, each in reference.items() if each.turns >= MIN_TURNS_COUNT}
    family = max(1, sum(_transform(each, measure) is not None for each in enough.values() for measure in Measure))
    raw = [_compare_player(each, enough, ratings) for each in figures]
    corrected = iter(correct_by_holm([each.probability for found in raw for each in found.measures], family))
    compared = [
        Comparison(
            each.player_id,
            each.figures,
            each.rating,
            tuple(replace(measure, corrected=next(corrected)) for measure in each.measures),
            each.similar,
        )
        for each in raw
    ]
    return sorted(compared, key=_order)


def _order(comparison: Comparison) -> tuple[float, str]:
    return min((each.probability for each in comparison.measures), default=2.0), comparison.player_id


def _compare_player(own: Figures, enough: Mapping[str, Figures], ratings: Mapping[str, int | None]) -> Comparison:
    rating = ratings.get(own.player_id)
    others = [each for player_id, each in enough.items() if player_id != own.player_id]
    near = [each for each in others if _is_similar(rating, ratings.get(each.player_id))]
    similar = len(near) >= MIN_OTHERS_COUNT
    if own.turns < MIN_TURNS_COUNT or len(others) < MIN_OTHERS_COUNT:
        return Comparison(own.player_id, own, rating, similar=similar)
    found = (_compare_measure(measure, own, near if similar else others) for measure in Measure)
    return Comparison(own.player_id, own, rating, tuple(each for each in found if each is not None), similar)


def _is_similar(first: int | None, second: int | None) -> bool:
    if first is None or second is None:
        return first is second
    return abs(first - second) <= RATING_WINDOW_POINTS


class _Value(NamedTuple):
    """A measure of a player."""

    plain: float
    transformed: float
    """Larger is more unusual."""
    variance: float
    """Variance of the transformed value by chance."""


def _transform(figures: Figures, measure: Measure) -> _Value | None:
    """Return a measure, its transformed value and the variance of that by chance; None if it cannot be computed."""
    if measure is Measure.AGREEMENT:
        return _transform_share(figures.best, figures.turns)
    if measure is Measure.HARD:
        return _transform_share(figures.hard_best, figures.hard) if figures.hard >= MIN_HARD_TURNS_COUNT else None
    if measure is Measure.LOSS:
        root = math.sqrt(figures.mean_loss)
        return _Value(figures.mean_loss, -root, figures.loss_variance / (4 * max(figures.mean_loss, 1.0)))
    if figures.time_correlation is None or figures.timed < MIN_TURNS_COUNT:
        return None
    bounded = max(-0.999, min(0.999, figures.time_correlation))
    return _Value(figures.time_correlation, -math.atanh(bounded), 1 / (figures.timed - 3))


def _transform_share(successes: int, trials: int) -> _Value:
    """Return a share, transformed by F. J. Anscombe's formula (1948)."""
    share = (successes + 3 / 8) / (trials + 3 / 4)
    return _Value(successes / trials, math.asin(math.sqrt(share)), 1 / (4 * trials + 2))


def _compare_measure(measure: Measure, own: Figures, others: Sequence[Figures]) -> Compared | None:
    value = _transform(own, measure)
    known = [found for each in others if (found := _transform(each, measure)) is not None]
    if value is None or len(known) < MIN_OTHERS_COUNT:
        return None
    values = [each.transformed for each in known]
    wider = max(0.0, value.variance - fmean(each.variance for each in known))
    spread = max(variance(values), value.variance) + wider
    distance = (value.transformed - fmean(values)) / math.sqrt(spread * (1 + 1 / len(values)))
    exceeded = sum(each < value.transformed for each in values)
    probability = compute_student_tail(distance, len(values) - 1)
    return Compared(
        measure,
        value.plain,
        len(known),
        fmean(each.plain for each in known),
        compute_wilson_interval(exceeded, len(values)),
        probability,
        probability,
    )
