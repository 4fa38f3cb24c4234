"""Typed words are read as tiles, from every keyboard and file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.pb.game.v1 import game_pb2
from faristol.rules import Board, Notation, Placement, Square, Tile, load_tile_set
from faristol.rules.gcg.tiles import PLAIN_FORMS, read_rack, read_word
from faristol.rules.readings import tile_readings, word_readings
from faristol.rules.tiles import TileSet
from faristol.table.decide import read_typed_tiles

CATALAN, SPANISH, GREEK = (load_tile_set(name) for name in ("ca-100", "es-100", "el-104"))
H8 = Notation.FISC.read("H8")
DOTS = "\u00b7\u2022\u2027\u2219\u22c5.-\u2024\u2011\u2013\u2212\u30fb\u1427\ua78f\u02d9\u25cf\u25e6\u2e33\u2218°"
"""Dots and hyphens that keyboards, phones and PDFs put between two L."""


def read(text: str, tile_set: TileSet) -> list[str]:
    return [" ".join(map(str, word)) for word in word_readings(text, H8, Board(), tile_set)]


@pytest.mark.parametrize(
    "text",
    [
        "KAΛAΣ",
        "kaλaς",
        "κάλας",
        "ΚΑΛΑς",
        "ΚΆΛΑΣ",
        "Κα\u0301λας",
        "΄Καλας",
        "κα΄λας",
        "K A Λ A Σ",
        "КАΛАΣ",
        "ＫＡΛＡΣ",
        "Κα\u00adλ\u200bας",
        "ΚΑΛΑΣ\ufeff",
        "κᾳλας",
    ],
)
def test_greek_is_read_with_twins_of_its_letters_and_all_its_accents(text: str) -> None:
    assert "Κ Α Λ Α Σ" in read(text, GREEK)


@pytest.mark.parametrize(
    ("text", "tiles"),
    [
        ("τῷ", "Τ Ω"),
        ("ᾼδω", "Α Δ Ω"),
        ("µέλι", "Μ Ε Λ Ι"),
        ("vίκη", "Ν Ι Κ Η"),
        ("∆ΕΝ", "Δ Ε Ν"),
        ("ϕως", "Φ Ω Σ"),
        ("ΰλη", "Υ Λ Η"),
        ("'Αλλος", "Α Λ Λ Ο Σ"),
    ],
)
def test_greek_symbols_and_marks_are_read(text: str, tiles: str) -> None:
    assert tiles in read(text, GREEK)
    assert tuple(tiles.split()) in tile_readings(text, GREEK)
    assert tuple(tiles.split()) in GREEK.spellings(text)


@given(st.sampled_from(DOTS), st.sampled_from(["", " "]), st.sampled_from(["", " "]), st.booleans(), st.booleans())
def test_every_dot_between_two_l_is_that_of_the_tile(
    dot: str, before: str, behind: str, small: bool, apart: bool
) -> None:
    if before and behind and CATALAN.normalize(dot) == ".":
        behind = ""  # with a space on both sides a full stop is a tile of the board
    text = f"C O L{before}{dot}{behind}L E G I" if apart else f"COL{before}{dot}{behind}LEGI"
    assert "C O L·L E G I" in read(text.lower() if small else text, CATALAN)


def test_a_full_stop_may_still_be_a_tile_of_the_board() -> None:
    board = Board().place([Placement(Square(7, 8), Tile("E"))])
    assert word_readings("L . L", H8, board, CATALAN) == [(Tile("L"), Tile("E"), Tile("L"))]
    assert read("L . L", CATALAN) == ["L·L"]  # if no tile is there, it is the dot of L·L


@pytest.mark.parametrize(
    "text", ["coŀlegi", "COĿLEGI", "co\u006c\u00b7legi", "CO(L·L)EGI", "ｃｏｌ·ｌｅｇｉ", "coŀ legi"]
)
def test_the_l_with_its_dot_is_read(text: str) -> None:
    assert read(text, CATALAN)[0].replace("(", "").replace(")", "") == "C O L·L E G I"


@pytest.mark.parametrize("text", ["ª", "1a", "cañ", "ΛΑ", "a½"])
def test_what_only_resembles_a_word_of_the_set_is_refused(text: str) -> None:
    assert read(text, CATALAN) == []


def test_small_letters_stay_blanks() -> None:
    assert read("KAΛa", GREEK) == ["Κ Α Λ (Α)"]
    assert read("ΚΑΛΑς", GREEK) == ["Κ Α Λ Α Σ", "Κ Α Λ Α (Σ)"]


@given(st.sampled_from([CATALAN, SPANISH, GREEK]), st.data())
def test_a_word_with_look_alikes_in_it_is_the_same_word(tile_set: TileSet, data: st.DataObject) -> None:
    faces = data.draw(st.lists(st.sampled_from(tile_set.faces), min_size=1, max_size=7))
    twins: dict[str, list[str]] = {}
    for twin, letter in tile_set.twins.items():
        if not twin.islower():
            twins.setdefault(letter, []).append(twin)
    typed = ["".join(data.draw(st.sampled_from([letter, *twins.get(letter, ())])) for letter in face) for face in faces]
    assert [tile_set.face(face) for face in typed] == faces
    assert tuple(faces) in tile_set.spellings("".join(typed))


@pytest.mark.parametrize(
    ("tile_set", "rack", "word", "faces"),
    [
        (GREEK, "KAΛAΕΙΟ", "KAΛA", "Κ Α Λ Α"),
        (GREEK, "ΛΟΓΟ?ΑΕ", "ΛΟΓΟς", "Λ Ο Γ Ο (Σ)"),
        (CATALAN, "COL•LEGI", "COL•LEGI", "C O L·L E G I"),
        (CATALAN, "COL-LEGI", "COL-LEGI", "C O L·L E G I"),
        (CATALAN, "COĿLEGI", "CO[l‧l]EGI", "C O (L·L) E G I"),
    ],
)
def test_files_of_games_are_read_alike(tile_set: TileSet, rack: str, word: str, faces: str) -> None:
    assert PLAIN_FORMS.rack.fullmatch(rack)
    assert PLAIN_FORMS.word.fullmatch(word)
    assert " ".join(map(str, read_word(word, tile_set))) == faces
    assert read_rack(rack, tile_set)[:2] == tuple(faces.split()[:2])


def test_tiles_of_a_command_are_those_of_the_set() -> None:
    request = game_pb2.PlacePlayRequest(player_id="anna")
    request.placements.add(row=7, column=7, face="A")
    request.placements.add(row=7, column=8, face="ς", blank=True)
    read_request = read_typed_tiles(request, GREEK)
    assert [tile.face for tile in read_request.placements] == ["Α", "Σ"]
    assert [tile.face for tile in request.placements] == ["A", "ς"]
    exchange = game_pb2.ExchangeRequest(faces=["l.l", "?", "Ж"])
    assert list(read_typed_tiles(exchange, CATALAN).faces) == ["L·L", "?", "Ж"]
    plain = game_pb2.ExchangeRequest(faces=["L·L", "?", "QU"])
    assert read_typed_tiles(plain, CATALAN) is plain
