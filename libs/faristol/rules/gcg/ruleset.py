"""Rules for a file: what a ruleset leaves open is taken from the file."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.quotation import quoted
from faristol.rules.gcg.game import GcgGame, Pragma
from faristol.rules.gcg.problem import GcgError, Problem
from faristol.rules.options import OptionValue
from faristol.rules.ruleset import Ruleset
from faristol.rules.with_options import with_options

LANGUAGES = {
    "catalan": "ca-100",
    "català": "ca-100",
    "english": "en-100",
    "greek": "el-104",
    "ελληνικά": "el-104",
    "spanish": "es-100",
    "español": "es-100",
}
"""The words by which programs name a distribution of tiles, and our sets."""

_KEYWORDS = ("tile-set", "tile-distribution")


def tile_set_named(game: GcgGame) -> tuple[Pragma, str] | None:
    """The pragma that names the tiles, and our name of that set; None when none does, or none that is known here."""
    for keyword in _KEYWORDS:
        pragma = game.pragma(keyword)
        word = (pragma.text.casefold().split() or [""])[0] if pragma else ""
        name = LANGUAGES.get(word, word)
        if pragma and name in LANGUAGES.values():
            return pragma, name
    return None


def suited(ruleset: Ruleset, game: GcgGame, options: Mapping[str, OptionValue] | None = None) -> Ruleset:
    """``ruleset`` with the tiles that the file names and an ending as tournaments have it, where those are options.

    ``options`` are what a person chose, and come first. Raises ``GcgError`` when the file names tiles that the
    rules are not played with, ``Refusal`` for options that the ruleset does not have.
    """
    known = {option.name for option in ruleset.options}
    named = tile_set_named(game)
    chosen: dict[str, OptionValue] = {}
    if "ending" in known:
        chosen["ending"] = "tournament"
    if named and "tiles" in known:
        chosen["tiles"] = named[1]
    made = with_options(ruleset, chosen | dict(options or {}))
    if named and named[1] != made.game.tile_set:
        pragma, _ = named
        message = f"the file is played with {quoted(pragma.text)}"
        raise GcgError(Problem(pragma.line, "TILE_SET", message, f"{made.game.tile_set}, the tiles of {made.name}"))
    return made
