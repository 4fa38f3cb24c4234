"""The fields of each book's sheet for a play, a phony, an exchange, and the points after the end."""

from __future__ import annotations

import pytest

from faristol.rules import Direction, Square, Tile, Word, load_ruleset
from faristol.rules.notation import Start, word_tiles
from faristol.rules.sheet import WrittenLine, blanks_in_field, write_change, write_exchange, write_play

AT_H4 = Start(Square(7, 3), Direction.ACROSS)
LAID = (Tile("C"), Tile("A", blank=True), Tile("S"), Tile("A"))
WORDS = (Word(AT_H4, LAID), Word(Start(Square(6, 4), Direction.DOWN), (Tile("L"), Tile("A", blank=True))))

BOOKS = {
    "fisc-2023": (WrittenLine("H4 C(A)SA", "62", circled=True), WrittenLine("H4 C(A)SA", "0"), "–", ()),
    "fise": (WrittenLine("CASA", "62", blanks=("A",)), WrittenLine("CASA", "0", blanks=("A",)), "0", ()),
    "pes-2024": (WrittenLine(score="62"), WrittenLine(score="0"), "0", ("A",)),
    "festa-major": (WrittenLine(score="62"), WrittenLine(score="0"), "0", ()),
    "uf-2007": (WrittenLine(score="62"), WrittenLine(score="0"), "0", ()),
    "box": (WrittenLine("H4 CASA", "62", blanks=("A",)), WrittenLine("H4 CASA", "0", blanks=("A",)), "0", ()),
}


@pytest.mark.parametrize("name", BOOKS)
def test_a_bingo_a_phony_and_an_exchange_are_written_as_the_book_says(name: str) -> None:
    sheet = load_ruleset(name).scoresheet
    bingo, phony, exchange, field = BOOKS[name]
    assert write_play(sheet, WORDS, LAID, 62, bingo=True) == bingo
    assert write_play(sheet, WORDS, LAID, 0, bingo=True) == phony
    assert write_exchange(sheet) == WrittenLine(score=exchange)
    assert blanks_in_field(sheet, LAID) == field


def test_points_outside_turns_have_their_sign() -> None:
    assert [write_change(points).score for points in (11, -10, 0)] == ["+11", "−10", "0"]


def test_a_word_shows_blanks_on_the_squares_where_they_lie() -> None:
    down = Start(Square(3, 7), Direction.DOWN)
    assert word_tiles(["L·L", "A"], down, {Square(4, 7), Square(3, 8)}) == (Tile("L·L"), Tile("A", blank=True))
