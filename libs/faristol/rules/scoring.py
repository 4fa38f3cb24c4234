"""Scoring by square, so that a score can be explained.

The value of a play is the sum of the words that it forms. New tiles use the premiums under them; tiles on the board
count their face value. Letter premiums apply before word premiums, and word premiums multiply each other (FISC I.6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from faristol.rules.board import PREMIUMS, Board, Direction, Placement, Premium, Square, Tile
from faristol.rules.placement import Word, words_formed
from faristol.rules.ruleset.ruleset import Ruleset

_FACTORS: Mapping[tuple[int, int], tuple[int, int]] = {
    square: (premium.letter, premium.word) for square, premium in PREMIUMS.items()
}
"""Factors of each square for its tile and for its words."""


@dataclass(frozen=True, slots=True)
class SquareScore:
    """The contribution of one tile to one word."""

    square: Square
    tile: Tile
    new: bool
    """Whether this play laid the tile, so that it uses the premium of its square."""
    value: int
    """Points of the tile itself, 0 for a blank."""
    premium: Premium
    """The premium that this tile uses; ``NONE`` for a tile that was on the board."""

    @property
    def points(self) -> int:
        """Points with the letter premium, before any word premium."""
        return self.value * self.premium.letter

    def __str__(self) -> str:
        times = f"×{self.premium.letter}" if self.premium.letter > 1 else ""
        return f"{self.tile}{self.value}{times}"


class WordScore(NamedTuple):
    """The score of one word of a play."""

    word: Word
    points: int
    """Points of the word."""
    multiplier: int
    """Product of the word premiums used: 4 for two double words, 9 for two triple words."""
    new: frozenset[Square]
    """The squares on which the play laid tiles, whether in this word or not."""
    values: Mapping[str, int]
    """Points by face of the set."""

    @property
    def squares(self) -> tuple[SquareScore, ...]:
        """The contribution of each tile of the word, in reading order."""
        return tuple(
            SquareScore(
                square=square,
                tile=tile,
                new=square in self.new,
                value=self.values[tile.in_rack],
                premium=PREMIUMS[square] if square in self.new else Premium.NONE,
            )
            for square, tile in zip(self.word.squares, self.word.tiles, strict=True)
        )

    def __str__(self) -> str:
        total = " + ".join(map(str, self.squares))
        return f"{self.word}: {f'({total})×{self.multiplier}' if self.multiplier > 1 else total} = {self.points}"


class PlayScore(NamedTuple):
    """The score of a play: its words, the main word first, and the bonus for a full rack."""

    words: tuple[WordScore, ...]
    bonus: int
    """Points for laying a full rack, 0 for fewer tiles."""
    bingo: bool

    @property
    def points(self) -> int:
        """Points of the play."""
        return sum(word.points for word in self.words) + self.bonus

    def __str__(self) -> str:
        lines = [str(word) for word in self.words]
        if self.bingo:
            lines.append(f"bingo: {self.bonus}")
        return "\n".join([*lines, f"{self.points} points"])


def score_play(
    board: Board, placements: Iterable[Placement], ruleset: Ruleset, words: Sequence[Word] | None = None
) -> PlayScore:
    """Return the score of the play on ``board``, by word; the play must have passed ``check_play``.

    ``words`` are the words of ``check_play``, to avoid a second search. A play that goes out with fewer tiles than a
    full rack is not a bingo.
    """
    laid = tuple(placements)
    if words is None:
        words = words_formed(board, laid)
    new = frozenset([square for square, _ in laid])
    values = ruleset.tile_set.values
    bingo = len(laid) == ruleset.game.rack_size
    scored = tuple([_score_word(word, new, values) for word in words])
    return PlayScore(scored, ruleset.scoring.bingo if bingo else 0, bingo)


def _score_word(word: Word, new: frozenset[Square], values: Mapping[str, int]) -> WordScore:
    (row, col), direction = word.start
    down, across = (1, 0) if direction is Direction.DOWN else (0, 1)
    points, multiplier = 0, 1
    for tile in word.tiles:
        value = 0 if tile.blank else values[tile.face]
        if (row, col) in new:
            letter, times = _FACTORS[row, col]
            value *= letter
            multiplier *= times
        points += value
        row += down
        col += across
    return WordScore(word, points * multiplier, multiplier, new, values)


@dataclass(frozen=True, slots=True)
class UsualScores:
    """Limits in points beyond which a result is checked before it is entered."""

    lowest: int
    highest: int
    largest_difference: int


# Multiples of the face value of all tiles of a set. Two players together score about four times that value in any
# language. Four times for one of them is 748 points with the English tiles, which is hardly ever reached.
_LOWEST, _HIGHEST, _DIFFERENCE = 1.6, 8.0, 4.0


def usual_scores(ruleset: Ruleset, players: int) -> UsualScores:
    """Return the usual limits of scores in a game of ``players``, by the tiles of the rules.

    The points are shared, so each of three or four players has fewer.
    """
    tiles = ruleset.tile_set
    value = sum(tiles.values[face] * count for face, count in tiles.counts.items())
    return UsualScores(
        *(round(part * value / players / 10) * 10 for part in (_LOWEST, _HIGHEST, _DIFFERENCE)),
    )
