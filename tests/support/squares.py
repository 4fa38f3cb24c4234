"""Squares for tests that lay tiles at random."""

from __future__ import annotations

from collections.abc import Iterator

from faristol.rules.board import Direction, Square


def neighbours(square: Square) -> Iterator[Square]:
    """Yield the squares that share a side with ``square``, two to four of them."""
    for direction in Direction:
        for by in (-1, 1):
            if (neighbour := square.step(direction, by)).on_board:
                yield neighbour
