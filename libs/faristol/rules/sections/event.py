"""What concerns a whole event: its lexicon, its rounds and its standings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Layer = Literal[
    "general-variants", "balearic", "north-western", "valencian", "marked-a", "marked-b", "marked-r", "marked-v"
]
"""Words beside those of a book: verb forms of the general variants, of a region, entries marked by dialect (UF 26)."""

TieBreak = Literal["median-buchholz", "buchholz", "berger", "spread", "total", "head-to-head", "cusca"]
"""What parts players of equal points; ``faristol.rules.standings`` has each."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Which words an event adds to those of the book, and until when that can be said."""

    layers: tuple[Layer, ...]
    """Layers added to the words of the book's own lexicon."""
    frozen_on: Literal["created", "first-game"]
    """No change after the event was created, or after its first game began."""


@dataclass(frozen=True, slots=True)
class Championship:
    """Rounds, points of the championship and tie-breaks. Where a book has none, the system is ``none``."""

    system: Literal["swiss", "swiss-lot", "dutch", "round-robin", "double-round-robin", "match", "lot", "none"]
    """Who meets whom: the least distance in points and rank, after a first round of halves or by lot; the Dutch system
    of FIDE; each against each, once or twice; the same two in every round; by lot."""
    rounds_min: int
    win: float
    draw: float
    loss: float
    bye: float
    bye_spread: int
    coefficient: Literal["none", "cusca"]
    """How the score of a game enters the ranking: as it is, or times the players of the table (CUSCA)."""
    tie_breaks: tuple[TieBreak, ...]
    """In the order in which they decide."""
    buchholz_cut: int
    """Worst opponents left out of the median Buchholz."""
    buchholz_cut_long: int
    """The same in a championship of ``long_from_rounds`` rounds or more."""
    long_from_rounds: int
    unplayed: Literal["fide-dummy", "fide-virtual", "own-score", "zero"]
    """What a round without a game is worth to Buchholz and Berger; ``faristol.rules.standings.opponents`` has each."""
    not_there: Literal["bye", "forfeit"]
    """Where each meets each, what a round is worth whose opponent is not there for it, having left or otherwise: a bye;
    or the game is lost by who is not there, with the score of ``forfeit``."""
    late_entry: Literal["first-half", "never"]
    late_entry_points: float
    """Fictitious points for each round missed, for pairing only."""
    team_boards: int | None
    """How many boards a match between two teams has; None where players play each for themselves."""
    team_score: Literal["match-points", "board-points"]
    """What teams are ranked by first: what their matches came to, or all their boards together."""
