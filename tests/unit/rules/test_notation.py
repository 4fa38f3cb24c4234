from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.positions import squares

from faristol.rules import Board, Direction, Notation, Placement, Square, Start, Tile, lay, read_tiles, write_word

starts = st.builds(Start, squares, st.sampled_from(Direction))


@pytest.mark.parametrize(
    ("start", "fisc", "gcg"),
    [
        (Start(Square(7, 7), Direction.ACROSS), "H8", "8H"),
        (Start(Square(7, 7), Direction.DOWN), "8H", "H8"),
        (Start(Square(6, 14), Direction.DOWN), "15G", "O7"),
        (Start(Square(0, 9), Direction.ACROSS), "A10", "1J"),
    ],
)
def test_each_federation_reads_its_own_coordinates(start: Start, fisc: str, gcg: str) -> None:
    assert (Notation.FISC.write(start), Notation.GCG.write(start)) == (fisc, gcg)
    assert (Notation.FISC.read(fisc), Notation.GCG.read(gcg.lower())) == (start, start)


@given(starts, st.sampled_from(Notation))
def test_what_is_written_is_read_back(start: Start, notation: Notation) -> None:
    assert notation.read(notation.write(start)) == start


@pytest.mark.parametrize("text", ["", "H", "8", "P8", "H16", "H0", "H08", "8H8", "HH", "88"])
def test_what_names_no_square_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no start of a word"):
        Notation.FISC.read(text)


def test_a_scoresheet_writes_blanks_in_parentheses() -> None:
    tiles = read_tiles("I (L·L) U S")
    assert tiles == (Tile("I"), Tile("L·L", blank=True), Tile("U"), Tile("S"))
    assert write_word(tiles) == "I(L·L)US"


def test_a_word_over_tiles_that_lie_there_lays_only_the_others() -> None:
    board = Board({Square(7, 8): Tile("A", blank=True)})
    start = Start(Square(7, 7), Direction.ACROSS)
    assert lay(board, start, read_tiles("C A S")) == (
        Placement(Square(7, 7), Tile("C")),
        Placement(Square(7, 9), Tile("S")),
    )
    with pytest.raises(ValueError, match=r"H9 holds \(A\), and the word needs O there"):
        lay(board, start, read_tiles("C O S"))
