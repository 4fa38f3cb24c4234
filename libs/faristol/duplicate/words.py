"""The lexicon of a duplicate game, as decisions ask it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from faristol.rules import Board
from faristol.rules.duplicate.plays import Play


class Words(Protocol):
    """The lexicon of a game."""

    def is_word(self, faces: tuple[str, ...]) -> bool:
        """Whether it has a word."""

    def tops(self, board: Board, rack: Sequence[str]) -> tuple[Play, ...]:
        """The plays of the highest score, the one first that is proposed as master play; none where nothing fits."""

    def best(self, board: Board, rack: Sequence[str], count: int) -> tuple[Play, ...]:
        """The best ``count`` plays and all that score as much as the last, in the order in which they are proposed."""
