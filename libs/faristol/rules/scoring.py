"""Scoring, square by square, so that a score can be explained and not only told.

The value of a play is the sum of all the words that it forms. New tiles use the premiums under them, tiles
that lay there already count their face value; letter premiums come before word premiums, and word premiums
multiply each other (FISC I.6).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from faristol.rules.board import PREMIUMS, Board, Placement, Premium, Square, Tile
from faristol.rules.placement import Word, words_formed
from faristol.rules.ruleset import Ruleset
from faristol.rules.tiles import TileSet


@dataclass(frozen=True, slots=True)
class SquareScore:
    """What one tile adds to one word."""

    square: Square
    tile: Tile
    new: bool
    """Laid by this play, so that it uses the premium of its square."""
    value: int
    """Points of the tile itself, 0 for a blank."""
    premium: Premium
    """The premium that this tile uses; ``NONE`` for a tile that was there before."""

    @property
    def points(self) -> int:
        """Points with the letter premium, before any word premium."""
        return self.value * self.premium.letter

    def __str__(self) -> str:
        times = f"×{self.premium.letter}" if self.premium.letter > 1 else ""
        return f"{self.tile}{self.value}{times}"


@dataclass(frozen=True, slots=True)
class WordScore:
    """What one word of a play scores."""

    word: Word
    squares: tuple[SquareScore, ...]

    @property
    def multiplier(self) -> int:
        """Product of the word premiums used: 4 for two double words, 9 for two triple words."""
        return prod(square.premium.word for square in self.squares)

    @property
    def points(self) -> int:
        """Points of the word."""
        return sum(square.points for square in self.squares) * self.multiplier

    def __str__(self) -> str:
        total = " + ".join(map(str, self.squares))
        return f"{self.word}: {f'({total})×{self.multiplier}' if self.multiplier > 1 else total} = {self.points}"


@dataclass(frozen=True, slots=True)
class PlayScore:
    """What a play scores: its words, the main word first, and the bonus for a full rack."""

    words: tuple[WordScore, ...]
    bonus: int
    """Points for laying a full rack, 0 when fewer tiles were laid."""
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


def score_play(board: Board, placements: Iterable[Placement], ruleset: Ruleset) -> PlayScore:
    """What the play scores on ``board``, explained; it must have passed ``check_play``.

    A play whose tiles go out with fewer than a full rack is no bingo.
    """
    laid = tuple(placements)
    new = {square for square, _ in laid}
    words = tuple(_score_word(word, new, ruleset.tile_set) for word in words_formed(board, laid))
    bingo = len(laid) == ruleset.game.rack_size
    return PlayScore(words, ruleset.scoring.bingo if bingo else 0, bingo)


def _score_word(word: Word, new: set[Square], tile_set: TileSet) -> WordScore:
    return WordScore(
        word,
        tuple(
            SquareScore(
                square=square,
                tile=tile,
                new=square in new,
                value=tile_set.values[tile.in_rack],
                premium=PREMIUMS[square] if square in new else Premium.NONE,
            )
            for square, tile in zip(word.squares, word.tiles, strict=True)
        ),
    )
