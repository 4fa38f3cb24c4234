from __future__ import annotations

import pytest

from faristol.words.hunspell import Affixes

LONG = """
SET UTF-8
FLAG long
FULLSTRIP
FORBIDDENWORD ZZ

SFX AA Y 4
SFX AA ar ava/BB ar
SFX AA ar ant [^g]ar
SFX AA gar guem gar
SFX AA r r-se ar
SFX BB Y 1
SFX BB 0 n a
SFX CC N 1
SFX CC a es a
PFX RR Y 1
PFX RR 0 re [^r]
PFX VV Y 2
PFX VV 0 l' .
PFX VV 0 L' .
"""


def words(affixes: str, *entries: str) -> list[str]:
    return sorted(Affixes(affixes).words("\n".join((str(len(entries)), *entries))))


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("sol", ["sol"]),
        ("tirar/AA", ["tirant", "tirar", "tirava", "tiravan"]),
        ("pagar/AA", ["pagar", "pagava", "pagavan", "paguem"]),
        ("fer/RR", ["fer", "refer"]),
        ("rebre/RR", ["rebre"]),
        ("tirar/AARR", ["retirant", "retirar", "retirava", "retiravan", "tirant", "tirar", "tirava", "tiravan"]),
        ("taula/CCRR", ["retaula", "taula", "taules"]),
        ("any/VV", ["any"]),
        ("ar/AA", ["ar", "ava", "avan"]),
        ("mot/ZZAA", []),
        ("Pau/AA", []),
        ("4t/AA", []),
        ("pluja\tpo:noun", ["pluja"]),
    ],
)
def test_an_entry_makes_the_forms_that_its_flags_allow(entry: str, expected: list[str]) -> None:
    assert words(LONG, entry) == expected


def test_flags_may_be_single_characters_or_numbers() -> None:
    assert words("SFX é Y 1\nSFX é 0 s .\n", "gat/éx") == ["gat", "gats"]
    assert words("FLAG num\nSFX 12 Y 1\nSFX 12 0 s .\n", "gat/3,12") == ["gat", "gats"]


def test_a_word_is_not_stripped_to_nothing_unless_the_dictionary_says_so() -> None:
    assert words("SFX A Y 1\nSFX A ir vaig ir\n", "ir/A", "dir/A") == ["dir", "dvaig", "ir"]


def test_a_stem_that_needs_an_affix_is_no_word_alone() -> None:
    assert words("NEEDAFFIX X\nSFX A Y 1\nSFX A 0 a .\n", "cas/AX") == ["casa"]
