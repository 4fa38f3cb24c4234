"""Players as input of the Dutch system (FIDE C.04.3, article 1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum

WHITE, BLACK = 1, -1
"""Colours, as signs. In crossword games white starts."""


class Float(Enum):
    """The float of a player in a round (FIDE C.04.3 1.4)."""

    NONE = "none"
    DOWN = "down"
    UP = "up"


class Strength(IntEnum):
    """The strength of a colour preference (FIDE C.04.3 1.7)."""

    NONE = 0
    MILD = 1
    STRONG = 2
    ABSOLUTE = 3


@dataclass(frozen=True, slots=True)
class DutchPlayer:
    """A player to pair."""

    number: int
    """The pairing number (TPN): 1 is the first of the initial ranking."""
    points: int = 0
    """The score for pairing, in tenths of a point, with fictitious points."""
    opponents: frozenset[int] = frozenset()
    """Pairing numbers of opponents in played games."""
    colours: tuple[int, ...] = ()
    """The colour of each played game, in order; rounds without a game are left out."""
    floats: tuple[Float, Float] = (Float.NONE, Float.NONE)
    """The floats of the round before this one, and of the one before that."""
    had_bye: bool = False
    """Whether the player had an allocated bye or an unplayed win, and so gets no other bye (C2)."""
    unplayed: int = 0
    """Number of rounds without a game so far (C9)."""
    topscorer: bool = False
    """Whether the player has over half of the possible score before the final round (FIDE C.04.3 1.8)."""

    @property
    def colour_difference(self) -> int:
        """Games with white minus games with black (FIDE C.04.3 1.6)."""
        return sum(self.colours)

    @property
    def repeated(self) -> int:
        """The common colour of the last two games; 0 if they differ or are fewer than two."""
        latest = self.colours[-2:]
        return latest[0] if len(latest) == 2 and latest[0] == latest[1] else 0

    @property
    def strength(self) -> Strength:
        """The strength of the colour preference (FIDE C.04.3 1.7)."""
        if not self.colours:
            return Strength.NONE
        if abs(self.colour_difference) > 1 or self.repeated:
            return Strength.ABSOLUTE
        return Strength.STRONG if self.colour_difference else Strength.MILD

    @property
    def preference(self) -> int:
        """The preferred colour, as a sign; 0 for a player without a game (FIDE C.04.3 1.7)."""
        if not self.colours:
            return 0
        if abs(self.colour_difference) > 1 or not self.repeated:
            return -_sign(self.colour_difference or self.colours[-1])
        return -self.repeated


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


@dataclass(frozen=True, slots=True)
class DutchRound:
    """A round to pair, with all inputs of the pairing."""

    players: tuple[DutchPlayer, ...]
    """The players to pair, with distinct numbers."""
    number: int = 1
    colours: bool = True
    """Whether colours are paired and allocated; False if the start of each game is drawn."""
    initial_colour: int = WHITE
    """The colour of odd numbers in the first round (FIDE C.04.3 5.1)."""
    forbidden: frozenset[frozenset[int]] = field(default_factory=frozenset)
    """Pairs of numbers that must not meet."""
    kept: tuple[tuple[int, int], ...] = ()
    """Pairs made by the arbiter: white, black. The criteria do not apply to them."""
    not_come: frozenset[int] = frozenset()
    """Numbers of players who have not been paired in any round and are not in this one."""

    def ranking(self) -> tuple[DutchPlayer, ...]:
        """Return the players in the order of FIDE C.04.3 1.2: points, then pairing number."""
        return tuple(sorted(self.players, key=lambda player: (-player.points, player.number)))

    def is_odd(self, number: int) -> bool:
        """Check whether a pairing number is odd among the players who have arrived (FIDE C.04.3 5.2.5).

        A late player gets a number on arrival, and numbers are provisional until then (FIDE C.04.2).
        """
        return (number - sum(absent < number for absent in self.not_come)) % 2 == 1
