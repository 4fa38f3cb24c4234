from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules import BLANK, full_bag, load_tile_set

SETS = ("ca-100", "es-100", "el-104", "en-100")


@pytest.mark.parametrize(
    ("name", "tiles", "points", "vowels"),
    [("ca-100", 100, 189, 42), ("es-100", 100, 192, 44), ("el-104", 104, 206, 51), ("en-100", 100, 187, 42)],
)
def test_every_set_has_the_tiles_of_its_box(name: str, tiles: int, points: int, vowels: int) -> None:
    found = load_tile_set(name)
    bag = full_bag(found)
    assert (len(bag), sum(found.values[face] for face in bag), bag.count(BLANK)) == (tiles, points, 2)
    assert sum(face in found.vowels for face in bag) == vowels


def naive_spellings(text: str, faces: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return every way to cut ``text`` into faces, by trying every first cut."""
    if not text:
        return {()}
    return {
        (text[:cut], *rest)
        for cut in range(1, len(text) + 1)
        if text[:cut] in faces
        for rest in naive_spellings(text[cut:], faces)
    }


@given(st.sampled_from(SETS), st.data())
def test_a_word_is_spelled_in_every_way_that_there_is_and_in_no_other(name: str, data: st.DataObject) -> None:
    found = load_tile_set(name)
    word = "".join(data.draw(st.lists(st.sampled_from(found.faces), min_size=1, max_size=6)))
    spelled = list(found.spellings(word))
    assert len(set(spelled)) == len(spelled)
    assert {spelling for spelling in spelled if "".join(spelling) == word} == naive_spellings(word, found.faces)


def test_a_text_of_twice_the_length_takes_twice_the_memory_and_not_four_times() -> None:
    spanish = load_tile_set("es-100")

    def measure_memory(letters: int) -> int:
        tracemalloc.start()
        assert spanish.spell("l" * letters) == ("LL",) * (letters // 2)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    measure_memory(2)
    assert measure_memory(4_000) < 3 * measure_memory(2_000)


@given(st.sampled_from(SETS), st.text(min_size=1, max_size=5))
def test_what_no_tile_carries_is_no_word(name: str, text: str) -> None:
    found = load_tile_set(name)
    for spelled in found.spellings(text):
        assert set(spelled) <= set(found.faces)


@pytest.mark.parametrize(
    ("name", "word", "spelled"),
    [
        ("ca-100", "que", ["QU", "E"]),
        ("ca-100", "il·lús", ["I", "L·L", "U", "S"]),
        ("ca-100", "il.lús", ["I", "L·L", "U", "S"]),
        ("ca-100", "illus", ["I", "L", "L", "U", "S"]),
        ("ca-100", "canya", ["C", "A", "NY", "A"]),
        ("ca-100", "plaça", ["P", "L", "A", "Ç", "A"]),
        ("es-100", "calle", ["C", "A", "LL", "E"]),
        ("es-100", "chorro", ["CH", "O", "RR", "O"]),
        ("es-100", "Muñeca", ["M", "U", "Ñ", "E", "C", "A"]),
        ("es-100", "que", ["Q", "U", "E"]),
        ("el-104", "λόγος", ["Λ", "Ο", "Γ", "Ο", "Σ"]),
        ("en-100", "quiz", ["Q", "U", "I", "Z"]),
    ],
)
def test_a_word_is_spelled_as_its_language_does(name: str, word: str, spelled: list[str]) -> None:
    assert load_tile_set(name).spell(word) == tuple(spelled)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ca-100", ["kiwi", "wok", "yoga", "qat"]),
        ("es-100", ["kilo", "web"]),
        ("el-104", ["quiz"]),
        ("en-100", ["ñu!"]),
    ],
)
def test_letters_that_are_on_no_tile_spell_nothing(name: str, words: list[str]) -> None:
    assert [load_tile_set(name).spell(word) for word in words] == [None] * len(words)


def test_a_tile_may_be_written_in_other_ways() -> None:
    catalan, greek = load_tile_set("ca-100"), load_tile_set("el-104")
    assert {catalan.face(text) for text in ("QU", "q", "Q(U)", "q(u)")} == {"QU"}
    assert {catalan.face(text) for text in ("L·L", "l.l", "L-L")} == {"L·L"}
    assert [catalan.face(text) for text in ("à", "ç", "Y", "K", "W", BLANK, "", "LL")] == ["A", "Ç", *[None] * 6]
    assert (greek.face("ς"), greek.face("ώ"), load_tile_set("es-100").face("K")) == ("Σ", "Ω", None)
    assert list(catalan.spellings("QU")) == [("QU",)]
