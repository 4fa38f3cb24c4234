"""What ratings are made of: players, whom they met, and what became of their ratings. Pure.

Games of two count 1, ½ and 0. A table of more than two is rated pair by pair: each player has met every other, and what
comes of it is divided by the number of opponents, so that the table counts as one game for each.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

PARTS = 60
"""Of a game: what a pair counts at a table of two to seven is a whole number of them."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A player going into a tournament. An unrated player has the rating that the system starts with."""

    player_id: str
    rating: int
    unrated: bool = False
    deviation: int = 0
    """How uncertain the rating is, in hundredths of a point; 0 where no system has said it."""
    volatility: int = 0
    """How much it is expected to move about, in millionths; 0 likewise."""


@dataclass(frozen=True, slots=True)
class Game:
    """Two players who met: both, the half points (2, 1 or 0) of the first one, and how much of a game it is."""

    first: str
    second: str
    half_points: int
    parts: int = PARTS


@dataclass(frozen=True, slots=True)
class Change:
    """What a tournament did to a rating."""

    player_id: str
    before: int
    after: int
    games: int
    half_points: int
    """Wins, a draw counting one half, times two; to the nearest half where tables of more than two are rated."""
    expected_milli: int
    """Expected score in thousandths of a game."""
    deviation: int = 0
    """Afterwards; 0 from a system that knows none."""
    volatility: int = 0
    """Likewise."""


def of_table(scores: Iterable[tuple[str, int]]) -> tuple[Game, ...]:
    """A table by its players and their scores, as pairs of which each counts its part of a game."""
    seats = tuple(scores)
    part = PARTS // (len(seats) - 1)
    return tuple(
        Game(player, other, 1 + (mine > theirs) - (mine < theirs), part)
        for place, (player, mine) in enumerate(seats)
        for other, theirs in seats[place + 1 :]
    )


def nearest(value: int, by: int) -> int:
    """``value / by`` to the nearest integer, half away from zero."""
    nearest = (2 * abs(value) + by) // (2 * by)
    return nearest if value >= 0 else -nearest
