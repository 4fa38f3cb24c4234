"""Spreadsheets of the product, read again."""

from __future__ import annotations

import zipfile
from io import BytesIO
from xml.etree import ElementTree

from faristol.presentation.other_programs.open_document import ODS_MEDIA_TYPE, Cell, Sheet

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TABLE = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"


def read_ods(content: bytes) -> list[Sheet]:
    """Return the tables of a spreadsheet that ``write_ods`` made. Raises ``ValueError`` for another file."""
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            if archive.read("mimetype").decode() != ODS_MEDIA_TYPE:
                raise ValueError("the file is no spreadsheet")
            root = ElementTree.fromstring(archive.read("content.xml"))
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError) as error:
        raise ValueError(f"not a spreadsheet: {error}") from None
    return [
        Sheet(
            table.get(f"{{{TABLE}}}name", ""),
            [[*map(_read_cell, row)] for row in table.iter(f"{{{TABLE}}}table-row")],
        )
        for table in root.iter(f"{{{TABLE}}}table")
    ]


def _read_cell(cell: ElementTree.Element) -> Cell:
    value = cell.get(f"{{{OFFICE}}}value")
    if value is not None:
        return float(value) if "." in value else int(value)
    return "\n".join(paragraph.text or "" for paragraph in cell.iter(f"{{{TEXT}}}p"))
