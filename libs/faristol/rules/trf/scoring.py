"""Parsing of the lines on points by result: FIDE's 162, JaVaFo's XXS, the BB… of bbpPairings; virtual points.

Each is converted to points for JaVaFo's codes, which distinguish the most results. A later code overrides an earlier
one, as in JaVaFo's manual: ``XXS W=3 BW=2`` is 3 for each win except with black. Virtual points of accelerated pairings
count for the pairing of the first rounds only (FIDE C.04.5.1).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from faristol.kernel.quotation import quote_text
from faristol.rules.trf.columns import Columns
from faristol.rules.trf.document import POINT_TENTHS_FACTOR, Fictitious, Points

_PAIR = re.compile(r"\s*([A-Z])\s*([0-9]{1,3}(?:\.[0-9])?)(?=\s|$)")

_JAVAFO_PAIR = re.compile(r"[^\s=]*(?: *= *\S*)?\S+")

_WIN = ("WW", "BW", "FW", "FPB")
_DRAW = ("WD", "BD", "HPB")
_LOSS = ("WL", "BL")
_FIDE = {"W": _WIN, "D": _DRAW, "L": _LOSS, "A": ("ZPB", "FL"), "P": ("PAB",), "X": ("X",)}
_JAVAFO = {"W": _WIN, "D": _DRAW, "L": _LOSS} | {code: (code,) for code in (*_WIN, *_DRAW, *_LOSS, "ZPB", "FL", "PAB")}
_BBP = {"BBW": _WIN, "BBD": _DRAW, "BBL": _LOSS, "BBZ": ("ZPB",), "BBF": ("FL",), "BBU": ("PAB",)}

_DEFAULTS = {**dict.fromkeys(_WIN, 10), **dict.fromkeys(_DRAW, 5), **dict.fromkeys((*_LOSS, "ZPB", "FL"), 0), "PAB": 10}
_EXCEPTIONS = {"BW": "WW", "FW": "WW", "FPB": "WW", "BD": "WD", "HPB": "WD", "BL": "WL", "FL": "ZPB"}
"""The codes without a field in ``Points``, and the code with their default points."""

_BYE_DEFAULT = "W"
"""Key of the default points of PAB: a win in FIDE's records; in JaVaFo's records PAB has separate points."""

MAX_POINTS_TENTHS = 999
"""The most points that fit a player's columns: 99.9."""

_ORDER = (
    *(
        (higher, lower)
        for colour in "WB"
        for higher, lower in ((f"{colour}W", f"{colour}D"), (f"{colour}D", f"{colour}L"))
    ),
    ("FW", "FL"),
    ("FPB", "HPB"),
    ("HPB", "ZPB"),
    ("WW", "PAB"),
    ("WW", "HPB"),
    ("WW", "FL"),
)
"""Pairs of codes; the second may not have more points than the first."""

Scoring = Mapping[str, int]
"""Points in tenths, by JaVaFo's code; ``X`` is a game with an unknown result."""


def _read_fide(line: Columns) -> Scoring:
    points: dict[str, int] = {}
    at = 4
    while rest := line.text[at:].strip():
        found = _PAIR.match(line.text, at)
        if found is None or found[1] not in _FIDE:
            column = len(line.text) - len(line.text[at:].lstrip()) + 1
            line.refuse(
                column, "SCORING", f"the scoring is {quote_text(rest)}", f"one of {' '.join(_FIDE)} and its points"
            )
        tenths = _read_points(line, found[2], found.start(2) + 1, found[1])
        points |= dict.fromkeys(_FIDE[found[1]], tenths)
        if found[1] == "W":
            points[_BYE_DEFAULT] = tenths
        at = found.end()
    return points


def _read_javafo(line: Columns) -> Scoring:
    points: dict[str, int] = {}
    for found in _JAVAFO_PAIR.finditer(line.text, 4):
        column, word = found.start() + 1, "".join(found[0].split())
        code, _, value = word.partition("=")
        if code not in _JAVAFO:
            expected = f"one of {' '.join(_JAVAFO)}, = and its points"
            line.refuse(column, "SCORING", f"the scoring is {quote_text(word)}", expected)
        tenths = _read_points(line, value, column + len(code) + 1, code)
        points |= dict.fromkeys(_JAVAFO[code], tenths)
    return points


def _read_bbp(line: Columns) -> Scoring:
    tenths = _read_points(line, line.take(5, len(line.text)), 5, line.tag)
    return dict.fromkeys(_BBP[line.tag], tenths) | ({_BYE_DEFAULT: tenths} if line.tag == "BBW" else {})


