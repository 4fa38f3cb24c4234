"""Tiles are read and written as GCG has them: one character each, or brackets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules import BLANK, Board, Notation, Tile, TileSet, lay, load_tile_set
from faristol.rules.gcg import write_play, write_rack, write_tile
from faristol.rules.gcg.game import Wrong
from faristol.rules.gcg.tiles import PLAIN_FORMS, BoardTile, read_rack, read_word

CATALAN, SPANISH, ENGLISH = load_tile_set("ca-100"), load_tile_set("es-100"), load_tile_set("en-100")
SETS = [CATALAN, SPANISH, ENGLISH, load_tile_set("el-104")]


@pytest.mark.parametrize(
    ("written", "tile_set", "expected"),
    [
        ("AE?", ENGLISH, ("A", "E", BLANK)),
        ("[L·L][NY]L[QU]?", CATALAN, ("L·L", "NY", "L", "QU", BLANK)),
        ("[L.L][L-L]", CATALAN, ("L·L", "L·L")),
        ("NYL·LANQU", CATALAN, ("NY", "L·L", "A", "N", "QU")),
        ("CHLL[CH][LL]", SPANISH, ("C", "H", "L", "L", "CH", "LL")),
        ("ÑÇ", load_tile_set("ca-100"), None),
    ],
)
def test_a_rack_is_read(written: str, tile_set: TileSet, expected: tuple[str, ...] | None) -> None:
    assert PLAIN_FORMS.rack.fullmatch(written)
    if expected is None:
        with pytest.raises(Wrong, match="Ñ is not a tile of ca-100"):
            read_rack(written, tile_set)
    else:
        assert read_rack(written, tile_set) == expected


def test_a_word_has_tiles_blanks_and_what_lay_there() -> None:
    word = "C.[ny](A[L·L])ny[l·l]."
    assert PLAIN_FORMS.word.fullmatch(word)
    assert read_word(word, CATALAN) == (
        Tile("C"),
        BoardTile(),
        Tile("NY", blank=True),
        BoardTile("A"),
        BoardTile("L·L"),
        Tile("NY", blank=True),
        Tile("L·L", blank=True),
        BoardTile(),
    )


@pytest.mark.parametrize(
    ("written", "stranger"), [("A[CH]E", r"\[CH\]"), ("AYE", "Y"), ("[Ny]", r"\[Ny\]"), ("A[?]", r"\[\?\]")]
)
def test_what_is_no_tile_of_the_set_is_refused_with_those_that_are(written: str, stranger: str) -> None:
    with pytest.raises(Wrong, match=f"{stranger} is not a tile of ca-100") as caught:
        read_word(written, CATALAN)
    assert "[L·L]" in caught.value.expected


def test_a_word_longer_than_any_is_refused_at_once() -> None:
    with pytest.raises(Wrong, match="too long"):
        read_word("A" * 100_000, CATALAN)


@given(st.data())
def test_tiles_that_are_written_are_read_again(data: st.DataObject) -> None:
    tile_set = data.draw(st.sampled_from(SETS))
    rack = data.draw(st.lists(st.sampled_from([*tile_set.faces, BLANK]), max_size=15))
    word = data.draw(st.lists(st.builds(Tile, st.sampled_from(tile_set.faces), st.booleans()), max_size=15))
    assert read_rack(write_rack(rack), tile_set) == tuple(rack)
    assert read_word("".join(map(write_tile, word)), tile_set) == tuple(word)


def test_a_play_is_written_from_the_start_of_its_word() -> None:
    centre = Notation.GCG.read("8H")
    board = Board().place(lay(Board(), centre, (Tile("A"), Tile("NY"))))
    laid = lay(board, Notation.GCG.read("8G"), (Tile("C"), Tile("A"), Tile("NY"), Tile("QU", blank=True)))
    assert write_play(board, laid) == (Notation.GCG.read("8G"), "C..[qu]")
    with pytest.raises(ValueError, match="forms no word"):
        write_play(Board(), lay(Board(), centre, (Tile("A"),)))
