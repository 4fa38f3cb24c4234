from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules.board import BOARD_SIZE
from faristol.rules.tiles import load_tile_set
from faristol.words import LexiconError, Listing
from faristol.words.lists import WordLists, unplayable

CATALAN = load_tile_set("ca-100")


def read(path: Path, text: str, tiles: str = "ca-100", listing: Listing | None = None) -> WordLists:
    path.write_text(text, encoding="utf-8")
    lists = WordLists()
    lists.read(path, load_tile_set(tiles), listing)
    return lists


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "list.txt"


def test_words_are_read_whatever_their_case_and_accents(path: Path) -> None:
    lists = read(path, "\ufeff# FISC\n\nQUINZE\ncol·lecció\r\n  any  \n")
    assert lists.listed == {
        Listing(): [
            ("QU", "I", "N", "Z", "E"),
            ("C", "O", "L·L", "E", "C", "C", "I", "O"),
            ("A", "NY"),
        ]
    }
    assert lists.left_out == []


def test_the_dot_of_a_geminated_l_is_read_as_files_have_it(path: Path) -> None:
    lists = read(path, "col·lecció\ncol.lecció\ncol•lecció\ncoŀlecció\nCOĿLECCIÓ\n")
    assert lists.listed == {Listing(): [("C", "O", "L·L", "E", "C", "C", "I", "O")] * 5}


def test_lines_that_hold_nothing_and_words_that_come_again_are_counted(path: Path) -> None:
    lists = read(path, "# FISC\n\ndona\ndóna\nsol\ndona\tvalencian\nkiwi\n")
    assert (lists.lines, lists.passed_over, lists.repeated, len(lists.left_out)) == (7, 2, 1, 1)


@pytest.mark.parametrize(
    ("text", "tiles", "spelled"),
    [
        ("àèéíïòóúü", "ca-100", "AEEIIOOUU"),
        ("áéíóúü", "es-100", "AEIOUU"),
        ("ΐώᾶ", "el-104", "ΙΩΑ"),
        ("façäde", "en-100", "FACADE"),
    ],
)
def test_the_accents_of_the_language_go_and_no_others(path: Path, text: str, tiles: str, spelled: str) -> None:
    assert read(path, text + "\n", tiles).listed == {Listing(): [tuple(spelled)]}


def test_a_final_sigma_is_a_sigma_and_an_n_with_a_tilde_is_no_n(path: Path) -> None:
    assert read(path, "λόγος\n", "el-104").listed == {Listing(): [tuple("ΛΟΓΟΣ")]}
    assert read(path, "caña\ncana\n", "es-100").listed == {Listing(): [tuple("CAÑA"), tuple("CANA")]}


def test_layers_stand_behind_a_tab_and_count_before_those_of_the_file(path: Path) -> None:
    lists = read(path, "sol\nxic\tvalencian, balearic\n", listing=Listing("general", "gdlc"))
    assert lists.listed == {
        Listing("general", "gdlc"): [("S", "O", "L")],
        Listing("valencian", "gdlc"): [("X", "I", "C")],
        Listing("balearic", "gdlc"): [("X", "I", "C")],
    }


def test_a_tab_or_a_comma_with_nothing_behind_it_puts_no_word_in_always(path: Path) -> None:
    assert read(path, "sol\t\n", listing=Listing("general")).listed == {Listing("general"): [("S", "O", "L")]}
    with pytest.raises(LexiconError, match=r"list.txt: line 1: '' is not a valid name of a layer"):
        read(path, "xic\tvalencian,\n")


def test_a_layer_that_is_no_name_is_told_with_its_line(path: Path) -> None:
    with pytest.raises(LexiconError, match=r"list.txt: line 2: 'Illes Balears' is not a valid name of a layer"):
        read(path, "sol\nxic\tIlles Balears\n")


@pytest.mark.parametrize(
    ("text", "tiles", "reason", "said"),
    [
        ("kiwi", "ca-100", "NO_SUCH_TILE", "kiwi contains k (U+006B LATIN SMALL LETTER K): ca-100 has no tile for it."),
        ("ñu", "ca-100", "NO_SUCH_TILE", "ñu contains ñ (U+00F1 LATIN SMALL LETTER N WITH TILDE)"),
        ("åbac", "ca-100", "NO_SUCH_TILE", "contains å"),
        ("çedilla", "es-100", "NO_SUCH_TILE", "contains ç"),
        ("k\x1b[2J", "ca-100", "NO_SUCH_TILE", "k\N{REPLACEMENT CHARACTER}[2J contains k"),
        ("sol\x1b[2J", "ca-100", "NO_SUCH_TILE", "contains \N{REPLACEMENT CHARACTER} (U+001B ?)"),
        ("co-pilot", "es-100", "NO_SUCH_TILE", "co-pilot contains - (U+002D HYPHEN-MINUS)"),
        ("y", "ca-100", "NOT_TILES", "y cannot be laid with tiles of ca-100."),
        ("ΜΕΛS", "el-104", "MIXED_SCRIPTS", "ΜΕΛS mixes scripts: Μ (Greek) + S (Latin)."),
        ("a", "ca-100", "WORD_LENGTH", "The length of a in tiles is 1: expected 2 to 15."),
        ("antiinconstitucionalment", "ca-100", "WORD_LENGTH", "in tiles is 24:"),
        ("qu" * 24, "ca-100", "WORD_LENGTH", "in tiles is 24:"),
        (" ", "ca-100", "EMPTY_WORD", "The word is empty"),
        ("l" * 10_000, "es-100", "WORD_LENGTH", "expected 2 to 15"),
        ("l" * 10_000 + "k", "es-100", "NO_SUCH_TILE", "contains k (U+006B LATIN SMALL LETTER K)"),
    ],
)
def test_what_cannot_be_a_word_is_told_with_its_reason(text: str, tiles: str, reason: str, said: str) -> None:
    refused = unplayable(text, load_tile_set(tiles))
    assert refused is not None
    assert refused.reason == reason
    assert said in str(refused)
    assert len(str(refused)) < 200


def test_a_line_that_gives_no_word_is_told_with_its_number_and_stops_nothing(path: Path) -> None:
    lists = read(path, "sol\nkiwi\nmelΑ\nany\n")
    assert lists.listed == {Listing(): [("S", "O", "L"), ("A", "NY")]}
    assert [(each.path, each.line, each.text, each.reason.reason) for each in lists.left_out] == [
        (path, 2, "kiwi", "NO_SUCH_TILE"),
        (path, 3, "melΑ", "MIXED_SCRIPTS"),
    ]


@given(st.text(alphabet="alnyqu·-kç' Αñ", max_size=30))
def test_what_is_playable_has_a_spelling_that_fits_and_nothing_else_has(text: str) -> None:
    fits = any(2 <= len(word) <= BOARD_SIZE for word in [next(CATALAN.spellings(text), ())]) and bool(text.strip())
    assert (unplayable(text, CATALAN) is None) == fits


def test_a_file_that_is_not_there_or_not_utf_8_is_told(path: Path) -> None:
    with pytest.raises(LexiconError, match=r"list.txt: cannot be read: No such file"):
        WordLists().read(path, CATALAN)
    path.write_bytes("sol\npaís\n".encode("latin-1"))
    with pytest.raises(LexiconError, match=r"list.txt: line 2: byte 0xed is not UTF-8"):
        WordLists().read(path, CATALAN)
