"""Players as the Dutch system sees them when a round is paired (FIDE C.04.3, article 1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum

WHITE, BLACK = 1, -1
"""Colours, as signs. In crossword games white is who starts."""


class Float(Enum):
    """What a player received in a round (FIDE C.04.3 1.4)."""

    NONE = "none"
    DOWN = "down"
    UP = "up"


class Strength(IntEnum):
    """How strong a colour preference is (FIDE C.04.3 1.7)."""

    NONE = 0
    MILD = 1
    STRONG = 2
    ABSOLUTE = 3


@dataclass(frozen=True, slots=True)
class Player:
    """A player to be paired."""

    number: int
    """The pairing number (TPN): 1 is the first of the initial ranking."""
    points: int = 0
    """The score for pairing, in tenths of a point, fictitious points included."""
    opponents: frozenset[int] = frozenset()
    """Pairing numbers of those met over the board."""
    colours: tuple[int, ...] = ()
    """The colour of each game played, in order; rounds without a game are left out."""
    floats: tuple[Float, Float] = (Float.NONE, Float.NONE)
    """What was received in the round before this one, and in the one before that."""
    had_bye: bool = False
    """An allocated bye, or a win's points without playing: no second one is given (C2)."""
    unplayed: int = 0
    """Rounds without a game so far (C9)."""
    topscorer: bool = False
    """Over half of the possible score when the final round is paired (FIDE C.04.3 1.8)."""

    @property
    def colour_difference(self) -> int:
        """Games with white less games with black (FIDE C.04.3 1.6)."""
        return sum(self.colours)

    @property
    def repeated(self) -> int:
        """The colour of both the latest two games; 0 when they differ or are not two."""
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
        """The colour preferred, as a sign; 0 for a player without a game (FIDE C.04.3 1.7)."""
        if not self.colours:
            return 0
        if abs(self.colour_difference) > 1 or not self.repeated:
            return -_sign(self.colour_difference or self.colours[-1])
        return -self.repeated


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


@dataclass(frozen=True, slots=True)
class Round:
    """A round to be paired: everything that the pairing depends on."""

    players: tuple[Player, ...]
    """Those who are there to be paired, with different numbers."""
    number: int = 1
    colours: bool = True
    """Whether colours are paired and allocated. Where the start of each game is drawn they are not."""
    initial_colour: int = WHITE
    """The colour of the odd numbers in the first round (FIDE C.04.3 5.1)."""
    forbidden: frozenset[frozenset[int]] = field(default_factory=frozenset)
    """Pairs of numbers that must not meet."""
    kept: tuple[tuple[int, int], ...] = ()
    """Pairs that the arbiter has made: white, black. They stand whatever the criteria say."""
    not_come: frozenset[int] = frozenset()
    """Numbers of those who were paired in no round yet and are not in this one."""

    def ranking(self) -> tuple[Player, ...]:
        """The players in the order of FIDE C.04.3 1.2: points, then pairing number."""
        return tuple(sorted(self.players, key=lambda player: (-player.points, player.number)))

    def is_odd(self, number: int) -> bool:
        """Whether a pairing number is odd, counted among those who have come (FIDE C.04.3 5.2.5).

        Who comes late is given a number on arrival, and the numbers until then are provisional (FIDE C.04.2).
        """
        return (number - sum(absent < number for absent in self.not_come)) % 2 == 1
