"""The plays of the highest score for a rack, in the order of proposal as master play."""

from __future__ import annotations

from collections.abc import Sequence

from faristol.rules.board import Board, Direction, Square, Tile
from faristol.rules.duplicate_game.plays import Play, sort_tops
from faristol.rules.notation import Start
from faristol.words.graph import WordGraph
from faristol.words.plays import Candidate, Grid, best


def tops(graph: WordGraph, board: Board, rack: Sequence[str]) -> tuple[Play, ...]:
    """Return every play of the highest score; empty if no play is possible. Raises ``ValueError`` as ``best``."""
    return best_plays(graph, board, rack, 1)


def best_plays(graph: WordGraph, board: Board, rack: Sequence[str], count: int) -> tuple[Play, ...]:
    """Return the best ``count`` plays and all ties of the last one. Raises ``ValueError`` as ``best``."""
    grid = Grid.of(graph.tile_set, board)
    return sort_tops([as_play(candidate, board) for candidate in best(graph, grid, rack, count)])


def as_play(candidate: Candidate, board: Board) -> Play:
    """Convert a candidate to a play, with the tiles of the board that are part of its word."""
    start = Start(Square(candidate.row, candidate.col), Direction.ACROSS if candidate.across else Direction.DOWN)
    laid = dict(candidate.placements)
    word = []
    for place, face in enumerate(candidate.word):
        square = start.square.step(start.direction, place)
        word.append(laid.get(square) or board.get(square) or Tile(face))
    return Play(start, tuple(word), candidate.placements, candidate.score)
