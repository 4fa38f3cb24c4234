"""Replay of a file under its ruleset: the points of every line by the rules, compared with the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from faristol.kernel.quotation import quote_text
from faristol.kernel.refusal import Refusal
from faristol.rules.board import Board
from faristol.rules.conditions import EndCondition
from faristol.rules.gcg.game import Event, GcgError, GcgGame, GcgProblem, Pragma, RackPenalty, Wrong
from faristol.rules.gcg.table import GcgTable
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


@dataclass(frozen=True, slots=True)
class Step:
    """One replayed event. ``event`` is from the file, the rest is computed by the rules."""

    event: Event
    score: int
    """Points of the line."""
    total: int
    """The player's computed total after it."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A file, replayed up to its end or to the first illegal line."""

    game: GcgGame
    ruleset: Ruleset
    steps: tuple[Step, ...]
    totals: Mapping[str, int]
    """Points by nickname."""
    board: Board
    end: EndCondition | None
    """The end condition of the game; None if it is not over."""
    problems: tuple[GcgProblem, ...]
    """All errors, in the order of the lines."""


def replay(game: GcgGame, ruleset: Ruleset) -> Replay:
    """Replay ``game`` under ``ruleset``, compare every score and total, and continue after an error of arithmetic.

    An illegal line ends the replay. The points of failed challenges are taken from the file, as files do not name the
    variant. So are overtime, and the way in which the tiles left are counted.
    """
    first, second = game.players
    table = GcgTable((first.nick, second.nick), ruleset, twice=_twice(game, ruleset))
    written = dict.fromkeys(table.nicks, 0)
    steps: list[Step] = []
    problems: list[GcgProblem] = []
    for event in game.events:
        try:
            score = table.take(event)
        except Wrong as wrong:
            problems.append(wrong.at(event.line))
            break
        except Refusal as refusal:
            problems.append(GcgProblem(event.line, refusal.reason, str(refusal), article=refusal.article))
            break
        total = table.totals[event.nick]
        problems += _compare(event, score, total, written[event.nick] + event.score)
        written[event.nick] = event.total
        steps.append(Step(event, score, total))
    else:
        problems += _at_end(game, table)
    totals = MappingProxyType(dict(table.totals))
    return Replay(game, ruleset, tuple(steps), totals, table.board, table.end, tuple(problems))


def _compare(event: Event, score: int, total: int, carried: int) -> Iterator[GcgProblem]:
    """Yield differences from the file. ``carried`` is the total by the file's own earlier lines.

    A total that is wrong only as a consequence of a reported error is not reported again.
    """
    if event.score != score:
        yield GcgProblem(event.line, "SCORE", f"the score is written as {event.score:+}", f"{score:+}")
    if event.total not in (total, carried):
        yield GcgProblem(event.line, "TOTAL", f"the total of {event.nick} is written as {event.total}", f"{total}")


def _twice(game: GcgGame, ruleset: Ruleset) -> bool:
    """Check whether the player who goes out gets the opponent's rack twice. The file may deduct it nevertheless."""
    return ruleset.end.out_bonus == "twice-opponents-racks" and not any(
        isinstance(event, RackPenalty) for event in game.events
    )


def _at_end(game: GcgGame, table: GcgTable) -> list[GcgProblem]:
    """Return the problems that remain after the last line."""
    found = []
    if (missing := table.missing()) and not game.incomplete:
        last = game.events[-1].line
        message = f"the game is over ({table.end}) and the tiles left are not counted"
        found.append(GcgProblem(last, "RACKS_MISSING", message, f"after it {missing}"))
    racks: dict[str, str] = {}
    for player in game.players:
        pragma = game.pragma(f"rack{player.number}")
        if pragma is not None and pragma.text:
            racks[player.nick] = pragma.text
            try:
                table.check_racks(racks)
            except Wrong as wrong:
                found.append(wrong.at(pragma.line))
                break
    return found
