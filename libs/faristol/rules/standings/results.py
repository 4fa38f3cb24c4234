"""Results of the rounds, as standings take them in."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol


class Bye(StrEnum):
    """Why a player sits a round out, and what for."""

    ALLOCATED = "allocated"
    """The pairing left the player without an opponent."""
    HALF_POINT = "half-point"
    FULL_POINT = "full-point"
    ZERO_POINT = "zero-point"


class Outcome(StrEnum):
    """What a round is to one player."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


class Result(NamedTuple):
    """The result of one pairing of a round. ``second`` is None where there is no opponent. Rounds from 1."""

    round: int
    first: str
    second: str | None
    first_score: int
    second_score: int
    outcomes: tuple[Outcome, Outcome]
    """To the first player and to the second."""
    played: bool = True
    """A game was begun; not so for byes and forfeits."""
    sat_out: Bye | None = None
    """The kind of a bye; None for a pairing."""

    @classmethod
    def of_game(cls, round_: int, first: str, second: str, first_score: int, second_score: int) -> Result:
        """A game that was played, won by the higher score after deductions."""
        return cls(round_, first, second, first_score, second_score, _by_score(first_score, second_score))

    @classmethod
    def of_table(
        cls,
        round_: int,
        first: str,
        second: str,
        first_score: int,
        second_score: int,
        *,
        winner: str,
        lost_by_all: bool,
        played: bool = True,
    ) -> Result:
        """A game as its table decided it: ``winner`` need not have the higher score (FISC I.8.E), and all may lose.

        Without a ``winner`` the higher score wins, and equal scores are a draw. A forfeit is not ``played``.
        """
        if lost_by_all:
            outcomes = _BOTH_LOST
        elif winner:
            outcomes = _FIRST_WON if winner == first else _SECOND_WON
        else:
            outcomes = _by_score(first_score, second_score)
        return cls(round_, first, second, first_score, second_score, outcomes, played)

    @classmethod
    def bye(cls, round_: int, player: str, kind: Bye = Bye.ALLOCATED) -> Result:
        """A round that ``player`` sits out."""
        outcome = {Bye.HALF_POINT: Outcome.DRAW, Bye.ZERO_POINT: Outcome.LOSS}.get(kind, Outcome.WIN)
        return cls(round_, player, None, 0, 0, (outcome, Outcome.LOSS), played=False, sat_out=kind)

    @classmethod
    def without_opponent(cls, round_: int, player: str) -> Result:
        """A board that ``player`` wins without a game: the other team has nobody for it (FISE 4.4)."""
        return cls(round_, player, None, 0, 0, (Outcome.WIN, Outcome.LOSS), played=False)

    @classmethod
    def forfeit(cls, round_: int, winner: str, loser: str) -> Result:
        """A game that never began because ``loser`` was not there."""
        return cls(round_, winner, loser, 0, 0, (Outcome.WIN, Outcome.LOSS), played=False)


_FIRST_WON, _SECOND_WON = (Outcome.WIN, Outcome.LOSS), (Outcome.LOSS, Outcome.WIN)
_DRAWN, _BOTH_LOST = (Outcome.DRAW, Outcome.DRAW), (Outcome.LOSS, Outcome.LOSS)


def _by_score(first: int, second: int) -> tuple[Outcome, Outcome]:
    if first == second:
        return _DRAWN
    return _FIRST_WON if first > second else _SECOND_WON


@dataclass(frozen=True, slots=True)
class TableResult:
    """The scores of a table of more than two, in the order of its seats. Rounds count from 1.

    Such a table gives no points of the championship: it enters the ranking by its scores (FM 17).
    """

    round: int
    scores: tuple[tuple[str, int], ...]
    """Players and their scores after deductions."""
    winner: str = ""
    """Who won; empty where that is the highest score of who did not lose by decision."""
    losers: frozenset[str] = frozenset()
    """Who left the game, or lost it by decision: none of them wins, whatever the score. When all did, all lose."""
    played: bool = True
    """A game was begun. One that was not is no game for anybody at the table, and its scores count nowhere."""


@dataclass(frozen=True, slots=True)
class SpreadAdjustment:
    """What was added to a player's spread beside their games, below 0 for what was taken off (PES Δ.ε, Ζ)."""

    round: int
    player: str
    points: int
    sanction: bool = False
    """By a sanction, or one that was lifted: it counts in the total as well."""


class OfRound(Protocol):
    """What a round adds to the standings. What is the same object as before has the same in it."""

    @property
    def round(self) -> int:
        """Its number, from 1."""

    @property
    def results(self) -> Iterable[Result | TableResult]:
        """The results of its tables, and who sat it out."""

    @property
    def pending(self) -> Collection[tuple[str, int]]:
        """Who waits for the result of it, each with its number."""

    @property
    def adjustments(self) -> Iterable[SpreadAdjustment]:
        """What was added to spreads."""
