from __future__ import annotations

import pytest

from faristol.rules.tiles import load_tile_set
from faristol.words.lists import playable


@pytest.mark.parametrize(
    ("line", "tiles"),
    [
        ("col·legi", ("C", "O", "L·L", "E", "G", "I")),
        ("quinzenya", ("QU", "I", "N", "Z", "E", "NY", "A")),
        ("forçaràs", ("F", "O", "R", "Ç", "A", "R", "A", "S")),
        ("que", ("QU", "E")),
        ("psst", ("P", "S", "S", "T")),
        ("ics", ("I", "C", "S")),
        ("aquilaqualitzara", ("A", "QU", "I", "L", "A", "QU", "A", "L", "I", "T", "Z", "A", "R", "A")),
    ],
)
def test_words_become_tiles(line: str, tiles: tuple[str, ...]) -> None:
    assert list(playable([line], load_tile_set("ca-100"))) == [tiles]


@pytest.mark.parametrize(
    "line",
    [
        "Barcelona",
        "ONU",
        "l'any",
        "anar-se",
        "etc.",
        "4t",
        "m²",
        "kiwi",
        "soy",
        "inconstitucionalment",
        "a",
        "",
        "cm",
        "rpm",
        "hm",
    ],
)
def test_names_symbols_and_what_the_tiles_cannot_spell_are_left_out(line: str) -> None:
    assert list(playable([line], load_tile_set("ca-100"))) == []


def test_other_sets_play_their_own_letters() -> None:
    assert list(playable(["kiwi", "mph"], load_tile_set("en-100"))) == [("K", "I", "W", "I")]
    assert list(playable(["perro", "señal"], load_tile_set("es-100"))) == [
        ("P", "E", "RR", "O"),
        ("S", "E", "Ñ", "A", "L"),
    ]
    assert list(playable(["λόγος", "χμ"], load_tile_set("el-104"))) == [("Λ", "Ο", "Γ", "Ο", "Σ")]
