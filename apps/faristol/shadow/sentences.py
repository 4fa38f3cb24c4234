"""Differences as sentences and as data for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from faristol.kernel.refusal import N_
from faristol.rules.tournament_files import RoundKind
from faristol.shadow.difference import Difference, SideRound
from faristol.text import cite, say

_ROUNDS: Mapping[RoundKind, str] = {
    RoundKind.FORFEIT_WIN: N_("won by the absence of {other}"),
    RoundKind.FORFEIT_LOSS: N_("lost by absence against {other}"),
    RoundKind.BYE: N_("a bye ({points} on the spread)"),
    RoundKind.HALF_BYE: N_("a bye of half a point"),
    RoundKind.ABSENCE: N_("no game and no points"),
}
SCORED = N_("{score}–{against} against {other}")
UNSCORED = N_("against {other}, without a result")


def describe_difference(found: Difference, language: str) -> str:
    """Return a difference as a text: the sentence, the reason and the article."""
    sides = {"there": found.there, "here": found.here}
    params = {**found.sentence.params, **{name: _describe(side, language) for name, side in sides.items() if side}}
    parts = [say(found.sentence.message, params, language)]
    if found.reason is not None:
        parts.append(say(found.reason.message, found.reason.params, language))
    text = " ".join(parts)
    return f"{text} ({cite(found.article, language)})" if found.article else text


def _describe(side: SideRound, language: str) -> str:
    cell, other = side.cell, side.opponent or "–"
    if cell.kind is not RoundKind.GAME:
        return say(_ROUNDS[cell.kind], {"other": other, "points": cell.spread}, language)
    if cell.score is None or cell.against is None:
        return say(UNSCORED, {"other": other}, language)
    return say(SCORED, {"score": cell.score, "against": cell.against, "other": other}, language)


def to_data(found: Difference, language: str) -> dict[str, Any]:
    """Return a difference for programs."""
    return {
        "kind": found.kind.value,
        "round": found.round or None,
        "player": found.name or None,
        "article": found.article or None,
        "text": describe_difference(found, language),
    }
