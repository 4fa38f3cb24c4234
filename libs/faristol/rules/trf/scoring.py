"""Reading the lines that say what a result brings: FIDE's 162, JaVaFo's XXS, the BB… of bbpPairings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from faristol.kernel.quotation import quoted
from faristol.rules.trf.columns import Columns

_PAIR = re.compile(r"\s*([A-Z])\s*([0-9]{1,3}(?:\.[0-9])?)(?=\s|$)")
_FIDE = {"W": "win", "D": "draw", "L": "loss", "A": "absence", "P": "allocated_bye", "X": "unknown"}
_JAVAFO = {"W": "win", "D": "draw", "L": "loss", "ZPB": "absence", "FL": "absence", "PAB": "allocated_bye"}
_BBP = {"BBW": "win", "BBD": "draw", "BBL": "loss", "BBZ": "absence", "BBF": "absence", "BBU": "allocated_bye"}

Scoring = Mapping[str, int]
"""Points in tenths, by field of ``Points``."""


def _of_fide(line: Columns) -> Scoring:
    points = {}
    at = 4
    while rest := line.text[at:].strip():
        found = _PAIR.match(line.text, at)
        if found is None or found[1] not in _FIDE:
            column = len(line.text) - len(line.text[at:].lstrip()) + 1
            line.refuse(column, "SCORING", f"the scoring is {quoted(rest)}", f"one of {' '.join(_FIDE)} and its points")
        points[_FIDE[found[1]]] = line.as_points(found[2], found.start(2) + 1, "the scoring")
        at = found.end()
    return points


def _of_javafo(line: Columns) -> Scoring:
    points = {}
    for column, word in line.words(5):
        code, _, value = word.partition("=")
        if code not in _JAVAFO:
            expected = f"one of {' '.join(_JAVAFO)}, = and its points"
            line.refuse(column, "SCORING", f"the scoring is {quoted(word)}", expected)
        points[_JAVAFO[code]] = line.as_points(value, column + len(code) + 1, "the scoring")
    return points


def _of_bbp(line: Columns) -> Scoring:
    return {_BBP[line.tag]: line.as_points(line.take(5, len(line.text)), 5, "the scoring")}


SCORING: Mapping[str, Callable[[Columns], Scoring]] = {
    "162": _of_fide,
    "XXS": _of_javafo,
    **dict.fromkeys(_BBP, _of_bbp),
}
"""What reads the lines of each tag that is about scoring."""
