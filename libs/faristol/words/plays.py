"""Search of every legal play for a board and a rack, best first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Self, overload
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from faristol.rules.board import BOARD_SIZE, PREMIUMS, Board, Direction, Placement, Square, Tile
from faristol.rules.duplicate_game.plays import Play, sort_tops
from faristol.rules.notation import Start
from faristol.rules.tiles import BLANK, TileSet
from faristol.words.graph import WordGraph
from faristol.words.jit import make_vector, to_native
from faristol.words.search import find_plays
from faristol.words.walk import (
    FREE,
    LETTER_PREMIUM,
    POINTS,
    RACK_SIZE,
    SCORE_LIMIT,
    SQUARE_FIELDS,
    TILE,
    TILE_BITS,
    WORD_PREMIUM,
    GraphArrays,
    onward,
)

_known: WeakKeyDictionary[WordGraph, GraphArrays] = WeakKeyDictionary()

_PLAY_CAPACITY = 1 << 17
"""Initial capacity in plays. Memory that is not written to costs no page."""
_BEST_PLAY_CAPACITY = 1 << 10
"""Initial capacity in plays that are among the best when they are found."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A play that the rules and the lexicon allow. Rows and columns count from 0."""

    row: int
    """Row of the first tile of the main word, which may be laid now or on the board already."""
    col: int
    across: bool
    placements: tuple[Placement, ...]
    """The tiles laid, in reading order."""
    score: int
    """Points of every word formed, and 50 for seven tiles."""
    word: tuple[str, ...]
    """The main word, as faces."""


@dataclass(frozen=True, eq=False)
class Grid:
    """A board in tile codes, read-only: ``codes`` is -1 on a free square, ``blanks`` is true for a blank."""

    tile_set: TileSet
    codes: npt.NDArray[np.int8] = field(repr=False)
    blanks: npt.NDArray[np.bool_] = field(repr=False)

    @classmethod
    def of(cls, tile_set: TileSet, squares: Mapping[tuple[int, int], tuple[str, bool]] | Mapping[Square, Tile]) -> Self:
        """Create a grid from a mapping of (row, column), from 0, to (face, is it a blank), such as a ``Board``.

        Raises ``ValueError`` for a square outside the board or an unknown face.
        """
        codes = np.full((BOARD_SIZE, BOARD_SIZE), FREE, dtype=np.int8)
        blanks = np.zeros((BOARD_SIZE, BOARD_SIZE), dtype=np.bool_)
        for (row, col), (face, blank) in squares.items():
            if not (0 <= row < BOARD_SIZE and 0 <= col < BOARD_SIZE):
                raise ValueError(f"{Square(row, col)} is not on the board: its squares are A1 to O15")
            if face not in tile_set.index:
                raise ValueError(f"{Square(row, col)}: tile set {tile_set.name} has no tile {face!r}")
            codes[row, col] = tile_set.index[face]
            blanks[row, col] = blank
        codes.flags.writeable = blanks.flags.writeable = False
        return cls(tile_set, codes, blanks)


class Candidates(Sequence[Candidate]):
    """A sorted sequence of plays, decoded on access: with two blanks there may be a hundred thousand of them."""

    def __init__(self, grid: Grid, plays: npt.NDArray[np.int64]) -> None:
        """Sort ``plays``, in the encoding of ``faristol.words.search.find_plays``."""
        self._grid = grid
        self._plays = plays[np.lexsort((plays[:, 1], plays[:, 0]))]

    def __len__(self) -> int:
        return len(self._plays)

    @overload
    def __getitem__(self, index: int) -> Candidate: ...
    @overload
    def __getitem__(self, index: slice) -> list[Candidate]: ...
    def __getitem__(self, index: int | slice) -> Candidate | list[Candidate]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return self._candidate(*map(int, self._plays[index]))

    def _candidate(self, head: int, tail: int) -> Candidate:
        """Decode the two numbers of a play of ``find_plays``."""
        down = bool(head & 1)
        row, col, score = head >> 5 & 15, head >> 1 & 15, SCORE_LIMIT - (head >> 9)
        codes, faces = self._grid.codes, self._grid.tile_set.faces
        placements: list[Placement] = []
        word: list[str] = []
        shift = TILE_BITS * (RACK_SIZE - 1)
        for step in range(BOARD_SIZE - (row if down else col)):
            at = (row + step, col) if down else (row, col + step)
            code = int(codes[at])
            if code == FREE:
                tile = tail >> shift & (1 << TILE_BITS) - 1 if shift >= 0 else 0
                if not tile:
                    break
                code = (tile >> 1) - 1
                placements.append(Placement(Square(*at), Tile(faces[code], bool(tile & 1))))
                shift -= TILE_BITS
            word.append(faces[code])
        return Candidate(row, col, not down, tuple(placements), score, tuple(word))

    def __repr__(self) -> str:
        return f"<Candidates: {len(self)} plays{f', best {self[0]}' if self else ''}>"


