"""The lexicon of a duplicate game, as decisions use it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from faristol.rules import Board
from faristol.rules.duplicate_game.plays import Play


class Words(Protocol):
    """The lexicon of a game."""

    def is_word(self, faces: tuple[str, ...]) -> bool:
        """Check whether it has a word."""

    def tops(self, board: Board, rack: Sequence[str]) -> tuple[Play, ...]:
        """Return the plays of the highest score, the proposed master play first; an empty tuple without a play."""

    def best(self, board: Board, rack: Sequence[str], count: int) -> tuple[Play, ...]:
        """Return the best ``count`` plays and all with the score of the last, in the order of proposal."""
