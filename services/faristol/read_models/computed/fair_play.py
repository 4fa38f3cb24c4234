"""Answers on fair play, from analysed turns. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from faristol.fair_play.comparison import Comparison
from faristol.fair_play.estimates import Interval
from faristol.fair_play.figures import Figures, measure
from faristol.fair_play.overlaps import Overlaps
from faristol.fair_play.turns import AnalysedTurn
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import fair_play_pb2 as pb

WARNING = N_(
    "A signal, never a verdict. The best play is the one with the most points: a good player may choose another one, "
    "and a very good one often finds it. The figures do not show why a play was found. Chance, easy racks, few turns "
    "and wrong times can have the same effect as a program. Never decide on a sanction only by these figures: hear "
    "the player, and look at the games."
)

Names = Mapping[str, str]
"""Names by player id; empty for an erased player."""


def to_turn(turn: AnalysedTurn, names: Names) -> pb.AnalysedTurn:
    """Convert an analysed turn."""
    return like(
        pb.AnalysedTurn,
        turn,
        name=names.get(turn.player_id, ""),
        phase=f"FAIR_PLAY_PHASE_{turn.phase.name}",
        faces=turn.word,
        best_faces=turn.best_word,
        best_plays=turn.best_count,
        loss=turn.loss,
    )


def to_figures(figures: Figures, names: Names) -> pb.FairPlayFigures:
    """Convert the figures of a player."""
    return like(
        pb.FairPlayFigures,
        figures,
        name=names.get(figures.player_id, ""),
        agreement=figures.best_share,
        agreement_interval=_to_interval(figures.agreement),
        mean_loss=figures.mean_loss,
        loss_interval=_to_interval(figures.loss_interval) if figures.loss_interval else None,
        phases=[
            like(pb.FairPlayPhaseFigures, each, phase=f"FAIR_PLAY_PHASE_{phase.name}", mean_loss=each.mean_loss)
            for phase, each in figures.phases.items()
        ],
        hard_turns=figures.hard,
        timed_turns=figures.timed,
    )


def to_comparison(comparison: Comparison, names: Names) -> pb.FairPlayComparison:
    """Convert the comparison of a player with others."""
    return pb.FairPlayComparison(
        figures=to_figures(comparison.figures, names),
        rating=comparison.rating,
        measures=[
            like(
                pb.ComparedMeasure,
                each,
                measure=f"FAIR_PLAY_MEASURE_{each.measure.name}",
                percentile=_to_interval(each.percentile),
                signal=each.is_signal,
            )
            for each in comparison.measures
        ],
        similar_ratings=comparison.similar,
        signal=comparison.is_signal,
    )


def to_overlaps(overlaps: Overlaps, names: Names) -> pb.FairPlayOverlaps:
    """Convert the overlaps of one kind."""
    return like(
        pb.FairPlayOverlaps,
        overlaps,
        kind=f"FAIR_PLAY_OVERLAP_KIND_{overlaps.kind.name}",
        signal=overlaps.is_signal,
        pairs=[
            pb.FairPlayOverlap(first=to_turn(first, names), second=to_turn(second, names))
            for first, second in overlaps.pairs
        ],
    )


def build_years(
    player_id: str, turns: Iterable[AnalysedTurn], years: Mapping[str, int], names: Names
) -> Sequence[pb.FairPlayYear]:
    """Return the figures of a player for each year, the latest first. ``years`` has the year of each tournament."""
    by_year: dict[int, list[AnalysedTurn]] = {}
    for turn in turns:
        if turn.player_id == player_id:
            by_year.setdefault(years[turn.tournament_id], []).append(turn)
    return [
        pb.FairPlayYear(year=year, figures=to_figures(measure(player_id, of_year), names))
        for year, of_year in sorted(by_year.items(), reverse=True)
    ]


def _to_interval(interval: Interval) -> pb.FairPlayInterval:
    return pb.FairPlayInterval(low=interval.low, high=interval.high)
