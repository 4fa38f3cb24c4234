"""How a game ends, what is counted then, and the sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from faristol.rules.sections.words import TurnWord


@dataclass(frozen=True, slots=True)
class End:
    """When a game ends, and what happens to the tiles left in the racks."""

    out_bonus: Literal["opponents-racks", "twice-opponents-racks", "none"]
    """Who goes out gains what the others hold, which they lose; gains it twice, and they lose nothing; or gains
    nothing, and they lose it."""
    lost_turns: int | None
    """Consecutive lost turns of each player that end the game."""
    lost_turn_kinds: tuple[TurnWord, ...]
    """What counts as one of them."""
    scoreless_turns: int | None
    """Consecutive turns of each player, counted by ``scoreless_unit``, that end the game."""
    scoreless_unit: Literal["no-tile", "zero-score"]
    """Turns in which no tile stayed on the board, or turns that scored 0, a play worth nothing included."""
    exempt_at_zero: Literal["both", "scoreless", "none"]
    """Which of the two ends waits while no player has a point."""
    agreement: bool
    """The game ends when the players agree that nobody can lay a tile."""
    racks_count_after_time: bool
    """Whether racks are counted when the round ran out of time."""
    racks_count_after_overtime: bool
    """Whether racks are counted when a player has used more than their time, however the game ended."""
    racks_count_after_cap: bool
    """Whether racks are counted when a player went over the cap on overtime."""


@dataclass(frozen=True, slots=True)
class Abandon:
    """What a game is worth that a player leaves. Whoever stays wins."""

    rule: Literal["stands-or-behind", "stands", "forfeit"]
    """A leader gets the other's score less ``points_behind``, anybody else keeps the score; scores stand; or the
    result is that of a forfeit."""
    points_behind: int
    at_tie: Literal["as-leading", "as-trailing"]
    both: Literal["double-loss"]
    """Both leave: 0–0, and both lose."""
    racks_count: bool


@dataclass(frozen=True, slots=True)
class Forfeit:
    """The result of a game that was not played, or was lost by decision."""

    winner_points: int
    loser_points: int
    begun: Literal["as-abandoned", "forfeit"]
    """What a game is worth that is lost by decision after a turn of it was over: what it would be if the loser had
    abandoned it; or the points above, as if it had not been played."""


@dataclass(frozen=True, slots=True)
class Scoresheet:
    """Who signs, what can still be put right, and how things are written."""

    signers: Literal["both", "keeper", "nobody"]
    totals_until: Literal["final", "round-end", "never"]
    """Until when a running total can be corrected."""
    plays_until: Literal["completed", "final", "never"]
    """Until when the count of a play can be corrected."""
    final_on: Literal["both-signed", "handed-over", "written"]
    """When the result is definitive: both have signed; the signed sheet is handed over; the score is written."""
    reopen_by: Literal["nobody", "both-players"]
    """Who may ask that a final game is opened again to correct an error."""
    words: Literal["main", "all", "none"]
    """What is written of a play besides its score."""
    zero_plays: Literal["written", "zero"]
    """How a turn worth nothing is written: as any other, or as a zero alone."""
    blank: Literal["parentheses", "field", "letter"]
    """How the letter of a blank is marked: in parentheses, in a field of its own, or noted as the letter."""
    bingo: Literal["circled", "counted", "none"]
    exchange: Literal["dash", "zero", "none"]
    coordinates: Literal["optional", "required", "none"]
