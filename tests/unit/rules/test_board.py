from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from tests.unit.rules.positions import boards, squares

from faristol.rules import CENTRE, PREMIUMS, Board, Direction, Notation, Placement, Premium, Square, Tile

PRINTED = {
    Premium.TRIPLE_WORD: "A1 A8 A15 H1 H15 O1 O8 O15",
    Premium.DOUBLE_WORD: "B2 B14 C3 C13 D4 D12 E5 E11 H8 K5 K11 L4 L12 M3 M13 N2 N14",
    Premium.TRIPLE_LETTER: "B6 B10 F2 F6 F10 F14 J2 J6 J10 J14 N6 N10",
    Premium.DOUBLE_LETTER: "A4 A12 C7 C9 D1 D8 D15 G3 G7 G9 G13 H4 H12 I3 I7 I9 I13 L1 L8 L15 M7 M9 O4 O12",
}


@pytest.mark.parametrize(("premium", "names"), PRINTED.items())
def test_premiums_lie_where_the_printed_board_has_them(premium: Premium, names: str) -> None:
    expected = {Notation.FISC.read(name).square for name in names.split()}
    assert {square for square, found in PREMIUMS.items() if found is premium} == expected


def test_premiums_are_as_many_as_on_the_printed_board() -> None:
    counts = Counter(PREMIUMS.values())
    assert [counts[premium] for premium in PRINTED] == [8, 17, 12, 24]
    assert counts.total() == 225


def test_the_board_is_the_same_read_by_rows_or_by_columns() -> None:
    assert all(PREMIUMS[Square(square.col, square.row)] is premium for square, premium in PREMIUMS.items())


def test_the_centre_is_h8_and_doubles_the_word() -> None:
    assert str(CENTRE) == "H8"
    assert PREMIUMS[CENTRE].word == 2


@given(boards())
def test_a_drawing_reads_back_as_the_same_board(board: Board) -> None:
    assert Board.parse(str(board)) == board


def test_a_drawing_shows_digraph_tiles_and_blanks() -> None:
    board = Board({Square(7, 7): Tile("I"), Square(7, 8): Tile("L·L", blank=True)})
    assert "I   l·l" in str(board).splitlines()[8]


@pytest.mark.parametrize(
    ("line", "problem"), [(0, "not 14 rows"), (3, "row C: expected 'C' and 15 squares, got 'C . .'")]
)
def test_a_drawing_that_is_none_is_refused_with_the_row(line: int, problem: str) -> None:
    lines = str(Board()).splitlines()
    lines[line : line + 1] = [] if line == 0 else ["C . ."]
    with pytest.raises(ValueError, match=problem):
        Board.parse("\n".join(lines))


@given(boards(), squares)
def test_tiles_laid_and_taken_off_leave_the_board_as_it_was(board: Board, square: Square) -> None:
    if square in board:
        with pytest.raises(ValueError, match=f"{square} is taken"):
            board.place([Placement(square, Tile("A"))])
        return
    after = board.place([Placement(square, Tile("A"))])
    assert (after[square], square in board) == (Tile("A"), False)
    assert after.remove([square]) == board
    assert hash(after.remove([square])) == hash(board)


def test_what_is_not_there_cannot_be_taken_off_nor_laid_outside() -> None:
    with pytest.raises(ValueError, match="there is no tile on H8"):
        Board().remove([CENTRE])
    with pytest.raises(ValueError, match="P1 is not on the board"):
        Board().place([Placement(Square(15, 0), Tile("A"))])


def test_directions_are_at_right_angles() -> None:
    assert Square(3, 4).step(Direction.ACROSS, 2) == Square(3, 6)
    assert Square(3, 4).step(Direction.DOWN, -1) == Square(2, 4)
    assert [direction.other for direction in Direction] == [Direction.DOWN, Direction.ACROSS]
