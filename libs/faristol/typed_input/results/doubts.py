"""Implausible results, which may be typing errors. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from faristol.kernel.refusal import N_, Param
from faristol.rules.scoring import UsualScores
from faristol.typed_input.results.lines import ParsedResult

HIGH = N_("{score} is unusually high (more than {highest})")
LOW = N_("{score} is unusually low (less than {lowest})")
FAR = N_("the scores are {difference} points apart (usually at most {largest})")
DRAW = N_("it is a draw")
LIKE_ANOTHER = N_("table {table} has the same scores")
OPEN_BEFORE = N_("table {table} was already typed as {typed}, which is still open")
SWAPPED = N_("these scores do not make {winner} the winner: they may be swapped")


@dataclass(frozen=True, slots=True)
class Doubt:
    """Reason to check a result: an English text marked with ``N_``, and its parameters."""

    text: str
    params: Mapping[str, Param]
    seat: int | None = None
    """Index in the pairing of the doubtful score; None if it concerns several."""


def doubts(
    given: ParsedResult,
    usual: UsualScores,
    others: Mapping[int, Sequence[int]],
    names: Sequence[str],
    winner: int | None = None,
) -> Iterator[Doubt]:
    """Yield every doubt about a result.

    ``others`` are the scores of the other tables of the round. ``names`` are the players in the order of the pairing,
    and ``winner`` is the index of the named winner. A forfeit has no scores. The low score of a player who abandoned is
    not doubted, nor is the difference.
    """
    if given.forfeit:
        return
    points = given.points
    for seat, score in enumerate(points):
        if score > usual.highest:
            yield Doubt(HIGH, {"score": score, "highest": usual.highest}, seat)
    if any(score.left for score in given.scores):
        return
    for seat, score in enumerate(points):
        if score < usual.lowest:
            yield Doubt(LOW, {"score": score, "lowest": usual.lowest}, seat)
    apart = max(points) - min(points)
    if apart > usual.largest_difference:
        yield Doubt(FAR, {"difference": apart, "largest": usual.largest_difference})
    if points.count(max(points)) > 1:
        yield Doubt(DRAW, {})
    for table, scores in others.items():
        if table != given.table and tuple(scores) == points:
            yield Doubt(LIKE_ANOTHER, {"table": table})
    if is_swapped(given, winner):
        assert winner is not None, "a swap has a winner"
        yield Doubt(SWAPPED, {"winner": names[winner]})


def is_swapped(given: ParsedResult, winner: int | None) -> bool:
    """Check whether a player other than ``winner``, an index in the pairing, has the highest score or shares it."""
    if winner is None or given.forfeit:
        return False
    stayed = [0 if score.left else score.points or 0 for score in given.scores]
    return stayed[winner] < max(stayed) or stayed.count(max(stayed)) > 1
