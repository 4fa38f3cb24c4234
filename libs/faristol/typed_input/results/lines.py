"""Results as typed in a prompt or a line of a file. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from unicodedata import combining

from faristol.kernel.quotation import quote_text, shorten_text
from faristol.kernel.refusal import N_, Param, fill

FORFEIT = "ff"
"""Mark instead of a score: the player loses without having played."""

UNSCORED_MARK = "-"
"""Mark instead of the winner's score in such a forfeit: the rule book has that score."""

UNSCORED_MARKS = frozenset((UNSCORED_MARK, "–"))
"""Accepted forms of that mark."""

ABANDONED_MARK = "a"
"""Mark behind a score: the player abandoned the game at that moment."""

_FORFEITS = frozenset((FORFEIT, "φφ", "фф", "аа"))
_ABANDONED_MARKS = frozenset((ABANDONED_MARK, "α", "а", "ф"))
"""Both marks on keyboards of other scripts: the letter of the same sound and that of the same key."""

YES = frozenset(("y", "yes", "s", "si", "ν", "ναι"))
NO = frozenset(("n", "no", "ο", "οχι"))
"""Yes and no in the supported languages, as ``folded`` returns them."""

MAX_TABLE_DIGITS = 9
"""Limit of a table number: Python refuses to parse integers of thousands of digits."""

_BETWEEN = re.compile(r"(?<=\w)\s*[–—:/,;]\s*(?=[\w-])|(?:(?<=[0-9])|(?<=[0-9][^\W\d_]))-(?=[0-9])|(?<=[0-9])\.$")
"""Separators of two scores, other than a space. A single hyphen may be a minus sign or part of a name."""

_APART = re.compile(r"(\s*[0-9]+[\s:,;]+[0-9]+[^\W\d_]?)\s+-\s+(?=[0-9])")
"""A table and the first of two scores with a hyphen between spaces behind it: ``11 412 - 378``."""

_SCORE_PATTERN = re.compile(r"([-−]?[0-9]{1,5})(\D?)")

NO_RESULT = N_("{given} is not a result: expected a table and its scores, such as 11 412 378, or only the scores")
NO_TABLE = N_("there is no table {table} in this round")
NO_SCORES = N_("expected {players} scores for table {table}, found {found}")
FORFEITS_HAVE_NONE = N_("the rules define the scores of a forfeit: write {expected} at table {table}")


class InvalidLine(Exception):
    """Invalid input: an English text marked with ``N_``, and its parameters."""

    def __init__(self, text: str, **params: Param) -> None:
        super().__init__(fill(text, params))
        self.text = text
        self.params = params


@dataclass(frozen=True, slots=True)
class Score:
    """Typed entry of one player: points, perhaps with an abandoned game; without points a forfeit lost or won."""

    points: int | None
    left: bool = False
    forfeit: bool = False

    @property
    def written(self) -> str:
        """Entry as typed."""
        if self.points is None:
            return FORFEIT if self.forfeit else UNSCORED_MARK
        return f"{self.points}{ABANDONED_MARK if self.left else ''}"


@dataclass(frozen=True, slots=True)
class ParsedResult:
    """Result of a table, its scores in the order of the pairing."""

    table: int
    scores: tuple[Score, ...]
    winner: str = ""
    """Typed winner, by a name or its beginning; may be empty."""

    @property
    def forfeit(self) -> bool:
        """True if the game was not played."""
        return any(score.forfeit for score in self.scores)

    @property
    def points(self) -> tuple[int, ...]:
        """Scores of a played game."""
        return tuple(score.points or 0 for score in self.scores)


@dataclass(frozen=True, slots=True)
class TableLookup:
    """Table number without scores: the user wants to see the table and enter or correct its result."""

    table: int


