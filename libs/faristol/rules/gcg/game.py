"""A GCG file as data: its lines, typed, and its errors.

Tiles are stored as written in the file, because they depend on the tile set: ``faristol.rules.gcg.tiles`` reads them.
Line numbers are not compared: two games that differ only in them are equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from faristol.rules.notation import Start


@dataclass(frozen=True, slots=True)
class GcgProblem:
    """One error in a file.

    ``reason`` is a code for programs (``OFF_TURN``), ``message`` describes the content found, ``expected`` the correct
    content (empty if the message has it). ``article`` is the article that a play breaks, or empty.
    """

    line: int
    """Line number from 1."""
    reason: str
    message: str
    expected: str = ""
    article: str = ""

    def __str__(self) -> str:
        text = self.message.rstrip(".")
        return f"{text}; expected {self.expected}" if self.expected else text


class GcgError(ValueError):
    """A file that cannot be read as a game. ``problem`` has the line and the reason."""

    def __init__(self, problem: GcgProblem) -> None:
        self.problem = problem
        super().__init__(f"line {problem.line}: {problem}")


class Wrong(Exception):
    """A problem without its line number, which the caller adds."""

    def __init__(self, reason: str, message: str, expected: str = "") -> None:
        self.reason, self.message, self.expected = reason, message, expected
        super().__init__(message)

    def at(self, line: int) -> GcgProblem:
        """Return the problem with the number ``line``."""
        return GcgProblem(line, self.reason, self.message, self.expected)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Numbered:
    line: int = field(default=0, compare=False)
    """Line number in the file, from 1; 0 without a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GcgPlayer(_Numbered):
    """``#player1 nick Full Name``. Events name the player by ``nick``, which has no space."""

    number: int
    """1 or 2."""
    nick: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pragma(_Numbered):
    """Any other ``#keyword text``. Unknown keywords are stored too."""

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
    """Points of the line, negative for a deduction."""
    total: int
    """The player's total after it."""
    remark: str = ""
    """Text after the total: some programs name the cross words there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _WithRack(_Event):
    rack: str | None
    """The player's rack before it; None if the line has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Play(_WithRack):
    """``>nick: RACK 8H WORD +score total``.

    ``.`` and ``(X)`` in the word are tiles of the board; some programs write only their letters.
    """

    start: Start
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange(_WithRack):
    """``>nick: RACK -TILES +0 total``, or ``-3`` if only their number is known: then ``tiles`` is empty."""

    tiles: str
    count: int
    """Number of tiles exchanged if they are unknown, else 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass(_WithRack):
    """``>nick: RACK - +0 total``: a pass, or a turn lost by a failed challenge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal(_WithRack):
    """``>nick: RACK -- -score total``: the play before it was challenged and removed from the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge(_WithRack):
    """``>nick: RACK (challenge) +5 total``: a failed challenge; the mover gains or the challenger loses points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePenalty(_WithRack):
    """``>nick: RACK (time) -10 total``: overtime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RackPoints(_Event):
    """``>nick: (TILES) +n total``: the player went out and gets the points of the opponent's rack, or twice that."""

    tiles: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RackPenalty(_WithRack):
    """``>nick: RACK (RACK) -n total``: the tiles left on the player's rack."""

    tiles: str


Event: TypeAlias = Play | Exchange | Pass | Withdrawal | Challenge | TimePenalty | RackPoints | RackPenalty
Line: TypeAlias = GcgPlayer | Pragma | Note | Event

GCG_EVENT_TYPES = (Play, Exchange, Pass, Withdrawal, Challenge, TimePenalty, RackPoints, RackPenalty)


@dataclass(frozen=True)
class GcgGame:
    """A game of a file: two players before the first event, and the lines in their order."""

    lines: tuple[Line, ...]

    @property
    def players(self) -> tuple[GcgPlayer, GcgPlayer]:
        """Player 1 and player 2."""
        first, second = sorted(
            (line for line in self.lines if isinstance(line, GcgPlayer)), key=lambda player: player.number
        )
        return first, second

    @property
    def events(self) -> tuple[Event, ...]:
        """The events, in order."""
        return tuple(line for line in self.lines if isinstance(line, GCG_EVENT_TYPES))

    def pragma(self, keyword: str) -> Pragma | None:
        """Return the last pragma with that keyword, in any case, or None."""
        found = [line for line in self.lines if isinstance(line, Pragma) and line.keyword.casefold() == keyword]
        return found[-1] if found else None

    @property
    def incomplete(self) -> bool:
        """Whether the file declares that the game is incomplete (``#incomplete``)."""
        return self.pragma("incomplete") is not None
