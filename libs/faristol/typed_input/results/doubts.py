"""Implausible results, which may be typing errors, and refusals of results in words. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from faristol.kernel.refusal import N_, Param
from faristol.rules.scoring import UsualScores
from faristol.text import say
from faristol.typed_input.results.lines import ABANDONED_MARK, FORFEIT, ParsedResult

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


TYPED: Mapping[str, str] = {"abandoned_by": ABANDONED_MARK, "forfeited_by": FORFEIT}
"""Typed marks, by the field of the service."""

HOW_TYPED = N_(
    "Write `a` after the points of a player who abandoned, as in 120a, and `ff` instead of the points "
    "of an absent player."
)

ON_PAGES: Mapping[str, str] = {
    "running_game": N_("The game in progress"),
    "winner_id": N_("Outcome"),
    "lost_by_all": N_("all lost"),
}
"""Labels on pages, by the field of the service."""

BUTTONS: Mapping[str, tuple[str, str]] = {
    "standings reopen": (N_("Withdraw them"), N_("Prizes and final standings")),
}
"""Button that replaces a terminal command on pages, and its part of the console."""

BUTTON = N_("“{button}” under “{part}”")

_ON_PAGES = re.compile(rf"(?<![\w-])({'|'.join(ON_PAGES)})(?![\w-])")
_FIELDS = re.compile(rf"(?<![\w-])({'|'.join(TYPED)})(?![\w-])")


def as_typed(refusal: str, language: str) -> str:
    """Replace fields of the service in a refusal by the marks that a user types."""
    text, count = _FIELDS.subn(lambda found: f"`{TYPED[found[0]]}`", refusal)
    return f"{text} {say(HOW_TYPED, {}, language)}" if count else text


def as_labelled(refusal: str, language: str) -> str:
    """Replace fields of the service and terminal commands in a refusal by the labels of a page."""
    for command, (button, part) in BUTTONS.items():
        labels = {"button": say(button, {}, language), "part": say(part, {}, language)}
        refusal = refusal.replace(f"`{command}`", say(BUTTON, labels, language))
    text = _ON_PAGES.sub(lambda found: f"“{say(ON_PAGES[found[0]], {}, language)}”", refusal)
    return as_typed(text, language)
