from __future__ import annotations

import re

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


@pytest.mark.parametrize(
    "text",
    [
        "",
        "H",
        "8",
        "P8",
        "H16",
        "H0",
        "8H8",
        "HH",
        "88",
        "H1 5",
        "Λ8",
        "H8↓",
        "½H",
        "H" + "0" * 40 + "8",
        "H08H",
        "8º",
        "8ª",
        "H²H",
        "→8H",
        "H8↑",
        "H8→↓",
    ],
)
def test_what_names_no_square_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a start of a word"):
        Notation.FISC.read(text)


_OTHER_LETTERS = {"H": "hＨΗηΉ\u041d\u2c8e", "A": "aＡΑαÁά\u0410", "O": "oＯΟο\u041e", "E": "eＥΕε\u0415"}
"""Full width, Greek, Cyrillic and Coptic letters that look like those of rows."""

_DIGITS = ("0123456789", "０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩")
_BETWEEN = (
    *("", " ", "-", " - ", "\u00a0", "\u2009", "–", "−", ".", ",", "/", ":", "_", "\u200b", "\u2011", " · "),
    *("|", "=", "+", "º ", "\u0301", "´"),
)
_AROUND = (
    ("", ""),
    ("(", ")"),
    ("[", "]"),
    ("（", "）"),
    ("«", "»"),
    (" ", "\t"),
    ("", "."),
    ("\ufeff", ""),
    ("'", "'"),
)


@given(starts, st.sampled_from(Notation), st.data())
def test_a_square_is_read_as_people_write_it(start: Start, notation: Notation, data: st.DataObject) -> None:
    letter, number = re.findall("[A-O]|[0-9]+", notation.write(start))
    letter_first = letter.isalpha()
    if not letter_first:
        letter, number = number, letter
    letter = data.draw(st.sampled_from([letter, *_OTHER_LETTERS.get(letter, letter.lower())]))
    number = "0" * data.draw(st.integers(0, 2)) + number
    number = number.translate(str.maketrans(_DIGITS[0], data.draw(st.sampled_from(_DIGITS))))
    between = data.draw(st.sampled_from(_BETWEEN))
    before, behind = data.draw(st.sampled_from(_AROUND))
    inside = between.join([letter, number] if letter_first else [number, letter])
    assert notation.read(f"{before}{inside}{behind}") == start


@pytest.mark.parametrize(
    ("text", "square"),
    [("1OH", "10H"), ("H1O", "H10"), ("H-l5", "H15"), ("HI5", "H15"), ("l5H", "15H"), ("O1Ο", "")],
)
def test_letters_that_look_like_digits_are_digits_if_one_square_is_possible(text: str, square: str) -> None:
    if square:
        assert Notation.FISC.read(text) == Notation.FISC.read(square)
    else:
        with pytest.raises(ValueError, match="is not a start of a word"):
            Notation.FISC.read(text)


@pytest.mark.parametrize(("text", "square"), [("I5", "I5"), ("15O", "15O"), ("O8", "O8"), ("IO5", "I5")])
def test_letters_of_rows_stay_letters(text: str, square: str) -> None:
    assert Notation.FISC.write(Notation.FISC.read(text)) == square


@pytest.mark.parametrize(
    ("text", "square", "rest"),
    [
        ("H8 CASA", "H8", "CASA"),
        ("H 8 CASA 24", "H8", "CASA 24"),
        ("8 - h c a s a", "8H", "c a s a"),
        ("(8-H)  C A", "8H", "C A"),
        ("h08", "H8", ""),
        ("H8 8 A", "H8", "8 A"),
        ("H8→ CASA", "H8", "CASA"),
        ("H8 → CASA", "H8", "CASA"),
        ("↓8H CASA", "8H", "CASA"),
        ("8 H ⬇ C A", "8H", "C A"),
    ],
)
def test_a_line_begins_with_a_square_as_people_write_it(text: str, square: str, rest: str) -> None:
    assert Notation.FISC.read_first(text) == (Notation.FISC.read(square), rest)


def test_a_line_that_begins_with_no_square_is_refused() -> None:
    for text in ("", "casa", "H CASA", "8 8 H8", "P 8 CASA"):
        with pytest.raises(ValueError, match="is not a start of a word"):
            Notation.FISC.read_first(text)


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
