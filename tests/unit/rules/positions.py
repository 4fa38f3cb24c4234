"""Positions and plays for property tests: made by laying random words, legal by construction or not."""

from __future__ import annotations

from hypothesis import strategies as st

from faristol.rules import CENTRE, Board, Direction, Placement, Square, Tile, load_tile_set

FACES = load_tile_set("ca-100").faces

squares = st.builds(Square, st.integers(0, 14), st.integers(0, 14))


def tiles_of(faces: tuple[str, ...]) -> st.SearchStrategy[Tile]:
    """Return tiles of a set as they lie on a board, some of them blanks."""
    return st.builds(Tile, st.sampled_from(faces), st.booleans())


@st.composite
def boards(draw: st.DrawFn, faces: tuple[str, ...] = FACES) -> Board:
    """Return a board with words through the centre, across and down."""
    found: dict[Square, Tile] = {}
    for direction in Direction:
        before, after = draw(st.integers(0, 5)), draw(st.integers(1, 6))
        for step in range(-before, after):
            found.setdefault(CENTRE.step(direction, step), draw(tiles_of(faces)))
    return Board(found)


@st.composite
def plays(draw: st.DrawFn, board: Board, faces: tuple[str, ...] = FACES) -> tuple[Placement, ...]:
    """Return one to seven tiles on free squares of one line, without a gap."""
    square = draw(squares.filter(lambda square: square not in board))
    direction = draw(st.sampled_from(Direction))
    laid = []
    for tile in draw(st.lists(tiles_of(faces), min_size=1, max_size=7)):
        while square in board:
            square = square.step(direction)
        if not square.on_board:
            break
        laid.append(Placement(square, tile))
        square = square.step(direction)
    return tuple(laid)


@st.composite
def positions(draw: st.DrawFn, faces: tuple[str, ...] = FACES) -> tuple[Board, tuple[Placement, ...]]:
    """Return a board and a play on it."""
    board = draw(boards(faces))
    return board, draw(plays(board, faces).filter(bool))
