from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from faristol import words
from faristol.cli.main import app
from faristol.host import StartError
from faristol.words import LexiconError, Library

ABOUT = ("--tiles", "ca-100", "--edition", "2024", "--licence", "LicenseRef-FISC", "--date", "2024-05-01")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a federation's lists, in which lexicons are kept."""
    monkeypatch.setenv("FARISTOL_LEXICONS", str(tmp_path / "lexicons"))
    (tmp_path / "general.txt").write_text("# FISC\nsol\nany\nkiwi\n", encoding="utf-8")
    (tmp_path / "balearic.txt").write_text("al·lot\nsol\n", encoding="utf-8")
    (tmp_path / "sample.aff").write_text("SET UTF-8\nSFX A Y 1\nSFX A 0 s .\n", encoding="utf-8")
    (tmp_path / "sample.dic").write_text("2\ntaula/A\nPau/A\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lexicon(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["lexicon", *arguments])


def look_up(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lexicon("look-up", "fisc", "--json", *arguments).stdout.splitlines()]


@pytest.mark.usefixtures("folder")
def test_a_federation_adds_its_lists_with_one_command() -> None:
    added = lexicon("add", "fisc", "--from", "general.txt", "--from", "balearic/dcvb=balearic.txt", *ABOUT)
    assert added.exit_code == 0, added.output
    assert "fisc: 3 tile strings" in added.stdout
    assert "layers: balearic" in added.stdout
    assert "general.txt:4: kiwi contains k" in added.stderr
    assert "1 line gave no word (NO_SUCH_TILE 1)" in added.stderr
    assert "LicenseRef-FISC  layers: balearic" in lexicon("list").stdout
    listings = [{"layer": "", "source": ""}, {"layer": "balearic", "source": "dcvb"}]
    assert look_up("sol", "al·lot", "kiwi") == [
        {
            "text": "sol",
            "valid": True,
            "spellings": [{"tiles": ["S", "O", "L"], "on": True, "listings": listings}],
            "reason": "",
        },
        {
            "text": "al·lot",
            "valid": False,
            "spellings": [{"tiles": ["A", "L·L", "O", "T"], "on": False, "listings": listings[1:]}],
            "reason": "",
        },
        {
            "text": "kiwi",
            "valid": False,
            "spellings": [],
            "reason": "kiwi contains k (U+006B LATIN SMALL LETTER K): ca-100 has no tile for it.",
        },
    ]
    assert look_up("al·lot", "--layer", "balearic")[0]["valid"] is True


@pytest.mark.usefixtures("folder")
def test_a_look_up_ends_with_1_when_a_word_is_not_in() -> None:
    lexicon("add", "fisc", "--from", "general.txt", "--from", "balearic=balearic.txt", *ABOUT)
    assert lexicon("look-up", "fisc", "sol").exit_code == 0
    missed = lexicon("look-up", "fisc", "sol", "al·lot", "lluna")
    assert missed.exit_code == 1
    assert missed.stdout.splitlines() == [
        "sol: in  S O L  (always, balearic)",
        "al·lot: off  A L·L O T  (balearic)",
        "lluna: not in fisc",
    ]


def test_the_same_lists_give_the_same_lexicon_wherever_they_are_built(folder: Path) -> None:
    arguments = ("add", "fisc", "--from", "general.txt", "--from", "balearic=balearic.txt", *ABOUT)
    first = lexicon(*arguments).stdout
    assert lexicon(*arguments, "--lexicons", str(folder / "others")).stdout == first
    assert Library(folder / "others").open("fisc").digest in first


def test_every_line_that_gave_no_word_is_in_the_report(folder: Path) -> None:
    (folder / "long.txt").write_text("sol\n" + "kiwi\n" * 30, encoding="utf-8")
    added = lexicon("add", "fisc", "--from", "long.txt", *ABOUT, "--report", "report.csv")
    assert added.stderr.count("kiwi contains k") == 10
    with (folder / "report.csv").open(encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["line"] for row in rows] == [str(line) for line in range(2, 32)]
    assert {row["reason"] for row in rows} == {"NO_SUCH_TILE"}


def test_with_strict_nothing_is_built_of_a_list_with_a_wrong_line(folder: Path) -> None:
    refused = lexicon("add", "fisc", "--from", "general.txt", *ABOUT, "--strict")
    assert isinstance(refused.exception, LexiconError)
    assert "1 line contains no word, and --strict was given: no lexicon was built" in str(refused.exception)
    assert Library(folder / "lexicons").list() == ()


@pytest.mark.usefixtures("folder")
def test_a_hunspell_dictionary_is_written_out() -> None:
    lexicon("add", "fisc", "--from", "hunspell:sample", *ABOUT)
    assert [entry["valid"] for entry in look_up("taula", "taules", "taulas", "pau")] == [True, False, True, False]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("fisc", "--from", "none.txt", *ABOUT), "none.txt: cannot be read: No such file or directory"),
        (("fisc", "--from", "hunspell:none", *ABOUT), "none.aff: cannot be read: No such file or directory"),
        (("Fisc", "--from", "general.txt", *ABOUT), "'Fisc' is not a valid name of a lexicon"),
        (
            ("fisc", "--from", "Illes=general.txt", *ABOUT),
            "--from Illes=general.txt: 'Illes' is not a valid name of a layer",
        ),
        (("fisc", "--from", "general.txt", *ABOUT, "--tiles", "ca-99"), "there is no tile set 'ca-99': choose ca-100"),
        (("fisc", "--from", "empty.txt", *ABOUT), "there is no word in these lists: no lexicon was built"),
        (("fisc", "--from", "general.txt", *ABOUT, "--report", "no/where.csv"), "no/where.csv: cannot be written"),
    ],
)
def test_what_cannot_be_added_is_told_in_one_sentence(arguments: tuple[str, ...], said: str, folder: Path) -> None:
    (folder / "empty.txt").write_text("kiwi\n", encoding="utf-8")
    refused = lexicon("add", *arguments)
    assert isinstance(refused.exception, LexiconError)
    assert said in str(refused.exception)
    assert Library(folder / "lexicons").list() == ()


def test_another_edition_than_the_expected_one_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lexicon("add", "fisc", "--from", "general.txt", *ABOUT)
    (found,) = Library(folder / "lexicons").list()
    monkeypatch.setattr(words, "install", lambda *_: found)  # the current content of Debian's package
    assert lexicon("install", "catalan", "--digest", found.digest.upper()).exit_code == 0
    other = lexicon("install", "catalan", "--digest", "0" * 64)
    assert isinstance(other.exception, StartError)
    assert f"with the digest {found.digest}; expected {'0' * 64}" in str(other.exception)
