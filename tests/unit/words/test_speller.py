from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules.tiles import TileKind, TileSet, load_tile_set
from faristol.words.lists import spell_all

ALPHABETS = {
    "ca-100": "abcçdehilnqruxyzàéïóüwk·.-LNYŀ'",
    "es-100": "abchilrñáüíkqñÑ",
    "el-104": "αάβςσΣΐϊωώψ",
    "en-100": "abcqué-",
}


@pytest.mark.parametrize("name", ALPHABETS)
def test_a_whole_list_is_spelled_as_its_words_are_one_by_one(name: str) -> None:
    tile_set = load_tile_set(name)

    @given(st.lists(st.text(ALPHABETS[name], max_size=12)))
    def same(lines: list[str]) -> None:
        assert list(spell_all(lines, tile_set)) == [tile_set.spell(line) for line in lines]

    same()


def test_a_longest_face_that_leads_nowhere_is_given_up() -> None:
    tile_set = TileSet("xx-3", "xx", tuple(TileKind(face, 1, 1) for face in ("A", "AB", "BC")), {})
    assert list(spell_all(["abc", "ab"], tile_set)) == [("A", "BC"), ("AB",)]


def test_letters_written_in_two_characters_are_the_same_letters() -> None:
    assert list(spell_all(["c\u0327a", "me\u0301s"], load_tile_set("ca-100"))) == [("Ç", "A"), ("M", "E", "S")]
