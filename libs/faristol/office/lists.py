"""Lists that people give as comma-separated values: read line by line, with what is wrong by its line.

A list is taken as spreadsheets, phones and messages give it: in the encoding of the program that wrote it, with commas,
semicolons, tabs or upright bars between the columns, with a line ``sep=;``, a title, empty rows and columns, and breaks
of line within a cell.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.office.encodings import ENCODINGS, FALLBACK, guess_encoding
from faristol.text import say
from faristol.text.files import why_unread

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""With which a cell begins that a spreadsheet takes for a formula: written with an apostrophe before it, it is text."""

UNREADABLE = N_("its quotes are wrong, or a field is longer than any name")

_MARKED = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_BREAKS = re.compile("[\u2028\u2029\x85\x0b\x0c]+")
"""Breaks of line that no spreadsheet ends a row with: within a cell they are a space."""

SEPARATORS = ",;\t|"
"""Signs between columns. Of two that are as likely it is the first."""
_SEP = re.compile(r"\s*sep=(.)\s*\n", re.IGNORECASE)

TITLE_ROWS_COUNT = 10
"""Rows before the names of columns that are looked through."""

_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""With which files of spreadsheet programs begin: ODS and XLSX, and XLS."""

WORKBOOK = N_("it is a file of a spreadsheet program; save the sheet as CSV")
UNKNOWN_ENCODING = N_("there is no encoding {given}; expected one of {known}")
NOT_IN_ENCODING = N_("byte {place} is not {encoding}")


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a list, and how it was read."""

    text: str
    encoding: str
    """As people call it: ``Windows-1252``."""
    guessed: bool = False
    """Nothing in the file says the encoding, and its bytes are not Unicode."""


def decode_list(data: bytes, encoding: str = "") -> Decoded:
    """The text of a list: in the ``encoding`` that somebody says, else as its bytes are.

    Raises ``ValueError``, with a text marked with ``N_`` in the first place of its arguments and its parameters in the
    second, for an encoding that there is not, for bytes that are not in it, and for a workbook.
    """
    if data.startswith(_WORKBOOKS):
        raise ValueError(WORKBOOK, {})
    for mark, name in _MARKED:
        if data.startswith(mark) and not encoding:
            return _decoded(data.removeprefix(mark), name)
    if encoding:
        return _decoded(data, _named(encoding))
    # Latin letters in UTF-16 have the upper byte 0, Greek ones 3; no text in another encoding has either of them.
    upper = [half.count(0) + half.count(3) for half in (data[0::2], data[1::2])]
    if 4 * max(upper) > len(data) // 2:
        return _decoded(data, "utf-16-be" if upper[0] > upper[1] else "utf-16-le")
    try:
        return _decoded(data, "utf-8")
    except ValueError:
        try:
            read = _decoded(data, guess_encoding(data))
        except ValueError:  # a byte behind the sample
            read = _decoded(data, FALLBACK)
        return Decoded(read.text, read.encoding, guessed=True)


def _named(encoding: str) -> str:
    known = {name.replace("-", "").casefold(): name for name in ENCODINGS}
    known |= {re.sub(r"[\W_]", "", called).casefold(): name for name, called in ENCODINGS.items()}
    found = known.get(re.sub(r"[\W_]", "", encoding).casefold())
    if found is None:
        raise ValueError(UNKNOWN_ENCODING, {"given": repr(encoding), "known": ", ".join(ENCODINGS.values())})
    return found


def _decoded(data: bytes, name: str) -> Decoded:
    called = ENCODINGS.get(name, "UTF-16" if name.startswith("utf-16") else name)
    try:
        return Decoded(data.decode(name).removeprefix("\ufeff"), called)
    except UnicodeDecodeError as problem:
        raise ValueError(NOT_IN_ENCODING, {"place": problem.start + 1, "encoding": called}) from None


