"""The inputs and outputs of rating systems: players, games and changes. Pure.

Games of two score 1, ½ and 0. A table of more than two is rated pair by pair. The weight of a pair is one over the
number of opponents, so that the table weighs one game per player.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

GAME_PARTS_COUNT = 60
"""Parts of a game. The weight of a pair at a table of two to seven players is a whole number of parts."""


@dataclass(frozen=True, slots=True)
class Rated:
    """A player at the start of a tournament. An unrated player has the start rating of the system."""

    player_id: str
    rating: int
    unrated: bool = False
    deviation: int = 0
    """Uncertainty of the rating, in hundredths of a point; 0 if no system has computed it."""
    volatility: int = 0
    """Expected fluctuation of the rating, in millionths; 0 if no system has computed it."""


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A game of two players: the half points (2, 1 or 0) of the first, and its weight in parts of a game."""

    first: str
    second: str
    half_points: int
    parts: int = GAME_PARTS_COUNT


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a player's rating by a tournament."""

    player_id: str
    before: int
    after: int
    games: int
    half_points: int
    """Wins times two plus draws; rounded to a whole number for tables of more than two."""
    expected_milli: int
    """Expected score in thousandths of a game."""
    deviation: int = 0
    """After the tournament; 0 from a system without deviations."""
    volatility: int = 0
    """After the tournament; 0 from a system without deviations."""


def of_table(scores: Iterable[tuple[str, int]]) -> tuple[RatedGame, ...]:
    """Return the games of all pairs of a table, from its players and their scores, each with its weight."""
    seats = tuple(scores)
    part = GAME_PARTS_COUNT // (len(seats) - 1)
    return tuple(
        RatedGame(player, other, 1 + (mine > theirs) - (mine < theirs), part)
        for place, (player, mine) in enumerate(seats)
        for other, theirs in seats[place + 1 :]
    )


def nearest(value: int, by: int) -> int:
    """Return ``value / by`` rounded to the nearest integer, half away from zero."""
    nearest = (2 * abs(value) + by) // (2 * by)
    return nearest if value >= 0 else -nearest
