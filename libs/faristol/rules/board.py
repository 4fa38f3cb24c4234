"""The board: squares, premiums, and the tiles on it.

Rows and columns count from 0, row 0 at the top. A square prints in the notation of FISC: ``Square(7, 7)`` is ``H8``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from faristol.rules.tiles import BLANK

BOARD_SIZE = 15
"""Rows and columns of the board."""

ROW_NAMES = "ABCDEFGHIJKLMNO"


class Direction(StrEnum):
    """The reading direction of a word: left to right, or top to bottom. Others are not allowed (FISC I.6)."""

    ACROSS = "across"
    DOWN = "down"

    @property
    def other(self) -> Direction:
        """The direction at right angles to this one."""
        return Direction.DOWN if self is Direction.ACROSS else Direction.ACROSS


ROW_LETTER_COUNT = 26
"""Letters for rows, including rows outside the board."""


class Square(NamedTuple):
    """A square of the board, ``row`` and ``col`` from 0. Squares sort in reading order, row by row."""

    row: int
    col: int

    @property
    def on_board(self) -> bool:
        """Whether the square is on the board."""
        return 0 <= self.row < BOARD_SIZE and 0 <= self.col < BOARD_SIZE

    def step(self, direction: Direction, by: int = 1) -> Square:
        """Return the square ``by`` places further in ``direction``; it may be off the board."""
        if direction is Direction.ACROSS:
            return Square(self.row, self.col + by)
        return Square(self.row + by, self.col)

    def __str__(self) -> str:
        """Format in FISC notation, also off the board: ``K16``; by numbers from 1 if the row has no letter."""
        if 0 <= self.row < ROW_LETTER_COUNT:
            return f"{chr(ord('A') + self.row)}{self.col + 1}"
        return f"row {self.row + 1}, column {self.col + 1}"


CENTRE = Square(7, 7)
"""``H8``, which the first play covers (FISC I.6)."""


class Premium(StrEnum):
    """The effect of a square on the first tile that covers it, or on the words of that tile."""

    NONE = "."
    DOUBLE_LETTER = "'"
    TRIPLE_LETTER = '"'
    DOUBLE_WORD = "-"
    TRIPLE_WORD = "="

    letter: int
    """Factor of the tile: 1, 2 or 3."""
    word: int
    """Factor of the word: 1, 2 or 3."""

    def __init__(self, mark: str) -> None:
        self.letter = {"'": 2, '"': 3}.get(mark, 1)
        self.word = {"-": 2, "=": 3}.get(mark, 1)


_UPPER_HALF = """
= . . ' . . . = . . . ' . . =
. - . . . " . . . " . . . - .
. . - . . . ' . ' . . . - . .
' . . - . . . ' . . . - . . '
. . . . - . . . . . - . . . .
. " . . . " . . . " . . . " .
. . ' . . . ' . ' . . . ' . .
= . . ' . . . - . . . ' . . =
"""


def _layout() -> Mapping[Square, Premium]:
    upper = [[Premium(mark) for mark in line.split()] for line in _UPPER_HALF.split("\n") if line]
    rows = upper + upper[-2::-1]
    return MappingProxyType({Square(r, c): mark for r, row in enumerate(rows) for c, mark in enumerate(row)})


PREMIUMS: Mapping[Square, Premium] = _layout()
"""The premium of every square: 8 triple word, 17 double word, 12 triple letter, 24 double letter."""


class Tile(NamedTuple):
    """A tile on the board: its face or, for a blank, the face that it stands for all game (FISC I.6)."""

    face: str
    blank: bool = False

    @property
    def in_rack(self) -> str:
        """The tile as written in a rack or the bag: its face, or ``?``."""
        return BLANK if self.blank else self.face

    def __str__(self) -> str:
        """Format as on a scoresheet: the letter of a blank in parentheses (FISC I.9)."""
        return f"({self.face})" if self.blank else self.face


class Placement(NamedTuple):
    """One tile that a play lays on one square."""

    square: Square
    tile: Tile


class Board(Mapping[Square, Tile]):
    """The tiles on the board. A board is immutable: ``place`` and ``remove`` return a new one.

    ``str(board)`` draws it with row letters and column numbers, a blank in lower case. The premiums of free squares are
    ``=`` triple word, ``-`` double word, ``"`` triple letter and ``'`` double letter. ``Board.parse`` reads a drawing
    back.
    """

    __slots__ = ("_tiles",)

    def __init__(self, tiles: Mapping[Square, Tile] | None = None) -> None:
        tiles = tiles or {}
        outside = next((square for square in tiles if not square.on_board), None)
        if outside is not None:
            raise ValueError(f"{outside} is not on the board: its squares are A1 to O15")
        self._tiles = dict(tiles)

    def place(self, placements: Iterable[Placement]) -> Board:
        """Return the board with these tiles laid. Raises ``ValueError`` for a square that is taken or off the board."""
        laid = tuple(placements)
        for square, _ in laid:
            if square not in PREMIUMS:
                raise ValueError(f"{square} is not on the board: its squares are A1 to O15")
        board = Board.__new__(Board)
        board._tiles = self.with_tiles(laid)
        return board

    def with_tiles(self, placements: Iterable[Placement]) -> dict[Square, Tile]:
        """Return the tiles by square once these are laid, on the board or off it.

        Raises ``ValueError`` for a square that is taken.
        """
        tiles = self._tiles.copy()
        for square, tile in placements:
            if square in tiles:
                raise ValueError(f"{square} is taken: {tiles[square]} lies there")
            tiles[square] = tile
        return tiles

    def remove(self, squares: Iterable[Square]) -> Board:
        """Return the board without the tiles on these squares. Raises ``ValueError`` for an empty square."""
        tiles = dict(self._tiles)
        for square in squares:
            if tiles.pop(square, None) is None:
                raise ValueError(f"there is no tile on {square}")
        return Board(tiles)

    def __getitem__(self, square: Square) -> Tile:
        return self._tiles[square]

    def __contains__(self, square: object) -> bool:
        return square in self._tiles

    def __iter__(self) -> Iterator[Square]:
        return iter(sorted(self._tiles))

    def __len__(self) -> int:
        return len(self._tiles)

    def __hash__(self) -> int:
        return hash(frozenset(self._tiles.items()))

    def __str__(self) -> str:
        lines = ["   " + " ".join(f"{col + 1:<3}" for col in range(BOARD_SIZE)).rstrip()]
        for row in range(BOARD_SIZE):
            cells = (self.draw_square(Square(row, col)) for col in range(BOARD_SIZE))
            lines.append(f"{ROW_NAMES[row]}  " + " ".join(f"{cell:<3}" for cell in cells).rstrip())
        return "\n".join(lines)

    def draw_square(self, square: Square) -> str:
        """Return a square as ``str(board)`` draws it: its tile, or its premium."""
        tile = self.get(square)
        if tile is None:
            return PREMIUMS[square].value
        return tile.face.lower() if tile.blank else tile.face

    @classmethod
    def parse(cls, drawing: str) -> Board:
        """Parse a drawing of ``str(board)``. Raises ``ValueError`` with the line that is wrong."""
        rows = [line.split() for line in drawing.strip().splitlines()][1:]
        if len(rows) != BOARD_SIZE:
            raise ValueError(f"a board has a line of column numbers and {BOARD_SIZE} rows, not {len(rows)} rows")
        tiles: dict[Square, Tile] = {}
        for row, (name, cells) in enumerate(zip(ROW_NAMES, rows, strict=True)):
            if len(cells) != BOARD_SIZE + 1 or cells[0] != name:
                raise ValueError(f"row {name}: expected {name!r} and {BOARD_SIZE} squares, got {' '.join(cells)!r}")
            for col, cell in enumerate(cells[1:]):
                if cell not in set(Premium):
                    tiles[Square(row, col)] = Tile(cell.upper(), blank=cell != cell.upper())
        return cls(tiles)