def _read_points(line: Columns, text: str, column: int, code: str) -> int:
    tenths = line.as_points(text, column, f"the scoring of {code}")
    if not 0 <= tenths <= MAX_POINTS_TENTHS:
        line.refuse(column, "SCORING", f"the scoring of {code} is {quote_text(text)}", "0 to 99.9 points")
    return tenths


SCORING: Mapping[str, Callable[[Columns], Scoring]] = {
    "162": _read_fide,
    "XXS": _read_javafo,
    **dict.fromkeys(_BBP, _read_bbp),
}
"""The parser of each tag on scoring."""


def build_points(scoring: Scoring, line: Columns | None) -> Points:
    """Build the points from all lines on scoring together; a missing code has its default points.

    ``line`` is the last of these lines. Raises ``TrfError`` for it if a better result has fewer points than a worse
    one, or a win no more than a loss.
    """
    points = {code: scoring.get(code, tenths) for code, tenths in _DEFAULTS.items()}
    points["PAB"] = scoring.get("PAB", scoring.get(_BYE_DEFAULT, points["PAB"]))
    if line is not None:
        _check_order(points, line)
    return Points(
        win=points["WW"],
        draw=points["WD"],
        loss=points["WL"],
        absence=points["ZPB"],
        allocated_bye=points["PAB"],
        unknown=scoring.get("X", points["WD"]),
        exceptions=tuple(
            (code, points[code]) for code, base in sorted(_EXCEPTIONS.items()) if points[code] != points[base]
        ),
    )


def _check_order(points: Scoring, line: Columns) -> None:
    def name(code: str) -> str:
        return f"{code}={points[code] // POINT_TENTHS_FACTOR}.{points[code] % POINT_TENTHS_FACTOR}"

    for higher, lower in _ORDER:
        if points[higher] < points[lower]:
            line.refuse(5, "SCORING", f"the scoring has {name(lower)}, more than {name(higher)}", "no more than that")
    for colour in "WB":
        win, loss = f"{colour}W", f"{colour}L"
        if points[win] == points[loss]:
            line.refuse(
                5, "SCORING", f"the scoring has {name(win)} and {name(loss)}", "a win that brings more than a loss"
            )


def list_codes(points: Points) -> Mapping[str, int]:
    """Return the points of each of JaVaFo's codes, in tenths."""
    codes = {"WW": points.win, "WD": points.draw, "WL": points.loss, "ZPB": points.absence, "PAB": points.allocated_bye}
    codes |= {code: codes[base] for code, base in _EXCEPTIONS.items()}
    return codes | dict(points.exceptions)


def list_unusual_codes(points: Points) -> Mapping[str, int]:
    """Return JaVaFo's codes without their default points; ``W`` and ``D`` stand for all their codes if equal."""
    codes = list_codes(points)
    unusual: dict[str, int] = {}
    for shortcut, group in (("W", _WIN), ("D", _DRAW)):
        if codes[group[0]] != _DEFAULTS[group[0]] and len({codes[code] for code in group}) == 1:
            unusual[shortcut] = codes[group[0]]
            codes = {code: tenths for code, tenths in codes.items() if code not in group}
    return unusual | {code: tenths for code, tenths in codes.items() if tenths != _DEFAULTS[code]}


def accelerate_baku(entered: Sequence[int], rounds: int) -> tuple[Fictitious, ...]:
    """Return the virtual points of the Baku method (FIDE C.04.5.1).

    ``entered`` are the starting numbers of the players that entered for the first round, in ascending order. The upper
    half of them, rounded up to an even number, has a point in the first half of the accelerated rounds and half a point
    in the others. The accelerated rounds are the first half of all rounds. Halves are rounded up. A late entry belongs
    to the upper half if its number is before that of the half's last player, which stays the same. Without players
    there are no virtual points.
    """
    if not entered:
        return ()
    upper = min(2 * ((len(entered) + 3) // 4), len(entered))
    last = entered[upper - 1]
    accelerated = (rounds + 1) // 2
    whole = (accelerated + 1) // 2
    entries = [Fictitious(POINT_TENTHS_FACTOR, 1, whole, 1, last)]
    if accelerated > whole:
        entries.append(Fictitious(POINT_TENTHS_FACTOR // 2, whole + 1, accelerated, 1, last))
    return tuple(entries)
