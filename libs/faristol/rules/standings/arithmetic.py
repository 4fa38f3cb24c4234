"""The arithmetic of a value in the standings, by terms."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from faristol.rules.standings.results import RoundOutcome


class Basis(StrEnum):
    """The basis of a term."""

    GAME = "game"
    """A game over the board."""
    FORFEIT = "forfeit"
    """A pairing without a game."""
    BYE = "bye"
    """The pairing left the player without an opponent."""
    REQUESTED_BYE = "requested-bye"
    ABSENCE = "absence"
    """The player was in no pairing."""
    ADJUSTMENT = "adjustment"
    """Not a result: a corrected ruling changed the spread."""
    SANCTION = "sanction"
    """Not a result: a sanction deducted points, or a lifted one restored them."""
    CARRIED = "carried"
    """Not a result: carried over from an earlier stage of the championship."""


class LeftOut(StrEnum):
    """The reason why a term does not count."""

    LOWEST = "lowest"
    """One of the worst opponents, which the ruleset leaves out."""
    MISSED_BY_WILL = "missed-by-will"
    """A voluntarily missed round, which is the first of the opponents left out (FIDE C.07 16.5)."""
    NOT_ALL_MET = "not-all-met"
    """Games among equals decide only if all of them have met each other."""
    ANNULLED = "annulled"
    """A round of a player who left before half of the games, or against that player (FIDE C.05 6.6)."""
    PARTED = "parted"
    """A game against a player who was equal, and is no longer equal by such games (FIDE C.07 6.2, 6.3)."""


class Term(NamedTuple):
    """The contribution of one round to a value."""

    round: int
    """Number of the round, from 1; 0 for what an earlier stage contributes."""
    basis: Basis
    value: float
    """The contribution, even if left out."""
    opponent: str | None = None
    """The opponent; None for a bye, an absence and a table of more than two."""
    outcome: RoundOutcome | None = None
    """The player's outcome, if the value depends on it."""
    worth: float = 0.0
    """Points of the real or virtual opponent, as counted for Buchholz and Berger."""
    granted: float = 0.0
    """The part of ``worth`` for rounds that the opponent missed."""
    score: int = 0
    """Points of the game, for spread, total and CUSCA."""
    against: int = 0
    seats: int = 2
    """Players of the table, for CUSCA."""
    left_out: LeftOut | None = None


@dataclass(frozen=True)
class Arithmetic:
    """A value and its terms: the sum of those that count, divided by ``divisor``."""

    terms: tuple[Term, ...]
    divisor: int = 1
    """Number of games of a mean."""

    @cached_property
    def total(self) -> float:
        """The sum of the terms that count."""
        return sum(term.value for term in self.terms if term.left_out is None)

    @cached_property
    def value(self) -> float:
        """The total divided by ``divisor``. Equal quotients of whole numbers are equal floats."""
        return self.total / self.divisor
