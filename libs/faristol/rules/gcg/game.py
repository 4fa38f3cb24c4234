"""A GCG file as data: its lines, typed.

Tiles are kept as the file writes them, because only a set of tiles can say which they are: ``faristol.rules.gcg.tiles``
reads them. The number of a line is not part of what it says: two games that differ in it alone are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from faristol.rules.notation import Start


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbered:
    line: int = field(default=0, compare=False)
    """Where it stands in the file, from 1; 0 for what was never in one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Player(_Numbered):
    """``#player1 nick Full Name``. Events name the player by ``nick``, which has no space."""

    number: int
    """1 or 2."""
    nick: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pragma(_Numbered):
    """Any other ``#keyword text``. Unknown keywords are kept as well."""

    keyword: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note(_Numbered):
    """``#note text``, of one line or several, about the event before it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Event(_Numbered):
    nick: str
    score: int
    """Points that the line adds, below 0 for what it takes off."""
    total: int
    """The player's points after it."""
    remark: str = ""
    """What follows the total: some programs name the words across there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _WithRack(_Event):
    rack: str | None
    """What the player held before; None where the line does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Play(_WithRack):
    """``>nick: RACK 8H WORD +score total``.

    ``.`` and ``(X)`` in the word are tiles that lay there before; some programs write their letters alone.
    """

    start: Start
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(_WithRack):
    """``>nick: RACK -TILES +0 total``, or ``-3`` where only their number is known: then ``tiles`` is empty."""

    tiles: str
    count: int
    """How many were exchanged where that is all that is known, else 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass(_WithRack):
    """``>nick: RACK - +0 total``: a turn given away, or lost by a challenge that failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal(_WithRack):
    """``>nick: RACK -- -score total``: the play before it was challenged and came off the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge(_WithRack):
    """``>nick: RACK (challenge) +5 total``: what a failed challenge gave the mover or, below 0, cost the challenger."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePenalty(_WithRack):
    """``>nick: RACK (time) -10 total``: overtime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RackPoints(_Event):
    """``>nick: (TILES) +n total``: the player went out and gets what the other's rack is worth, or twice that."""

    tiles: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RackPenalty(_WithRack):
    """``>nick: RACK (RACK) -n total``: the tiles that the player was left with."""

    tiles: str


Event: TypeAlias = Play | Exchange | Pass | Withdrawal | Challenge | TimePenalty | RackPoints | RackPenalty
Line: TypeAlias = Player | Pragma | Note | Event

EVENTS = (Play, Exchange, Pass, Withdrawal, Challenge, TimePenalty, RackPoints, RackPenalty)


@dataclass(frozen=True)
class GcgGame:
    """A game as a file tells it: two players before the first event, and the lines in their order."""

    lines: tuple[Line, ...]

    @property
    def players(self) -> tuple[Player, Player]:
        """Player 1 and player 2."""
        first, second = sorted(
            (line for line in self.lines if isinstance(line, Player)), key=lambda player: player.number
        )
        return first, second

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order."""
        return tuple(line for line in self.lines if isinstance(line, EVENTS))

    def pragma(self, keyword: str) -> Pragma | None:
        """The last pragma of that keyword, capitals or not, or None."""
        found = [line for line in self.lines if isinstance(line, Pragma) and line.keyword.casefold() == keyword]
        return found[-1] if found else None

    @property
    def incomplete(self) -> bool:
        """Whether the file says itself that the game is not told to its end (``#incomplete``)."""
        return self.pragma("incomplete") is not None
