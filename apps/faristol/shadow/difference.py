"""A difference between the tournament of another program and the same tournament here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from faristol.kernel.refusal import Param
from faristol.rules import Ruleset
from faristol.rules.tournament_files import FileRound

_GENERAL_ARTICLES: Mapping[str, str] = {
    **dict.fromkeys(("championship.system", "championship.bye"), "FIDE C.04.1"),
    **dict.fromkeys(("championship.tie_breaks", "championship.bye_spread"), "FIDE C.07"),
    "championship.win": "FIDE C.07",
    "championship.late_entry": "FIDE C.04.2",
}
"""Articles of FIDE on what a book leaves to the general rules of tournaments."""


def cite_rule(ruleset: Ruleset, key: str) -> str:
    """Return the article of a value such as ``championship.bye``; that of FIDE if the book is silent."""
    return ruleset.article(key) or _GENERAL_ARTICLES.get(key, "")


class DifferenceKind(StrEnum):
    """The subject of a difference."""

    UNREADABLE = "unreadable"
    """The file is malformed, or contradicts itself."""
    FILE = "file"
    """The two sides of a game differ in the file, or a value is hardly possible."""
    PLAYER = "player"
    """A player is registered on one side only."""
    RATING = "rating"
    WITHDRAWAL = "withdrawal"
    ROUND = "round"
    """A round is paired on one side only."""
    PAIRING = "pairing"
    BYE = "bye"
    START = "start"
    RESULT = "result"
    FORFEIT = "forfeit"
    REMATCH = "rematch"
    POINTS = "points"
    SPREAD = "spread"
    RANK = "rank"
    """The order by the tie-breaks."""
    CHANGED = "changed"
    """A round with all results differs from an earlier reading."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that is not translated yet."""

    message: str
    params: Mapping[str, Param] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SideRound:
    """The round of a player on one side, with the name of the opponent."""

    cell: FileRound
    opponent: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. ``there`` is the other program, ``here`` is this one."""

    kind: DifferenceKind
    sentence: Sentence
    article: str = ""
    """Article of the rule book; empty where it is silent, and for a difference of data."""
    round: int = 0
    """From 1; 0 for none."""
    name: str = ""
    """Name of the player; empty for none."""
    there: SideRound | None = None
    here: SideRound | None = None
    """The two sides that the sentence names as ``there`` and ``here``."""
    reason: Sentence | None = None
    """Why the rules have it so."""

    @property
    def key(self) -> tuple[str, int, str, str]:
        """Kind, round, player and sentence: equal for one difference in two readings."""
        return self.kind.value, self.round, self.name, self.sentence.message
