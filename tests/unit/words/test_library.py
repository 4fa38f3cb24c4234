from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from faristol.rules.tiles import load_tile_set
from faristol.words import About, InstalledLexicon, LexiconError, Library, MissingLexiconError, install, sources

CATALAN = load_tile_set("ca-100")
SOL, SAL = ("S", "O", "L"), ("S", "A", "L")


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "var" / "lexicons")


def put(library: Library, about: About, *words: tuple[str, ...], name: str = "proves") -> InstalledLexicon:
    return library.install(name, words, tile_set=CATALAN, about=about)


def test_what_is_installed_opens_by_name_and_by_digest(library: Library, about: About) -> None:
    installed = put(library, about, SOL, SAL)
    for graph in (library.open("proves"), library.open(installed.digest)):
        assert graph.digest == installed.digest
        assert set(graph) == {SOL, SAL}
    assert library.list() == (installed,)
    assert installed.about == about


def test_a_new_edition_takes_the_name_and_the_old_one_stays(library: Library, about: About) -> None:
    old = put(library, about, SOL)
    new = put(library, replace(about, edition="second"), SOL, SAL)
    assert library.open("proves").digest == new.digest
    assert set(library.open(old.digest)) == {SOL}
    assert library.list() == (new,)


def test_installing_the_same_again_changes_nothing(library: Library, about: About) -> None:
    first = put(library, about, SOL)
    before = {path.name: path.lstat().st_size for path in library.path.iterdir()}
    written = (library.path / f"{first.digest}.graph").stat().st_mtime_ns
    assert put(library, about, SOL) == first
    assert {path.name: path.lstat().st_size for path in library.path.iterdir()} == before
    assert (library.path / f"{first.digest}.graph").stat().st_mtime_ns == written


def test_a_library_can_be_moved(library: Library, about: About, tmp_path: Path) -> None:
    put(library, about, SOL)
    moved = library.path.rename(tmp_path / "elsewhere")
    assert set(Library(moved).open("proves")) == {SOL}


def test_a_lexicon_has_its_name_where_users_may_make_no_symbolic_links(
    library: Library, about: About, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(1314, "A required privilege is not held by the client")  # as Windows does

    monkeypatch.setattr(Path, "symlink_to", refuse)
    old = put(library, about, SOL)
    new = put(library, replace(about, edition="second"), SOL, SAL)
    assert library.list() == (new,)
    assert library.digest("proves") == new.digest
    assert set(library.open("proves")) == {SOL, SAL}
    assert set(library.open(old.digest)) == {SOL}


def test_a_missing_lexicon_says_what_to_run(library: Library) -> None:
    with pytest.raises(MissingLexiconError, match="run `faristol lexicon install catalan`") as missing:
        library.open("catalan")
    assert str(library.path) in str(missing.value)
    with pytest.raises(MissingLexiconError, match="no lexicon with digest aaaa"):
        library.open("a" * 64)
    assert library.list() == ()


@pytest.mark.parametrize("name", ["", "../catalan", "Català", "a/b", ".hidden"])
def test_a_name_that_is_no_name_is_refused(name: str, library: Library, about: About) -> None:
    with pytest.raises(LexiconError, match="is not a valid name of a lexicon"):
        put(library, about, SOL, name=name)
    with pytest.raises(LexiconError, match="is not a valid name of a lexicon"):
        library.open(name)


def test_a_file_put_in_the_place_of_another_is_noticed(library: Library, about: About) -> None:
    sol, sal = put(library, about, SOL, name="sol"), put(library, about, SAL, name="sal")
    (library.path / f"{sol.digest}.graph").write_bytes((library.path / f"{sal.digest}.graph").read_bytes())
    with pytest.raises(LexiconError, match="not the one of its name"):
        library.open("sol")


def test_a_folder_that_cannot_be_written_is_one_clear_error(tmp_path: Path, about: About) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LexiconError, match=r"file/lexicons: cannot be written"):
        put(Library(tmp_path / "file" / "lexicons"), about, SOL)


class TestInstallingByName:
    """A list that stands in for the download; the real one is fetched by the set-up."""

    @pytest.fixture
    def lines(self, about: About, monkeypatch: pytest.MonkeyPatch) -> Sequence[str]:
        lines = ["sol", "sòl", "Sol", "cm", "any", "l'any"]
        source = sources.Source("proves", "ca-100", (lambda _name, _folder: sources.WordList(about, lines),))
        monkeypatch.setitem(sources.SOURCES, "proves", source)
        return lines

    def test_playable_words_are_installed_with_progress(self, lines: Sequence[str], library: Library) -> None:
        reports: list[tuple[int, int]] = []
        installed = install("proves", library, lambda done, total: reports.append((done, total)))
        assert set(library.open("proves")) == {SOL, ("A", "NY")}
        assert installed.header.words == 2
        assert reports[-1] == (2, 2)

    def test_a_name_that_no_list_has_is_refused(self, library: Library) -> None:
        with pytest.raises(LexiconError, match="there is no word list 'klingon': there is catalan"):
            install("klingon", library)
