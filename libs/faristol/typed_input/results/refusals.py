"""Refusals of results in the terms of the input. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from faristol.kernel.refusal import N_
from faristol.text import say
from faristol.typed_input.results.lines import ABANDONED_MARK, FORFEIT

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
