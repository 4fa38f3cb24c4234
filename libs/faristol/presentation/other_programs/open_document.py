"""Spreadsheets in the OpenDocument format (ODS), for office programs. Pure.

A file is a ZIP archive with three files of XML (OASIS OpenDocument 1.3, part 2 packages, part 3 schema). The known
libraries were rejected: odfpy has had no release since 2020 and no types, and pandas and pyexcel need it; the tables
here need neither formulas nor styles, which leaves about sixty lines. The first file is ``mimetype``, not compressed,
by which programs recognise the format. Equal tables give equal bytes.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from xml.sax.saxutils import escape, quoteattr

ODS_MEDIA_TYPE = "application/vnd.oasis.opendocument.spreadsheet"

MAX_SHEET_NAME_CHARACTERS = 31
"""Longest name of a sheet that all office programs accept."""

Cell = str | int | float
Row = Sequence[Cell]

_EARLIEST_DAY = (1980, 1, 1, 0, 0, 0)
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_MANIFEST = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_FORBIDDEN_IN_NAMES = str.maketrans(dict.fromkeys("[]*?:/\\", " "))
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32)])


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table of a spreadsheet."""

    name: str
    rows: Sequence[Row]


def write_ods(sheets: Sequence[Sheet]) -> bytes:
    """Return a spreadsheet. Raises ``ValueError`` without a sheet; names that occur twice get a number."""
    if not sheets:
        raise ValueError("a spreadsheet needs a sheet")
    names = _name_sheets(sheets)
    tables = "".join(_write_sheet(name, sheet.rows) for name, sheet in zip(names, sheets, strict=True))
    content = (
        f'{_HEAD}<office:document-content xmlns:office="{_OFFICE}" xmlns:table="{_TABLE}" xmlns:text="{_TEXT}" '
        f'office:version="1.3"><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>'
        "</office:document-content>\n"
    )
    manifest = (
        f'{_HEAD}<manifest:manifest xmlns:manifest="{_MANIFEST}" manifest:version="1.3">'
        f'<manifest:file-entry manifest:full-path="/" manifest:version="1.3" manifest:media-type="{ODS_MEDIA_TYPE}"/>'
        '<manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/>'
        "</manifest:manifest>\n"
    )
    made = BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype", _EARLIEST_DAY), ODS_MEDIA_TYPE, zipfile.ZIP_STORED)
        for name, text in (("content.xml", content), ("META-INF/manifest.xml", manifest)):
            archive.writestr(zipfile.ZipInfo(name, _EARLIEST_DAY), text, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _name_sheets(sheets: Sequence[Sheet]) -> list[str]:
    names: list[str] = []
    for place, sheet in enumerate(sheets, 1):
        name = " ".join(sheet.name.translate(_FORBIDDEN_IN_NAMES).split())[:MAX_SHEET_NAME_CHARACTERS] or str(place)
        while name.casefold() in {each.casefold() for each in names}:
            name = f"{name[: MAX_SHEET_NAME_CHARACTERS - 4]} {place}"
        names.append(name)
    return names


def _write_sheet(name: str, rows: Sequence[Row]) -> str:
    width = max((len(row) for row in rows), default=1) or 1
    lines = "".join(f"<table:table-row>{''.join(_write_cells(row))}</table:table-row>" for row in rows or [("",)])
    columns = f'<table:table-column table:number-columns-repeated="{width}"/>'
    return f"<table:table table:name={quoteattr(name)}>{columns}{lines}</table:table>"


def _write_cells(row: Row) -> Iterator[str]:
    for cell in row or ("",):
        if isinstance(cell, str):
            text = escape(cell.translate(_CONTROLS))
            lines = "".join(f"<text:p>{line}</text:p>" for line in text.splitlines())
            yield f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'
        else:
            yield (
                f'<table:table-cell office:value-type="float" office:value="{cell}"><text:p>{cell}</text:p>'
                "</table:table-cell>"
            )