@dataclass(frozen=True, slots=True)
class LineError:
    """What is wrong with a line of a list, from 1."""

    line: int
    problem: str
    text: str = ""
    """The line as it was given; empty where it says nothing, as of names of columns."""

    def __str__(self) -> str:
        return f"{self.line}: {self.problem}"


class Unreadable(ValueError):
    """The quotes of a line, from 1, are wrong: where the next one begins is not known."""

    def __init__(self, line: int) -> None:
        super().__init__(UNREADABLE)
        self.line = line


def content_of(file: str, language: str, most: int = 0, encoding: str = "") -> str:
    """What is in a list; ``-`` is standard input. ``most`` is in bytes, 0 for no limit.

    Raises ``StartError`` where it cannot be read, or is larger than any list of players.
    """
    return decoded_content_of(file, language, most, encoding).text


def decoded_content_of(file: str, language: str, most: int = 0, encoding: str = "") -> Decoded:
    """The same, with the encoding that it was read in."""
    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as source:
            content = source.read(most + 1) if most else source.read()
        if most and len(content) > most:
            why: dict[str, str | int] = {"file": file, "most": most // 1_000_000}
            raise StartError(say(N_("the list {file} is larger than {most} MB: not a list of players"), why, language))
    except OSError as problem:
        why = {"file": file, "problem": why_unread(problem)}
        raise StartError(say(N_("the list {file} cannot be read: {problem}"), why, language)) from problem
    try:
        return decode_list(content, encoding)
    except ValueError as problem:
        text, params = problem.args
        why = {"file": file, "problem": say(text, params, language)}
        raise StartError(say(N_("the list {file} cannot be read: {problem}"), why, language)) from problem


def lines_of(text: str) -> list[str]:
    """The lines of a text: another break of line within one is a space, where there are line feeds too."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return _BREAKS.sub(" " if "\n" in plain.strip("\n") else "\n", plain).split("\n")


def rows_of(text: str, known: Collection[str] = ()) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line that has any, as they were before a spreadsheet, with the number of its first line.

    The first row has the names of columns where one of ``known`` names is among the first rows: those before it, such
    as a title, are passed over. Raises ``Unreadable``.
    """
    plain = "\n".join(lines_of(text.removeprefix("\ufeff")))
    said = _SEP.match(plain)
    skipped = said[0].count("\n") if said else 0
    body = plain[said.end() :] if said else plain
    separator = said[1] if said else separator_of(body, known)
    rows = _rows(body, separator)
    if known:
        first: list[tuple[int, list[str]]] = []
        for row in rows:
            first.append(row)
            if set(columns_of(row[1])) & set(known):
                first = [row]
                break
            if len(first) > TITLE_ROWS_COUNT:
                break
        yield from ((line + skipped, fields) for line, fields in first)
    yield from ((line + skipped, fields) for line, fields in rows)


def separator_of(text: str, known: Collection[str] = ()) -> str:
    """The sign between columns: the one by which the most ``known`` names are parted, else the most frequent."""
    lines = [line for line in text.split("\n") if line.strip()][: TITLE_ROWS_COUNT + 1]

    def weight(separator: str) -> tuple[int, int]:
        parted = [{cell.strip(' "').lower() for cell in line.split(separator)} for line in lines]
        named = max((len(cells & set(known)) for cells in parted), default=0)
        # Of a spreadsheet in a country that writes 1,5 the columns are parted by semicolons.
        return named, next((line.count(separator) for line in lines if line.count(separator)), 0)

    return max(SEPARATORS, key=weight)


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    lines = io.StringIO(text, newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=separator != "\t", strict=True)
    while True:
        begins = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error:
            raise Unreadable(begins) from None
        cells = [" ".join(text_of(field).split()) for field in fields]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield begins, cells


def text_of(cell: str) -> str:
    """The text that a cell was written for: without the apostrophe that keeps it from being a formula."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


def columns_of(fields: Sequence[str]) -> list[str]:
    """The names of columns as they are compared."""
    return [field.strip().lower() for field in fields]
