"""Results of the rounds, as input of standings."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from faristol.kernel.byes import Bye


class RoundOutcome(StrEnum):
    """The outcome of a round for one player."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"


class Result(NamedTuple):
    """The result of one pairing of a round, from 1. ``second`` is None without an opponent."""

    round: int
    first: str
    second: str | None
    first_score: int
    second_score: int
    outcomes: tuple[RoundOutcome, RoundOutcome]
    """The outcomes of the first and the second player."""
    played: bool = True
    """Whether a game was begun; False for byes and forfeits."""
    sat_out: Bye | None = None
    """The kind of a bye; None for a pairing."""

    @classmethod
    def of_game(cls, round_: int, first: str, second: str, first_score: int, second_score: int) -> Result:
        """Create the result of a played game, won by the higher score after deductions."""
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
        """Create the result of a game: ``winner`` need not have the higher score (FISC I.8.E), and all may lose.

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
        """Create the result of a bye of ``player``."""
        outcome = {Bye.HALF_POINT: RoundOutcome.DRAW, Bye.ZERO_POINT: RoundOutcome.LOSS}.get(kind, RoundOutcome.WIN)
        return cls(round_, player, None, 0, 0, (outcome, RoundOutcome.LOSS), played=False, sat_out=kind)

    @classmethod
    def without_opponent(cls, round_: int, player: str) -> Result:
        """Create the result of a board won without a game: the other team has no player for it (FISE 4.4)."""
        return cls(round_, player, None, 0, 0, (RoundOutcome.WIN, RoundOutcome.LOSS), played=False)

    @classmethod
    def forfeit(cls, round_: int, winner: str, loser: str) -> Result:
        """Create the result of a game that did not begin because ``loser`` was absent."""
        return cls(round_, winner, loser, 0, 0, (RoundOutcome.WIN, RoundOutcome.LOSS), played=False)


_FIRST_WON, _SECOND_WON = (RoundOutcome.WIN, RoundOutcome.LOSS), (RoundOutcome.LOSS, RoundOutcome.WIN)
_DRAWN, _BOTH_LOST = (RoundOutcome.DRAW, RoundOutcome.DRAW), (RoundOutcome.LOSS, RoundOutcome.LOSS)


def _by_score(first: int, second: int) -> tuple[RoundOutcome, RoundOutcome]:
    if first == second:
        return _DRAWN
    return _FIRST_WON if first > second else _SECOND_WON


@dataclass(frozen=True, slots=True)
class TableResult:
    """The scores of a table of more than two players, in the order of its seats. Rounds count from 1.

    Such a table gives no points of the championship: its scores enter the ranking (FM 17).
    """

    round: int
    scores: tuple[tuple[str, int], ...]
    """Players and their scores after deductions."""
    winner: str = ""
    """The winner; empty for the highest score among the players who did not lose by decision."""
    losers: frozenset[str] = frozenset()
    """Players who left the game or lost it by decision: none of them wins with any score. If all did, all lose."""
    played: bool = True
    """Whether a game was begun. Otherwise it is not a game for any player of the table, and its scores do not count."""


@dataclass(frozen=True, slots=True)
class SpreadAdjustment:
    """Points added to a player's spread outside games, negative for a deduction (PES Δ.ε, Ζ)."""

    round: int
    player: str
    points: int
    sanction: bool = False
    """Whether a sanction, or its lifting, causes it: it then counts in the total as well."""


@dataclass(frozen=True, slots=True)
class Carried:
    """Points of the championship and spread that a player carries over from an earlier stage."""

    points: float = 0.0
    spread: int = 0


NOTHING_CARRIED = Carried()
"""The share of a player without an earlier stage."""


def build_carried(players: Iterable[tuple[str, int, int]]) -> dict[str, Carried]:
    """Return what players carry over, from their ids, half points and spreads; those without any are omitted."""
    return {
        player_id: Carried(half_points / 2, spread)
        for player_id, half_points, spread in players
        if half_points or spread
    }


class OfRound(Protocol):
    """The data of a round for the standings. An object must not change: its identity stands for its content."""

    @property
    def round(self) -> int:
        """Its number, from 1."""

    @property
    def results(self) -> Iterable[Result | TableResult]:
        """The results of its tables, and its byes."""

    @property
    def pending(self) -> Collection[tuple[str, int]]:
        """Pairs of a player whose result is pending and the round's number."""

    @property
    def adjustments(self) -> Iterable[SpreadAdjustment]:
        """Changes of spreads."""
