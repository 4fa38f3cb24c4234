"""The ruleset of a file: options that a ruleset leaves open are taken from the file."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.kernel.quotation import quote_text
from faristol.rules.gcg.game import GcgGame, Pragma
from faristol.rules.gcg.problem import GcgError, GcgProblem
from faristol.rules.ruleset.options import OptionValue
from faristol.rules.ruleset.ruleset import Ruleset
from faristol.rules.ruleset.with_options import with_options

LANGUAGES = {
    "catalan": "ca-100",
    "català": "ca-100",
    "english": "en-100",
    "greek": "el-104",
    "ελληνικά": "el-104",
    "spanish": "es-100",
    "español": "es-100",
}
"""Names of tile distributions in files, and the names of our tile sets."""

_KEYWORDS = ("tile-set", "tile-distribution")


def tile_set_named(game: GcgGame) -> tuple[Pragma, str] | None:
    """Return the pragma that names the tiles, and the name of our tile set; None without a known name."""
    for keyword in _KEYWORDS:
        pragma = game.pragma(keyword)
        word = (pragma.text.casefold().split() or [""])[0] if pragma else ""
        name = LANGUAGES.get(word, word)
        if pragma and name in LANGUAGES.values():
            return pragma, name
    return None


def adapt_ruleset(ruleset: Ruleset, game: GcgGame, options: Mapping[str, OptionValue] | None = None) -> Ruleset:
    """Return ``ruleset`` with the file's tiles and a tournament's way of ending, if these are options.

    ``options`` are a person's choices and have priority. Raises ``GcgError`` if the rules are not played with the
    file's tiles or these are not known, ``Refusal`` for unknown options.
    """
    known = {option.name for option in ruleset.options}
    named = tile_set_named(game)
    if named is None and "tiles" not in (options or {}):
        _check_no_tiles_named(game)
    chosen: dict[str, OptionValue] = {}
    if "ending" in known:
        chosen["ending"] = "tournament"
    if named and "tiles" in known:
        chosen["tiles"] = named[1]
    made = with_options(ruleset, chosen | dict(options or {}))
    if named and named[1] != made.game.tile_set:
        pragma, _ = named
        message = f"the file is played with {quote_text(pragma.text)}"
        raise GcgError(GcgProblem(pragma.line, "TILE_SET", message, f"{made.game.tile_set}, the tiles of {made.name}"))
    return made


def _check_no_tiles_named(game: GcgGame) -> None:
    """Raise ``GcgError`` if the file names tiles, which are then not known: its racks and scores need them."""
    for keyword in _KEYWORDS:
        if (pragma := game.pragma(keyword)) and pragma.text.strip():
            message = f"the file is played with {quote_text(pragma.text)}, tiles that are not known"
            expected = f"{', '.join(name for name in LANGUAGES if name.isascii())}, or the option tiles"
            raise GcgError(GcgProblem(pragma.line, "TILE_SET", message, expected))
