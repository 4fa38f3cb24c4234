from __future__ import annotations

from pathlib import Path

import pytest

from faristol.words import LexiconError
from faristol.words.hunspell import Affixes, expand

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


def test_flags_may_be_named_by_the_number_of_an_alias() -> None:
    aliased = "AF 2\nAF A\nAF AB # both\nSFX A Y 1\nSFX A 0 s/2 .\nSFX B Y 1\nSFX B 0 et .\n"
    assert words(aliased, "gat/1", "os/2", "sol") == [
        "gat",
        "gats",
        "gatset",
        "gatss",
        "os",
        "oset",
        "oss",
        "osset",
        "osss",
        "sol",
    ]
    for wrong in ("gat/3", "gat/0", "gat/A"):
        with pytest.raises(LexiconError, match="not one of the 2 flag aliases"):
            words(aliased, wrong)


def test_a_word_is_not_stripped_to_nothing_unless_the_dictionary_says_so() -> None:
    assert words("SFX A Y 1\nSFX A ir vaig ir\n", "ir/A", "dir/A") == ["dir", "dvaig", "ir"]


def test_a_stem_that_needs_an_affix_is_no_word_alone() -> None:
    assert words("NEEDAFFIX X\nSFX A Y 1\nSFX A 0 a .\n", "cas/AX") == ["casa"]


@pytest.mark.parametrize(
    ("affixes", "said"),
    [
        ("SFX A Y 2\nSFX A 0 s .\n", "line 1 of the affixes: class A has 1 lines fewer than it says"),
        ("SFX A Y 1\nSFX A 0 s .\nSFX A 0 t .\n", "line 3 of the affixes: one line of SFX A more than line 1 says"),
        ("SFX A Y many\n", "line 1 of the affixes: 'many' lines of class A; expected a number"),
        ("SFX A 0 s .\n", "line 1 of the affixes: one line of SFX A more than any header says"),
        ("SFX A Y 1\nPFX A 0 s .\n", "line 2 of the affixes: one line of PFX A more than line 1 says"),
        ("SFX A Y 1\nSFX A 0 s [ab\n", "line 2 of the affixes: condition '[ab'"),
        ("SFX A\n", "line 1 of the affixes: 1 parts"),
    ],
)
def test_malformed_affixes_are_told_with_their_line(affixes: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(LexiconError) as refused:
        Affixes(affixes, tmp_path / "sample.aff")
    assert said in str(refused.value)
    assert "sample.aff" in str(refused.value)


def test_entries_that_do_not_say_how_many_they_are_are_no_dictionary() -> None:
    with pytest.raises(LexiconError, match="line 1 of the entries: 'sol'; expected their number"):
        list(Affixes("").words("sol\nany\n"))


def test_a_dictionary_is_read_in_the_encoding_that_it_states(tmp_path: Path) -> None:
    affixes, entries = tmp_path / "el.aff", tmp_path / "el.dic"
    affixes.write_bytes(b"SET ISO8859-7\n")
    entries.write_bytes("1\nλόγος\n".encode("iso8859-7"))
    assert list(expand(affixes, entries)) == ["λόγος"]
    affixes.write_bytes(b"SET UTF-8\n")
    with pytest.raises(LexiconError, match=r"el.dic: line 2: byte 0xeb is not UTF-8"):
        list(expand(affixes, entries))
    affixes.write_bytes(b"SET KOI-9\n")
    with pytest.raises(LexiconError, match=r"el.aff: is in 'KOI-9' \(SET\), an encoding that is not known"):
        list(expand(affixes, entries))
    with pytest.raises(LexiconError, match=r"none.aff: cannot be read"):
        list(expand(tmp_path / "none.aff", entries))
