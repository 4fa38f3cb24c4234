"""What is typed for a result, or stands in a line of a file. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from unicodedata import combining

from faristol.kernel.quotation import quoted, shown
from faristol.kernel.refusal import N_, Param, fill

FORFEIT = "ff"
"""Instead of a score: the player loses without having played."""

NOTHING = "-"
"""Instead of the score of who wins by such a forfeit, which is in the book."""

CAME = frozenset((NOTHING, "–"))
"""As which it is written."""

LEFT = "a"
"""Behind a score: the player abandoned the game at that moment."""

_FORFEITS = frozenset((FORFEIT, "φφ", "фф", "аа"))
_LEFTS = frozenset((LEFT, "α", "а", "ф"))
"""The two signs as keyboards of other scripts give them: the letter of the same sound, and that of the same key."""

YES = frozenset(("y", "yes", "s", "si", "ν", "ναι"))
NO = frozenset(("n", "no", "ο", "οχι"))
"""Yes and no in the languages there are, as ``folded`` gives them."""

MOST_DIGITS = 9
"""Of the number of a table: Python refuses to read one of thousands."""

_BETWEEN = re.compile(r"(?<=\w)\s*[–:/,;]\s*(?=[\w-])|(?:(?<=[0-9])|(?<=[0-9][^\W\d_]))-(?=[0-9])")
"""What may stand between two scores instead of a blank; a hyphen alone may be a sign, or part of a name."""

_SCORE = re.compile(r"([-−]?[0-9]{1,5})(\D?)")

NO_RESULT = N_("{given} is not a result: expected a table and its scores, as 11 412 378, or the scores alone")
NO_TABLE = N_("there is no table {table} in this round")
NO_SCORES = N_("expected {players} scores of table {table}, and found {found}")
FORFEITS_HAVE_NONE = N_("the scores of a forfeit are in the book: write {expected} at table {table}")


class Slip(Exception):
    """What is typed cannot be read: an English text, marked with ``N_``, and what fills its places."""

    def __init__(self, text: str, **params: Param) -> None:
        super().__init__(fill(text, params))
        self.text = text
        self.params = params


@dataclass(frozen=True, slots=True)
class Score:
    """What is said of a player: points, and whether they left the game; without points they lose by forfeit, or win."""

    points: int | None
    left: bool = False
    forfeit: bool = False

    @property
    def written(self) -> str:
        """As it is typed."""
        if self.points is None:
            return FORFEIT if self.forfeit else NOTHING
        return f"{self.points}{LEFT if self.left else ''}"


@dataclass(frozen=True, slots=True)
class Given:
    """The result of a table, its scores in the order of the pairing."""

    table: int
    scores: tuple[Score, ...]
    winner: str = ""
    """Who is said to have won, by a name or the beginning of it; may be empty."""

    @property
    def forfeit(self) -> bool:
        """The game was not played."""
        return any(score.forfeit for score in self.scores)

    @property
    def points(self) -> tuple[int, ...]:
        """The scores of a game that was played."""
        return tuple(score.points or 0 for score in self.scores)


@dataclass(frozen=True, slots=True)
class Look:
    """A table alone: the person wants to see it, and enter or correct its result."""

    table: int


def read(line: str, players: Callable[[int], int], asked: int = 0) -> Given | Look:
    """Read a line. ``players`` gives the number of players at a table, 0 for no table; ``asked`` is the table asked.

    Scores alone are of the table asked. Raises ``Slip`` for what cannot be read.
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
    """The words of a forfeit with commas, where the place of who came may be empty: ``11,ff,``; none of other lines."""
    words = [FORFEIT if is_forfeit(word) else word.strip() for word in re.split("[,;]", line)]
    table = words[:1] if words[0].isdecimal() else []
    seats = words[len(table) :]
    if FORFEIT not in seats or not {FORFEIT, *CAME, ""}.issuperset(seats):
        return []
    return [*table, *(word or NOTHING for word in seats)]


def table_of(word: str, players: Callable[[int], int]) -> int:
    """The number of a table. Raises ``Slip`` where there is no such table."""
    if not word.isdecimal() or len(word) > MOST_DIGITS or not players(int(word)):
        raise Slip(NO_TABLE, table=shown(word))
    return int(word)


def given(table: int, words: Sequence[str], players: int, winner: str = "") -> Given:
    """The result of a table in words, one for each of its players. Raises ``Slip`` for words that are none."""
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
    """The place of the word that ``given`` did not take, from 0; the last one where it is none of them alone."""
    scores = [_score(word) for word in words]
    if None in scores:
        return scores.index(None)
    if any(score and score.points is None for score in scores):
        return next((place for place, score in enumerate(scores) if score and score.points is not None), 0)
    return max(len(words) - 1, 0)


def is_forfeit(word: str) -> bool:
    """Whether a word says that a player did not come, by any keyboard."""
    return _key(word) in _FORFEITS


def _plain(text: str) -> str:
    """A text with the letters, digits and signs of full width as the usual ones (Unicode NFKC)."""
    return unicodedata.normalize("NFKC", text)


def _key(word: str) -> str:
    """A word as it is compared: without case and accents."""
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