def read(line: str, players: Callable[[int], int], asked: int = 0) -> ParsedResult | TableLookup:
    """Parse a line. ``players`` returns the number of players at a table, 0 for no table; ``asked`` is the table asked.

    Scores without a table number are of that table. Raises ``InvalidLine`` if the line is invalid.
    """
    line = _plain(line)
    words = _forfeit(line) or _BETWEEN.sub(" ", _APART.sub(r"\1 ", line.strip(), count=1)).split()
    count = next((place for place, word in enumerate(words) if _score(word) is None), len(words))
    given, winner = words[:count], " ".join(words[count:])
    if winner[:1].isdigit():
        raise InvalidLine(NO_RESULT, given=quote_text(winner))
    if asked and len(given) == players(asked):
        return parse_result(asked, given, len(given), winner)
    if not given or not given[0].isdecimal():
        raise InvalidLine(NO_RESULT, given=quote_text(line.strip()))
    table = table_of(given[0], players)
    if len(given) == 1 and not winner:
        return TableLookup(table)
    return parse_result(table, given[1:], players(table), winner)


def _forfeit(line: str) -> list[str]:
    """Split a forfeit with commas, in which the winner's place may be empty: ``11,ff,``; empty for other lines."""
    words = [FORFEIT if is_forfeit(word) else word.strip() for word in re.split("[,;]", line)]
    table = words[:1] if words[0].isdecimal() else []
    seats = words[len(table) :]
    if FORFEIT not in seats or not {FORFEIT, *UNSCORED_MARKS, ""}.issuperset(seats):
        return []
    return [*table, *(word or UNSCORED_MARK for word in seats)]


def table_of(word: str, players: Callable[[int], int]) -> int:
    """Parse a table number. Raises ``InvalidLine`` if there is no such table."""
    if not word.isdecimal() or len(word) > MAX_TABLE_DIGITS or not players(int(word)):
        raise InvalidLine(NO_TABLE, table=shorten_text(word))
    return int(word)


def parse_result(table: int, words: Sequence[str], players: int, winner: str = "") -> ParsedResult:
    """Parse the result of a table, one word for each player. Raises ``InvalidLine`` if a word is invalid."""
    scores = [score for word in words if (score := _score(word)) is not None]
    if len(scores) < len(words):
        raise InvalidLine(NO_RESULT, given=quote_text(" ".join(words)))
    if len(scores) != players:
        raise InvalidLine(NO_SCORES, players=players, table=table, found=len(scores))
    if any(score.points is None for score in scores):
        words = [FORFEIT if score.forfeit else UNSCORED_MARK for score in scores]
        if FORFEIT not in words or any(score.points is not None for score in scores):
            expected = words if FORFEIT in words else [FORFEIT, *words[1:]]
            raise InvalidLine(FORFEITS_HAVE_NONE, expected=" ".join(expected), table=table)
    return ParsedResult(table, tuple(scores), winner)


def seat_in_doubt(words: Sequence[str]) -> int:
    """Return the index of the word that ``parse_result`` refused; the last one if no single word is wrong."""
    scores = [_score(word) for word in words]
    if None in scores:
        return scores.index(None)
    if any(score and score.points is None for score in scores):
        return next((place for place, score in enumerate(scores) if score and score.points is not None), 0)
    return max(len(words) - 1, 0)


def is_forfeit(word: str) -> bool:
    """Check whether a word means that a player was absent, on any keyboard."""
    return _key(word) in _FORFEITS


def _plain(text: str) -> str:
    """Return a text with full-width characters as their usual forms (Unicode NFKC)."""
    return unicodedata.normalize("NFKC", text)


def _key(word: str) -> str:
    """Return a word as compared: without case and accents."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", word.strip().casefold()) if not combining(sign))


def _score(word: str) -> Score | None:
    if is_forfeit(word):
        return Score(None, forfeit=True)
    word = _plain(word).strip()
    if word in UNSCORED_MARKS:
        return Score(None)
    found = _SCORE_PATTERN.fullmatch(_key(word))
    if not found or (found[2] and found[2] not in _ABANDONED_MARKS):
        return None
    return Score(int(found[1].replace("−", "-")), left=bool(found[2]))
