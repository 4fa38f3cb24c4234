"""Results of the rounds, as standings take them in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Result:
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
        if first_score == second_score:
            outcomes = (Outcome.DRAW, Outcome.DRAW)
        elif first_score > second_score:
            outcomes = (Outcome.WIN, Outcome.LOSS)
        else:
            outcomes = (Outcome.LOSS, Outcome.WIN)
        return cls(round_, first, second, first_score, second_score, outcomes)

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
        result = replace(cls.of_game(round_, first, second, first_score, second_score), played=played)
        if lost_by_all:
            return replace(result, outcomes=(Outcome.LOSS, Outcome.LOSS))
        if winner:
            won = (Outcome.WIN, Outcome.LOSS)
            return replace(result, outcomes=won if winner == first else won[::-1])
        return result

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
