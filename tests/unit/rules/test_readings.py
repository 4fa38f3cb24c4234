"""The input of scorers is read as tiles, and never as impossible ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules import Board, Notation, Placement, Square, Tile, lay, read_tiles
from faristol.rules.readings import MAX_READINGS, is_exact, tile_readings, word_readings
from faristol.rules.tiles import TileSet, load_tile_set

SPANISH, CATALAN, GREEK = (load_tile_set(name) for name in ("es-100", "ca-100", "el-104"))
SETS = st.sampled_from([SPANISH, CATALAN, GREEK])
EMPTY = Board()
H8 = Notation.FISC.read("H8")
LAID = EMPTY.place([Placement(Square(7, 8), Tile("A")), Placement(Square(7, 9), Tile("S", blank=True))])
"""``A`` on H9 and a blank for ``S`` on H10."""


def list_readings(text: str, tiles: str = "es", board: Board = EMPTY, start: str = "H8") -> list[str]:
    tile_set = {"es": SPANISH, "ca": CATALAN, "el": GREEK}[tiles]
    return [" ".join(map(str, word)) for word in word_readings(text, Notation.FISC.read(start), board, tile_set)]


@pytest.mark.parametrize(
    ("tiles", "text", "expected"),
    [
        ("el", "λογος", ["Λ Ο Γ Ο Σ"]),
        ("el", "λόγος", ["Λ Ο Γ Ο Σ"]),
        ("ca", "col·legi", ["C O L·L E G I"]),
        ("ca", "col.legi", ["C O L·L E G I"]),
        ("ca", "Anys", ["A NY S"]),
        ("ca", "aquí", ["A QU I"]),
        ("es", "carros", ["C A RR O S", "C A R R O S"]),
        ("es", "CARROS", ["C A RR O S", "C A R R O S"]),
        ("es", "c a r r o s", ["C A R R O S"]),
        ("es", "C A RR O S", ["C A RR O S"]),
        ("es", "RR", ["RR"]),
        ("es", "rr", ["RR", "R R"]),
        ("es", "casa", ["C A S A"]),
        ("es", "CASA", ["C A S A"]),
        ("es", "cas(a)", ["C A S (A)"]),
        ("es", "cas?a", ["C A S (A)"]),
        ("es", "CaSA", ["C (A) S A"]),
        ("es", "C a S A", ["C (A) S A"]),
        ("es", "Casa", ["C A S A"]),
        ("es", "As", ["A S", "A (S)"]),
        ("es", "Ca?sa", ["C A (S) A", "C (A) (S) A"]),
        ("es", "ca(ll)e", ["C A (LL) E"]),
        ("es", "CASa", ["C A S (A)"]),
        ("es", "CA(s)a", ["C A (S) (A)"]),
        ("ca", "A Q U I", ["A QU U I", "A QU I"]),
        ("ca", "a (q) u i", ["A (QU) U I", "A (QU) I"]),
        ("ca", "Q U E", ["QU U E", "QU E"]),
        ("ca", "A QU I", ["A QU I"]),
        ("ca", "(N)YAM", ["(NY) A M"]),
        ("ca", "PI(N)(Y)A", ["P I (NY) A"]),
        ("ca", "PIⓃYA", ["P I (NY) A"]),
        ("ca", "a(l)·la", ["A (L·L) A"]),
        ("ca", "al(·l)a", ["A (L·L) A"]),
        ("ca", "(NY", []),
        ("es", "(C)HICO", ["(C) H I C O", "(CH) I C O"]),
        ("es", "CASA\u0332", ["C A S (A)"]),
        ("ca", "pinyaNY", ["P I NY A NY"]),
        ("ca", "aNYs", ["A NY S", "(A) NY (S)"]),
        ("es", "LLana", ["LL A N A", "L L A N A"]),
        ("es", "LlANA", ["L (L) A N A"]),
        ("es", "casa.", ["C A S A"]),
        ("el", "ΛΟΓΟΣ.", ["Λ Ο Γ Ο Σ"]),
        ("es", "casa?", []),
        ("ca", "C-A-L-L-A", ["C A L·L A", "C A L L A"]),
        ("ca", "C·A·L·L·A", ["C A L·L A", "C A L L A"]),
        ("ca", "C.A.S.A.", ["C A S A"]),
        ("ca", "C A # E S", []),
        ("ca", "C-A-#-E", []),
        ("es", "cabeça", []),
        ("es", "", []),
        ("es", "()", []),
        ("es", "casa(", []),
        ("es", "a" * 16, []),
    ],
)
def test_a_word_is_read_in_every_way_it_can_mean(tiles: str, text: str, expected: list[str]) -> None:
    assert list_readings(text, tiles) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("casa", ["C A (S) A"]),
        ("c..a", ["C A (S) A"]),
        ("c(as)a", ["C A (S) A"]),
        ("c(a)sa", ["C A (S) A"]),
        ("C . . A", ["C A (S) A"]),
        ("cala", []),
        ("c(al)a", []),
        ("ca.l.", []),
        ("cas.", ["C A (S)"]),
        ("ca.", ["C A (S)"]),
    ],
)
def test_tiles_on_the_board_are_those_that_lie_there(text: str, expected: list[str]) -> None:
    assert list_readings(text, board=LAID) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ae?", [("A", "E", "?")]),
        ("A E ?", [("A", "E", "?")]),
        ("a,e", [("A", "E")]),
        ("rra", [("RR", "A"), ("R", "R", "A")]),
        ("RR", [("RR",)]),
        ("3", []),
        ("", []),
    ],
)
def test_tiles_of_a_rack_are_read_likewise(text: str, expected: list[tuple[str, ...]]) -> None:
    assert tile_readings(text, SPANISH) == expected


@st.composite
def laid_words(draw: st.DrawFn) -> tuple[TileSet, tuple[Tile, ...]]:
    tile_set = draw(SETS)
    tiles = draw(st.lists(st.builds(Tile, st.sampled_from(tile_set.faces), st.booleans()), min_size=1, max_size=15))
    return tile_set, tuple(tiles)


@given(laid_words(), st.booleans())
def test_the_tiles_that_somebody_meant_are_always_among_the_readings(
    meant: tuple[TileSet, tuple[Tile, ...]], small: bool
) -> None:
    tile_set, tiles = meant
    start = Notation.FISC.read("A1")
    text = "".join(map(str, tiles))
    read = word_readings(text.lower() if small else text, start, EMPTY, tile_set)
    assert tiles in read or len(read) == MAX_READINGS or is_exact(text, tile_set)
    spaced = " ".join(map(str, tiles))
    assert word_readings(spaced, start, EMPTY, tile_set) == [tiles]
    assert read_tiles(spaced) == tiles


@given(st.text(max_size=20), SETS, st.booleans())
def test_whatever_is_typed_a_reading_fits_the_board_and_shows_what_lies_there(
    text: str, tile_set: TileSet, taken: bool
) -> None:
    board = LAID if taken else EMPTY
    for word in word_readings(text, H8, board, tile_set):
        laid = lay(board, H8, word)
        assert len(laid) == sum(H8.square.step(H8.direction, place) not in board for place in range(len(word)))
        assert all(tile.face in {*tile_set.faces, "?"} for tile in word)
    for faces in tile_readings(text, tile_set):
        assert all(face in {*tile_set.faces, "?"} for face in faces)


def test_text_is_exact_where_every_part_of_it_is_a_tile() -> None:
    assert is_exact("C A RR O S", SPANISH)
    assert is_exact("(C) ?", SPANISH)
    assert not is_exact("C A x", SPANISH)
    assert not is_exact("x A", SPANISH)
    assert not is_exact("", SPANISH)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C a S A", ["C (A) S A"]),
        ("C a S a", ["C (A) S (A)"]),
        ("C a s a S", []),
        ("C A ?s A", ["C A (S) A"]),
        ("C A (s) A", ["C A (S) A"]),
        ("c a ?s a", ["C A (S) A"]),
    ],
)
def test_tiles_typed_apart_are_blanks_by_sign_or_by_small_letters_as_many_as_there_are_blanks(
    text: str, expected: list[str]
) -> None:
    assert SPANISH.counts["?"] == 2
    assert list_readings(text) == expected
