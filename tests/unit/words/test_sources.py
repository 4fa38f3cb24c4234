from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from faristol.words import About, LexiconError
from faristol.words.sources import SOURCES, Source, WordList


def unreachable(_name: str, folder: Path) -> WordList:
    (folder / "left behind").touch()
    raise LexiconError("the first is down")


def test_the_next_origin_is_asked_in_a_clean_folder_when_one_does_not_answer(about: About) -> None:
    seen: list[list[Path]] = []

    def reachable(name: str, folder: Path) -> WordList:
        seen.append(list(folder.iterdir()))
        return WordList(about, [name])

    assert Source("proves", "ca-100", (unreachable, reachable)).fetch() == WordList(about, ["proves"])
    assert seen == [[]]


def test_when_nothing_answers_the_error_says_why_and_what_to_do() -> None:
    with pytest.raises(LexiconError) as refused:
        Source("proves", "ca-100", (unreachable, unreachable)).fetch()
    assert str(refused.value) == (
        "the word list for 'proves' cannot be fetched (the first is down; the first is down); "
        "check the network, then run `faristol lexicon install` again"
    )


def test_a_machine_without_package_tools_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LexiconError, match="this machine has no apt-get; this machine has no npm"):
        SOURCES["catalan"].fetch()


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a Debian package of a dictionary, and an ``apt-get`` in the path that provides it after an update."""
    tree = tmp_path / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    (tree / "DEBIAN/control").write_text(
        "Package: hunspell-ca\nVersion: 1.2-3\nArchitecture: all\nMaintainer: n <n@example.org>\nDescription: words\n"
    )
    words = tree / "usr/share/hunspell/ca.dic"
    words.parent.mkdir(parents=True)
    words.write_text("2\nany/A\ncol·legi/A\n", encoding="utf-8")
    words.with_suffix(".aff").write_text("SET UTF-8\nSFX A Y 1\nSFX A 0 s [^m]\n", encoding="utf-8")
    os.utime(words, (1_000_000_000, 1_000_000_000))
    package = tmp_path / "hunspell-ca_1.2-3_all.deb"
    try:
        subprocess.run(["dpkg-deb", "--build", tree, package], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("this machine has no dpkg-deb")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "apt-get").write_text(
        f"""#!/bin/sh
case "$*" in
    *update) echo "E: another archive is down" >&2; exit 100 ;;
    *Dir::State=*download*) cp {package} . ;;
    *) echo "E: Unable to locate package hunspell-ca" >&2; exit 100 ;;
esac
"""
    )
    (tools / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    return package


@pytest.mark.usefixtures("archive")
def test_a_machine_that_never_fetched_package_lists_fetches_its_own() -> None:
    words = SOURCES["catalan"].fetch()
    assert words.lines == ["any", "anys", "col·legi", "col·legis"]
    assert words.about.edition == "hunspell-ca 1.2-3"
    assert words.about.date.isoformat() == "2001-09-09"
    assert words.about.licence == "GPL-2.0-or-later OR LGPL-2.1-or-later"
