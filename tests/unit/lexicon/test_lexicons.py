from __future__ import annotations

import pytest
from tests.support.small_lexicon import ABOUT

from faristol.kernel.refusal import Refusal
from faristol.lexicon.lexicons.library import Lexicons
from faristol.rules.tiles import load_tile_set
from faristol.words import InstalledLexicon, LexiconError, Library


def test_without_any_lexicon_the_service_starts_and_finds_what_is_installed_later(library: Library) -> None:
    lexicons = Lexicons(library)
    assert list(lexicons.list_installed()) == []
    with pytest.raises(Refusal) as refused:
        lexicons.find("catalan")
    assert refused.value.reason == "LEXICON_MISSING"
    new = library.install("catalan", [("S", "A", "L")], tile_set=load_tile_set("ca-100"), about=ABOUT)
    assert lexicons.find("catalan").digest == new.digest


def test_a_damaged_lexicon_is_found_at_the_start(library: Library, catalan: InstalledLexicon) -> None:
    file = library.path / f"{catalan.digest}.graph"
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(LexiconError, match="is damaged"):
        Lexicons(library)


def test_a_lexicon_is_opened_once(library: Library, catalan: InstalledLexicon) -> None:
    lexicons = Lexicons(library)
    assert lexicons.find("catalan") is lexicons.find(catalan.digest) is lexicons.by_digest(catalan.digest)


def test_a_new_edition_is_found_without_a_restart_and_the_old_one_stays(
    library: Library, catalan: InstalledLexicon
) -> None:
    lexicons = Lexicons(library)
    new = library.install("catalan", [("S", "A", "L")], tile_set=load_tile_set("ca-100"), about=ABOUT)
    assert lexicons.find("catalan").digest == new.digest
    assert lexicons.by_digest(catalan.digest).contains(("S", "O", "L"))
    assert [installed.digest for installed in lexicons.list_installed()] == [new.digest]


@pytest.mark.parametrize("wanted", ["klingon", "0" * 64, "../catalan", "Català"])
def test_what_is_not_there_is_refused_with_what_is(wanted: str, library: Library, catalan: InstalledLexicon) -> None:
    with pytest.raises(Refusal) as refused:
        Lexicons(library).find(wanted)
    assert refused.value.reason in {"LEXICON_MISSING", "LEXICON_UNUSABLE"}
    assert wanted in str(refused.value)


def test_a_lexicon_that_was_spoilt_meanwhile_is_refused_with_its_path(
    library: Library, catalan: InstalledLexicon
) -> None:
    lexicons = Lexicons(library)
    (library.path / "latin.lexicon").write_text("no lexicon at all")
    with pytest.raises(Refusal, match=r"latin\.lexicon: is not a lexicon") as refused:
        lexicons.list_installed()
    assert refused.value.reason == "LEXICON_UNUSABLE"
