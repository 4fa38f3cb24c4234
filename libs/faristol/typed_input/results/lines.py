"""Results as typed in a prompt or a line of a file. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from unicodedata import combining

from faristol.kernel.quotation import quoted, shown
from faristol.kernel.refusal import N_, Param, fill

FORFEIT = "ff"
"""Mark instead of a score: the player loses without having played."""

NOTHING = "-"
"""Mark instead of the winner's score in such a forfeit: the rule book has that score."""

CAME = frozenset((NOTHING, "–"))
"""Accepted forms of that mark."""

LEFT = "a"
"""Mark behind a score: the player abandoned the game at that moment."""

_FORFEITS = frozenset((FORFEIT, "φφ", "фф", "аа"))
_LEFTS = frozenset((LEFT, "α", "а", "ф"))
"""Both marks on keyboards of other scripts: the letter of the same sound and that of the same key."""

YES = frozenset(("y", "yes", "s", "si", "ν", "ναι"))
NO = frozenset(("n", "no", "ο", "οχι"))
"""Yes and no in the supported languages, as ``folded`` returns them."""

MOST_DIGITS = 9
"""Limit of a table number: Python refuses to parse integers of thousands of digits."""

_BETWEEN = re.compile(r"(?<=\w)\s*[–:/,;]\s*(?=[\w-])|(?:(?<=[0-9])|(?<=[0-9][^\W\d_]))-(?=[0-9])")
"""Separators of two scores besides a space. A single hyphen may be a minus sign or part of a name."""

_SCORE = re.compile(r"([-−]?[0-9]{1,5})(\D?)")

NO_RESULT = N_("{given} is not a result: expected a table and its scores, such as 11 412 378, or only the scores")
NO_TABLE = N_("there is no table {table} in this round")
NO_SCORES = N_("expected {players} scores for table {table}, found {found}")
FORFEITS_HAVE_NONE = N_("the rules define the scores of a forfeit: write {expected} at table {table}")


class Slip(Exception):
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
            return FORFEIT if self.forfeit else NOTHING
        return f"{self.points}{LEFT if self.left else ''}"


@dataclass(frozen=True, slots=True)
class Given:
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
class Look:
    """Table number without scores: the user wants to see the table and enter or correct its result."""

    table: int


def read(line: str, players: Callable[[int], int], asked: int = 0) -> Given | Look:
    """Parse a line. ``players`` returns the number of players at a table, 0 for no table; ``asked`` is the table asked.

    Scores without a table number are of that table. Raises ``Slip`` if the line is invalid.
    """
    line = _plain(line)
    words = _forfeit(line) or _BETWEEN.sub(" ", line.strip()).split()
    count = next((place for place, word in enumerate(words) if _score(word) is None), len(words))
    said, winner = words[:count], " ".join(words[count:])
    if winner[:1].isdigit():
        raise Slip(NO_RESULT, given=quoted(winner))
    if asked and len(said) == players(asked):
        return given(asked, said, len(said), winner)
    if not said or not said[0].isdecimal():
        raise Slip(NO_RESULT, given=quoted(line.strip()))
    table = table_of(said[0], players)
    if len(said) == 1 and not winner:
        return Look(table)
    return given(table, said[1:], players(table), winner)


def _forfeit(line: str) -> list[str]:
    """Split a forfeit with commas, in which the winner's place may be empty: ``11,ff,``; empty for other lines."""
    words = [FORFEIT if is_forfeit(word) else word.strip() for word in re.split("[,;]", line)]
    table = words[:1] if words[0].isdecimal() else []
    seats = words[len(table) :]
    if FORFEIT not in seats or not {FORFEIT, *CAME, ""}.issuperset(seats):
        return []
    return [*table, *(word or NOTHING for word in seats)]


def table_of(word: str, players: Callable[[int], int]) -> int:
    """Parse a table number. Raises ``Slip`` if there is no such table."""
    if not word.isdecimal() or len(word) > MOST_DIGITS or not players(int(word)):
        raise Slip(NO_TABLE, table=shown(word))
    return int(word)


def given(table: int, words: Sequence[str], players: int, winner: str = "") -> Given:
    """Parse the result of a table, one word for each player. Raises ``Slip`` if a word is invalid."""
    scores = [score for word in words if (score := _score(word)) is not None]
    if len(scores) < len(words):
        raise Slip(NO_RESULT, given=quoted(" ".join(words)))
    if len(scores) != players:
        raise Slip(NO_SCORES, players=players, table=table, found=len(scores))
    if any(score.points is None for score in scores):
        words = [FORFEIT if score.forfeit else NOTHING for score in scores]
        if FORFEIT not in words or any(score.points is not None for score in scores):
            expected = words if FORFEIT in words else [FORFEIT, *words[1:]]
            raise Slip(FORFEITS_HAVE_NONE, expected=" ".join(expected), table=table)
    return Given(table, tuple(scores), winner)


def seat_in_doubt(words: Sequence[str]) -> int:
    """Return the index of the word that ``given`` refused; the last one if no single word is wrong."""
    scores = [_score(word) for word in words]
    if None in scores:
        return scores.index(None)
    if any(score and score.points is None for score in scores):
        return next((place for place, score in enumerate(scores) if score and score.points is not None), 0)
    return max(len(words) - 1, 0)


def is_forfeit(word: str) -> bool:
    """Check whether a word means that a player did not come, on any keyboard."""
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
    if word in CAME:
        return Score(None)
    found = _SCORE.fullmatch(_key(word))
    if not found or (found[2] and found[2] not in _LEFTS):
        return None
    return Score(int(found[1].replace("−", "-")), left=bool(found[2]))
