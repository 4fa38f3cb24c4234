"""The format of a file is known by its content, and a folder in an archive is carried as one text."""

from __future__ import annotations

import io
import zipfile

import pytest

from faristol.rules.tournament_files import (
    FileDivision,
    FilePlayer,
    FileRound,
    RoundKind,
    TournamentFile,
    UnreadableFile,
)
from faristol.rules.tournament_files.files import MAX_FILE_BYTES, read_file, read_text, to_text
from faristol.rules.tournament_files.tou import write_tou
from faristol.rules.tournament_files.tsh import encode_tsh, write_tsh

GAMES = FileRound(RoundKind.GAME, 2, 400, 300, True), FileRound(RoundKind.GAME, 1, 300, 400, False)
DIVISION = FileDivision("A", (FilePlayer("Anna Puig", 1500, GAMES[:1]), FilePlayer("Blai Soler", 1400, GAMES[1:])))
OPEN = TournamentFile("Open", "2026-03-07", (DIVISION,), 3, "tsh")
REPORT = (
    "012 Open\r\n142 3\r\n"
    "001    1      Puig, Anna                        1500                             1.0    1     2 w 1\r\n"
    "001    2      Soler, Blai                       1400                             0.0    2     1 b 0\r\n"
)


def pack(files: dict[str, bytes], folder: str = "open/") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"{folder}{name}", content)
    return made.getvalue()


TSH = {name: encode_tsh(text) for name, text in write_tsh(OPEN).items()}


@pytest.mark.parametrize(
    ("content", "program"),
    [
        (pack(TSH), "tsh"),
        (TSH["a.t"], "tsh"),
        (write_tou(OPEN).encode(), "tou"),
        (REPORT.encode(), "trf"),
        (REPORT.encode("utf-16"), "trf"),
        (b"round,first,score 1,second,score 2\n1,Anna Puig,400,Blai Soler,300\n", "csv"),
        ("\ufeffround;first;score1;second;score2\n1;Anna Puig;400;Blai Soler;300\n".encode(), "csv"),
    ],
)
def test_a_text_of_any_format_is_recognised_by_its_content(content: bytes, program: str) -> None:
    found = read_text(to_text(content)).tournament

    assert found.program == program
    assert [player.name for player in found.divisions[0].players] == ["Anna Puig", "Blai Soler"]
    assert found.divisions[0].complete_rounds == 1
    assert found.name in ("Open", "")


def test_a_folder_in_an_archive_is_read_as_the_folder_and_as_a_text_alike() -> None:
    from_text = read_text(to_text(pack(TSH))).tournament

    assert from_text == read_file("open.zip", pack(TSH)).tournament
    assert (from_text.name, from_text.rounds) == ("Open", 3)


@pytest.mark.parametrize(
    "content", [pack(TSH)[:-30], pack({"a.t": TSH["a.t"]}), pack({"a.t": b" " * (MAX_FILE_BYTES + 1)}), b"", b"\0\1\2"]
)
def test_a_damaged_or_huge_archive_and_a_file_of_no_format_are_refused(content: bytes) -> None:
    with pytest.raises(UnreadableFile):
        read_file("open.zip", content)
