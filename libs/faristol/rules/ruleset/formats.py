"""Formats of a stage that an organiser chooses beside the system of the book: options of every book with pairings.

A book rules on games, and on the championship as it knows it. A stage of a larger event, such as a final of five games
or a group, has a format of its own, with the games of the book.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from faristol.kernel.refusal import N_
from faristol.rules.ruleset.options import Option, OptionValue, Value
from faristol.rules.ruleset.ruleset import Ruleset

OF_BOOK = "book"
"""The format of the book itself."""

_SYSTEM, _FEWEST_ROUNDS = "championship.system", "championship.rounds_min"
_SHORT: Mapping[str, Value] = MappingProxyType({_FEWEST_ROUNDS: 2, "championship.late_entry": "never"})

_FORMATS: Mapping[str, Mapping[str, Value]] = {
    OF_BOOK: {},
    "knock-out": {
        _SYSTEM: "knock-out",
        **_SHORT,
        _FEWEST_ROUNDS: 1,
        "championship.buchholz_cut": 0,
        "championship.tie_breaks": ("spread", "total"),
        "start.method": "draw-then-alternate",
    },
    "round-robin": {_SYSTEM: "round-robin", **_SHORT},
    "double-round-robin": {_SYSTEM: "double-round-robin", **_SHORT},
    "swiss": {_SYSTEM: "swiss", **_SHORT},
    "king-of-the-hill": {_SYSTEM: "king-of-the-hill", **_SHORT},
    "monrad": {_SYSTEM: "monrad", _FEWEST_ROUNDS: 2},
    "keizer": {
        _SYSTEM: "keizer",
        _FEWEST_ROUNDS: 2,
        "championship.buchholz_cut": 0,
        "championship.tie_breaks": ("keizer", "spread", "total"),
    },
    "scheveningen": {_SYSTEM: "scheveningen", **_SHORT},
}
"""The values of each format, as ``section.key`` → value."""

_OF_KNOCK_OUT: Mapping[str, Value] = MappingProxyType({_SYSTEM: "knock-out"})

MAX_MATCH_GAMES_COUNT = 15
"""Limit of games of a match of a knock-out."""

MAX_REPECHAGE_NUMBER = 6
"""Last level of a knock-out that can have a repechage."""

MAX_PLACED_COUNT = 64
"""Limit of places of a knock-out that are played off."""

MAX_BYE_SPREAD_POINTS = 200
"""Limit of the points on the spread for a bye."""

_WITHOUT_FORMATS = frozenset({"none", "lot", "duplicate"})
"""Systems of books whose tournaments have no pairs of opponents."""


def list_format_options(ruleset: Ruleset) -> tuple[Option, ...]:
    """Return the options for the format of a stage; none for a book without pairings."""
    return () if ruleset.championship.system in _WITHOUT_FORMATS else _OPTIONS


_NO_RANGE: Mapping[str, Any] = MappingProxyType(
    {"key": "", "choices": MappingProxyType({}), "least": None, "most": None, "may_be_none": False, "some_of": ()}
)
"""The fields of an option that is neither a choice nor a number."""


def _build_option(name: str, note: str, default: OptionValue, **fields: Any) -> Option:
    """Return an option of the organiser. Those of ``_KNOCK_OUT_OPTIONS`` apply to a knock-out only."""
    return Option(
        name=name,
        because="organiser",
        article="",
        note=note,
        default=default,
        required=False,
        when=_OF_KNOCK_OUT if name in _KNOCK_OUT_OPTIONS else MappingProxyType({}),
        **{**_NO_RANGE, **fields},
    )


def _choice(name: str, note: str, choices: Mapping[str, Mapping[str, Value]], default: str) -> Option:
    return _build_option(name, note, default, choices=MappingProxyType(choices))


def _number(name: str, note: str, default: int | None, least: int, most: int) -> Option:
    key = f"championship.{name}"
    return _build_option(name, note, default, key=key, least=least, most=most, may_be_none=default is None)


_KNOCK_OUT_OPTIONS = frozenset({"match_games", "final_games", "placed", "bracket", "match_tie", "repechage"})
"""The options that require the format of a knock-out."""

_OPTIONS = (
    _choice(
        "format",
        N_("A stage can have a format of its own, with the games of this book: such as a knock-out or a group."),
        _FORMATS,
        OF_BOOK,
    ),
    _number(
        "match_games",
        N_("Number of games of a match of a knock-out. A match ends as soon as it is decided."),
        1,
        1,
        MAX_MATCH_GAMES_COUNT,
    ),
    _number(
        "final_games",
        N_("Number of games of the final of a knock-out, if it differs."),
        None,
        1,
        MAX_MATCH_GAMES_COUNT,
    ),
    _number(
        "placed",
        N_("Number of places of a knock-out that are played off: 2 for the final only, 4 for the third place as well."),
        2,
        2,
        MAX_PLACED_COUNT,
    ),
    _choice(
        "bracket",
        N_("The players of a knock-out are placed by their seeds, or by lot."),
        {name: {"championship.bracket": name} for name in ("seeded", "drawn")},
        "seeded",
    ),
    _choice(
        "match_tie",
        N_("After a match of a knock-out with equal points, the sum of the spreads decides, or a further game."),
        {name: {"championship.match_tie": name} for name in ("spread", "game")},
        "spread",
    ),
    _number(
        "repechage",
        N_("The losers of this level of a knock-out have a second way in; 0 without a repechage."),
        0,
        0,
        MAX_REPECHAGE_NUMBER,
    ),
    _number(
        "bye_spread",
        N_("Points on the spread for the bye of the pairing, such as 50 in tournaments of other programs."),
        0,
        0,
        MAX_BYE_SPREAD_POINTS,
    ),
    _choice(
        "acceleration",
        N_("The first rounds of a Swiss tournament can be accelerated by virtual points for the upper half."),
        {name: {"championship.acceleration": name} for name in ("none", "baku")},
        "none",
    ),
)
"""The options, in the order in which they take effect."""

FORMAT_OPTIONS = frozenset(option.name for option in _OPTIONS)
"""The names of the options for the format of a stage."""
