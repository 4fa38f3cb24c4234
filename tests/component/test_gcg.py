"""`faristol gcg` as a person at a terminal runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.component.processes import faristol
from tests.conftest import SHARED_DATA

PLAYERS = "#player1 ada Ada Lovelace\n#player2 blai Blai Pascal\n"
RIGHT = PLAYERS + ">ada: AEINRT? 8D TRAIN +12 12\n>blai: DEGLNOS 8D .....S +6 6\n"
WRONG = PLAYERS + ">ada: AEINRT? 8D TRAIN +13 14\n>blai: DEGLNOS 8D .....S +7 7\n"
MALFORMED = PLAYERS + ">ada: AEINRT? 8P TRAIN +12 12\n"
CATALAN = (
    "#character-encoding UTF-8\n#tile-set ca-100\n" + PLAYERS + ">ada: [NY]A?EERS 8G [NY]A[l·l] +22 22\n#incomplete\n"
)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "a-right.gcg").write_text(RIGHT, encoding="utf-8")
    (folder / "b-wrong.GCG").write_text(WRONG.replace("\n", "\r\n"), encoding="utf-8", newline="")
    (folder / "c-malformed.gcg").write_text(MALFORMED, encoding="utf-8")
    (folder / "notes.txt").write_text("no game", encoding="utf-8")
    (folder / "old.gcg").mkdir()
    return folder


def test_a_right_file_ends_with_code_0(files: Path) -> None:
    done = faristol("gcg", "check", str(files / "a-right.gcg"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{files}/a-right.gcg: right, 2 events, ada 12, blai 6, not played to its end\n"


def test_each_file_has_one_line_and_a_wrong_one_ends_with_code_1(files: Path) -> None:
    done = faristol("gcg", "check", str(files))
    right, wrong, malformed = done.stdout.splitlines()
    assert done.returncode == 1
    assert right.startswith(f"{files}/a-right.gcg: right, ")
    assert wrong == f"{files}/b-wrong.GCG:3: SCORE: the score is written as +13; expected +12 (and 2 more)"
    assert malformed.startswith(
        f"{files}/c-malformed.gcg:3: MALFORMED_PLACE: '8P' is no square; expected 8H for across"
    )
    assert done.stderr == "2 of 3 files are wrong\n"


def test_everything_that_is_wrong_is_told_when_asked(files: Path) -> None:
    done = faristol("gcg", "check", "--all", str(files / "b-wrong.GCG"))
    assert done.returncode == 1
    assert [line.split(": ", 2)[1:] for line in done.stdout.splitlines()] == [
        ["SCORE", "the score is written as +13; expected +12"],
        ["TOTAL", "the total of ada is written as 14; expected 12"],
        ["SCORE", "the score is written as +7; expected +6"],
    ]


def test_json_tells_every_line_and_problem(files: Path) -> None:
    done = faristol("gcg", "check", "--json", *(str(files / name) for name in ("b-wrong.GCG", "c-malformed.gcg")))
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert (told["ruleset"], told["right"], told["wrong"]) == ("box", 0, 2)
    wrong, malformed = told["files"]
    assert wrong["lines"][0] == {
        "line": 3,
        "nick": "ada",
        "kind": "Play",
        "score": {"file": 13, "rules": 12},
        "total": {"file": 14, "rules": 12},
    }
    assert (wrong["tile_set"], wrong["end"], wrong["totals"]) == ("en-100", None, {"ada": 12, "blai": 6})
    assert malformed["problems"] == [
        {
            "line": 3,
            "reason": "MALFORMED_PLACE",
            "message": "'8P' is no square",
            "expected": "8H for across or H8 for down: a letter A to O and a number 1 to 15",
            "article": "",
        }
    ]


def test_tiles_of_several_characters_are_checked_and_shown(tmp_path: Path) -> None:
    file = tmp_path / "game.gcg"
    file.write_text(CATALAN, encoding="utf-8")
    assert faristol("gcg", "check", "--ruleset", "fisc-2023", str(file)).returncode == 0
    done = faristol("gcg", "show", str(file))
    assert done.returncode == 0
    assert "5  ada  [NY]A?EERS  8G [NY]A[l·l]  +22  22" in done.stdout
    assert " 8 =   .   .   '   .   .   NY  A   l·l" in done.stdout
    english = faristol("gcg", "check", "--option", "tiles=en-100", str(file))
    assert english.returncode == 1
    assert "TILE_SET" in english.stdout


def test_showing_a_wrong_file_shows_it_up_to_what_is_wrong(files: Path) -> None:
    done = faristol("gcg", "show", str(files / "b-wrong.GCG"))
    assert done.returncode == 1
    assert "ada 12, blai 6" in done.stdout
    assert "expected +12" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("check",), "Missing argument 'files'"),
        (("check", "{files}/nothing.gcg"), "there is no file {files}/nothing.gcg"),
        (("check", "{files}/old.gcg"), "there is no .gcg file in {files}/old.gcg"),
        (("check", "--ruleset", "chess", "{files}"), "there is no ruleset 'chess': choose one of box, "),
        (("check", "--option", "taste=sweet", "{files}"), "have no option taste"),
        (("check", "--option", "ending", "{files}"), "'ending' has no value: expected NAME=VALUE"),
        (("check", "--option", "ending=never", "{files}"), "The option ending cannot be never"),
        (("show", "{files}"), "{files} is a folder: specify a file"),
    ],
)
def test_misuse_is_told_in_one_line_with_code_2(files: Path, arguments: tuple[str, ...], expected: str) -> None:
    done = faristol("gcg", *(part.format(files=files) for part in arguments))
    assert (done.returncode, done.stdout) == (2, "")
    assert expected.format(files=files) in done.stderr
    assert done.stderr.count("\n") == 1


def test_whatever_a_file_holds_it_is_refused_without_a_traceback(tmp_path: Path) -> None:
    contents = {
        "empty": b"",
        "zeros": bytes(1000),
        "picture": bytes(range(256)) * 40,
        "wide": "#player1 a".encode("utf-16"),
        "greek": b"#character-encoding UTF-8\n#title \xe1\xe2",
        "huge": b"#title x\n" * 200_000,
        "long": (PLAYERS + ">ada: " + "A" * 900_000 + " 8H A +2 2\n").encode(),
        "deep": (PLAYERS + ">ada: AEINRT? 8H " + "[" * 200_000 + " +2 2\n").encode(),
        "marks": (PLAYERS + ">" + ":" * 300_000 + "\n").encode(),
    }
    for name, data in contents.items():
        (tmp_path / f"{name}.gcg").write_bytes(data)
    done = faristol("gcg", "check", str(tmp_path))
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == len(contents)
    assert all(f"{tmp_path}/{name}.gcg:" in done.stdout for name in contents)
    assert "Traceback" not in done.stderr
    assert max(map(len, done.stdout.splitlines())) < 500


def test_a_file_that_cannot_be_read_is_told_beside_the_others(files: Path) -> None:
    done = faristol("gcg", "check", "/proc/self/mem", str(files / "a-right.gcg"))
    unreadable, right = done.stdout.splitlines()
    assert done.returncode == 1
    assert unreadable.startswith("/proc/self/mem:1: UNREADABLE: the file cannot be read: ")
    assert ": right, " in right


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the files from outside are not beside this checkout")
def test_the_games_recorded_elsewhere_are_right_and_the_broken_ones_are_not() -> None:
    right = faristol("gcg", "check", str(SHARED_DATA / "gcg"), str(SHARED_DATA / "gcg-valid-edge"))
    assert right.returncode == 0, right.stdout
    assert right.stdout.count(": right, ") == 27
    broken = faristol("gcg", "check", str(SHARED_DATA / "gcg-malformed"))
    assert broken.returncode == 1
    assert ": right, " not in broken.stdout
    assert broken.stderr == "17 of 17 files are wrong\n"
