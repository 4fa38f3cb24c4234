"""Spreadsheets keep each cell, and are recognised by office programs."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.spreadsheets import read_ods

from faristol.presentation.other_programs.open_document import (
    MAX_SHEET_NAME_CHARACTERS,
    ODS_MEDIA_TYPE,
    Sheet,
    write_ods,
)

TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=20)
CELLS = st.one_of(TEXTS, st.integers(-(10**9), 10**9), st.integers(-200, 200).map(lambda halves: halves / 2))


@given(st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=5))
def test_a_spreadsheet_has_each_cell_that_was_written(rows: list[list[str | int | float]]) -> None:
    (read,) = read_ods(write_ods([Sheet("Standings", rows)]))

    assert (read.name, [*map(list, read.rows)]) == ("Standings", rows)


def test_the_media_type_is_the_first_file_and_not_compressed() -> None:
    content = write_ods([Sheet("One", [["a & <b>"]])])

    with zipfile.ZipFile(BytesIO(content)) as archive:
        first = archive.infolist()[0]
        assert (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)
        assert archive.testzip() is None
        assert "META-INF/manifest.xml" in archive.namelist()
    assert content[30 : 38 + len(ODS_MEDIA_TYPE)] == b"mimetype" + ODS_MEDIA_TYPE.encode()


def test_equal_names_and_names_that_office_programs_refuse_are_changed() -> None:
    sheets = [Sheet("Round 1/2: [A]", [["x"]]), Sheet("Round 1 2 A", [["y"]]), Sheet("r" * 50, [[1]])]

    names = [sheet.name for sheet in read_ods(write_ods(sheets))]

    assert names[0] == "Round 1 2 A"
    assert len({name.casefold() for name in names}) == 3
    assert max(map(len, names)) <= MAX_SHEET_NAME_CHARACTERS


def test_a_control_character_is_left_out_and_lines_stay() -> None:
    (read,) = read_ods(write_ods([Sheet("One", [["a\x07b\nc"]])]))

    assert read.rows[0][0] == "ab\nc"


def test_no_sheet_and_another_file_are_refused() -> None:
    with pytest.raises(ValueError, match="needs a sheet"):
        write_ods([])
    with pytest.raises(ValueError, match="not a spreadsheet"):
        read_ods(b"other")
