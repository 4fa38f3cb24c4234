"""What games usually come to, so that a slip of a pen or of a key is seen. No law: whatever was played counts."""

from __future__ import annotations

from dataclasses import dataclass

from faristol.rules.ruleset import Ruleset


@dataclass(frozen=True, slots=True)
class UsualScores:
    """Scores, in points, beyond which a result is checked again before it is entered."""

    lowest: int
    highest: int
    largest_difference: int


# Parts of the face value of all tiles of a set. Two players together make about four times that value, whatever the
# language; 4 times for one of them is 748 points with the English tiles, which hardly anybody has ever made.
_LOWEST, _HIGHEST, _DIFFERENCE = 1.6, 8.0, 4.0


def usual_scores(ruleset: Ruleset, players: int) -> UsualScores:
    """The scores that a game of so many players usually ends with, by the tiles of the rules.

    The points that there are are shared, so where three or four play each has fewer.
    """
    tiles = ruleset.tile_set
    value = sum(tiles.values[face] * count for face, count in tiles.counts.items())
    return UsualScores(
        *(round(part * value / players / 10) * 10 for part in (_LOWEST, _HIGHEST, _DIFFERENCE)),
    )
