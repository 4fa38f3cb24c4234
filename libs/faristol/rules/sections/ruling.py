"""Challenges, and who decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Challenge:
    """Who may question a play, until when, and what comes of it."""

    by: Literal["opponent", "table", "nobody"]
    """The opponent; any other player of the table; or nobody, because every play is checked as it is laid."""
    opens_on: Literal["placed", "counted", "clock-stopped"]
    closes_on: Literal["press", "refill", "challenger-writes", "both-write", "next-turn"]
    """The opponent's clock starts; the mover draws, or presses the clock when the bag is empty; the challenger has
    written the score; both have; or the next player has begun."""
    seconds_max: int | None
    """The most that may pass after the window opened; what closes it first counts."""
    ruling: Literal["play", "word"]
    """Whether players are told about the play as a whole or about each word."""
    once: bool
    """A play can be challenged once: words not named then stand."""
    words_max: int | None
    """Words of the play that one challenge may name; None for as many as it formed."""
    free_invalid: int | None
    """Unfounded challenges in one game that cost nothing; None for all of them."""
    penalty: int
    """Points that an unfounded challenge costs."""
    penalty_unit: Literal["challenge", "word"]
    """What is counted: each challenge of a play that stands, or each challenged word found good."""
    penalty_goes: Literal["from-challenger", "to-mover"]
    """Whether the challenger loses the points, or the mover gains them."""
    unfounded_loses_turn: bool
    """Whoever challenged a play that stands loses the next turn."""
    mover_may_draw: bool
    """Whether the mover may draw while a challenge is open."""
    appeal_by: Literal["challenger", "mover", "none"]
    rulings_max: int
    """Rulings on one play; the last one is final."""
    arguments_hidden: bool
    """Who appeals may ask that the other player does not see the arguments."""
    corrected_later: Literal["none", "spread"]
    """A ruling found wrong after the game: nothing; or the spread of the player in the tournament is changed by the
    points of the play and ``corrected_later_points``, on the same day, and the result stays."""
    corrected_later_points: int


@dataclass(frozen=True, slots=True)
class Arbiter:
    """What officials must and may do."""

    required: bool
    """No game is played without one."""
    players_may_check: bool
    """Players may check plays together, by agreement, without an arbiter."""
    asked_word: Literal["unplayable", "none"]
    """A word about which a player asked and was answered before playing it."""
    asked_again: Literal["disqualified", "none"]
    """Asking again after that, in this game or another of the tournament, and answering again: the game is lost, and
    expulsion is put forward."""
    sanction_points_min: int | None
    """The least that a sanction in points takes off; None where the book sets none."""
    sanction_points_from: Literal["score", "spread"]
    """Where points come off that are taken after the game: the score of the game, and with it the result; or the spread
    and the total of the player in the tournament, and the result stays."""
