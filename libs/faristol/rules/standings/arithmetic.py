"""How a value of the standings comes about, term by term."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from faristol.rules.standings.results import Outcome


class Basis(StrEnum):
    """What a term rests on."""

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
    """Not a result: a ruling that was put right changed the spread."""
    SANCTION = "sanction"
    """Not a result: a sanction took points off, or one that was lifted gave them back."""


class LeftOut(StrEnum):
    """Why a term does not count."""

    LOWEST = "lowest"
    """One of the worst opponents, whom the ruleset leaves out."""
    MISSED_BY_WILL = "missed-by-will"
    """Of the opponents left out, a round that the player missed by their own will goes first (FIDE C.07 16.5)."""
    NOT_ALL_MET = "not-all-met"
    """Games among equals decide only once all of them have met each other."""
    ANNULLED = "annulled"
    """A round of a player who left before half of the games, or against that player (FIDE C.05 6.6)."""
    PARTED = "parted"
    """A game against a player who was equal, and has been parted by such games already (FIDE C.07 6.2, 6.3)."""


class Term(NamedTuple):
    """One round's part of a value."""

    round: int
    basis: Basis
    value: float
    """What it adds, or would add if it were not left out."""
    opponent: str | None = None
    """None for a bye, an absence and a table of more than two."""
    outcome: Outcome | None = None
    """To the player, where the value depends on it."""
    worth: float = 0.0
    """Points of the opponent, or of the virtual one, as counted for Buchholz and Berger."""
    granted: float = 0.0
    """How much of ``worth`` is for rounds that the opponent missed."""
    score: int = 0
    """Points of the game; for spread, total and CUSCA."""
    against: int = 0
    seats: int = 2
    """Players of the table; for CUSCA."""
    left_out: LeftOut | None = None


@dataclass(frozen=True)
class Arithmetic:
    """A value and its terms: their sum, those left out excepted, over ``divisor``."""

    terms: tuple[Term, ...]
    divisor: int = 1
    """Games of a mean."""

    @cached_property
    def total(self) -> float:
        """The sum of the terms that count."""
        return sum(term.value for term in self.terms if term.left_out is None)

    @cached_property
    def value(self) -> float:
        """What it comes to. Equal quotients of whole numbers are equal floats."""
        return self.total / self.divisor