def generate(graph: WordGraph, grid: Grid, rack: Sequence[str]) -> Candidates:
    """Return every play with tiles of ``rack`` that forms only words of ``graph`` (FISC I.6).

    ``rack`` is up to seven faces, ``"?"`` for a blank; a blank stands for any face. The best play is first; equal
    scores sort by the square of the word's start (row, then column), across before down, then by the tiles in the set's
    order. A single tile that forms a word both ways is one play; its main word is the longer one, or the one across if
    they are equal.

    Raises ``ValueError`` for a rack of more than seven tiles, an unknown face, or a grid of a tile set other than the
    graph's.
    """
    return _find(graph, grid, rack, _PLAY_CAPACITY)


def best(graph: WordGraph, grid: Grid, rack: Sequence[str], count: int = 1) -> Candidates:
    """Return the best ``count`` plays and all ties of the last one, in a fraction of the time of ``generate``.

    With a count of 1 they are all plays of the highest score, the candidates for the master play of a duplicate game.
    They are in the order of ``generate``; there may be fewer than ``count``.

    Starts are tried by descending upper bound of their score. The search ends if no remaining bound reaches the plays
    found. In the worst case it visits the same paths as ``generate``: all paths of the graph that the rack can lay from
    each start, multiplied by the number of faces for each blank. Memory grows with the ties, not with all plays.

    Raises ``ValueError`` as ``generate``, and for a count below 1.
    """
    if count < 1:
        raise ValueError(f"expected at least one play, not {count}")
    return _find(graph, grid, rack, _BEST_PLAY_CAPACITY, count)


def _check_input(
    graph: WordGraph, grid: Grid, rack: Sequence[str]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the points of each tile code, and the number of tiles of each in the rack, blanks last.

    Raises ``ValueError`` for an invalid grid or rack.
    """
    tile_set = graph.tile_set
    if grid.tile_set.faces != tile_set.faces:
        raise ValueError(f"the grid has tiles of {grid.tile_set.name}, the lexicon words of {tile_set.name}")
    if len(rack) > RACK_SIZE:
        raise ValueError(f"a rack has at most {RACK_SIZE} tiles, got {len(rack)}: {' '.join(rack)}")
    for face in rack:
        if face != BLANK and face not in tile_set.index:
            raise ValueError(f"rack {' '.join(rack)}: tile set {tile_set.name} has no tile {face!r}")
    values = np.array([tile_set.values[face] for face in tile_set.faces], dtype=np.int64)
    return values, np.array([rack.count(face) for face in (*tile_set.faces, BLANK)], dtype=np.int64)


def _find(graph: WordGraph, grid: Grid, rack: Sequence[str], room: int, count: int | None = None) -> Candidates:
    """Find all plays, or the best ``count`` and their ties; retry with more ``room`` if it was not enough."""
    values, hand = _check_input(graph, grid, rack)
    worth = np.sort(np.repeat(np.append(values, 0), hand))[::-1].copy()
    top = None if count is None else make_vector(count)
    plays = np.empty((room, 2), dtype=np.int64)
    plays[0] = 0
    squares = _squares(grid, values)
    find_plays(_arrays(graph), to_native(squares), to_native(values), to_native(hand), to_native(worth), plays, top)
    found = int(plays[0, 0])
    if found >= room:
        return _find(graph, grid, rack, found + 1, count)
    noted = plays[1 : found + 1]
    if top is not None:
        enough: npt.NDArray[np.bool_] = SCORE_LIMIT - (noted[:, 0] >> 9) >= top[-1]
        noted = np.compress(enough, noted, axis=0)
    return Candidates(grid, noted)


def _arrays(graph: WordGraph) -> GraphArrays:
    """Return the arrays of a graph for the search, cached by graph."""
    found = _known.get(graph)
    if found is None:
        found = _known[graph] = GraphArrays(
            *(to_native(array) for array in (graph.marks, graph.first, graph.edges, onward(graph)))
        )
    return found


def _squares(grid: Grid, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the fields of the squares for the walk, twice: the board, and the board transposed."""
    squares = np.zeros((2, BOARD_SIZE, BOARD_SIZE + 1, SQUARE_FIELDS), dtype=np.int64)
    squares[..., TILE] = FREE
    board = squares[0, :, :BOARD_SIZE]
    board[..., TILE] = grid.codes
    board[..., POINTS] = np.where((grid.codes == FREE) | grid.blanks, 0, values[grid.codes])
    board[..., LETTER_PREMIUM], board[..., WORD_PREMIUM] = _premiums()
    squares[1, :, :BOARD_SIZE] = board.swapaxes(0, 1)
    return squares


@cache
def _premiums() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the factors of letters and of words, by square."""
    letters = np.ones((BOARD_SIZE, BOARD_SIZE), dtype=np.int64)
    words = np.ones((BOARD_SIZE, BOARD_SIZE), dtype=np.int64)
    for square, premium in PREMIUMS.items():
        letters[square], words[square] = premium.letter, premium.word
    return letters, words


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
