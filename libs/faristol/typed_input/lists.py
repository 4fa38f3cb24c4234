"""Parsing of user-supplied CSV lists, with errors by line.

A list is accepted as spreadsheets, phones and messages produce it, in the encoding of the program. Columns are
separated by commas, semicolons, tabs or vertical bars. A list may have a line ``sep=;``, a title, empty rows and
columns, and line breaks within a cell.
"""

from __future__ import annotations

import codecs
import csv
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.text import say
from faristol.text.files import why_unread
from faristol.typed_input.encodings import ENCODINGS, FALLBACK, guess_encoding

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of cells that a spreadsheet evaluates as a formula; a leading apostrophe makes them text."""

UNREADABLE = N_("the line has an unclosed quotation mark, or a field is too long")

_MARKED = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_BREAKS = re.compile("[\u2028\u2029\x85\x0b\x0c]+")
"""Line breaks with which no spreadsheet ends a row: within a cell they are replaced by a space."""

SEPARATORS = ",;\t|"
"""Column separators. If two are equally likely, the first wins."""

_UNSEEN = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
"""Characters without a shape, which phones and messages put around names; no language of the lists needs them."""

_FILE_ENDS = "\0\x1a"
"""Characters with which old programs end or fill a file."""

_GREEK_QUESTION_MARK = "\u037e"
"""The same character as a semicolon by Unicode, on Greek keyboards."""

_QUOTED = tuple(
    re.compile(
        rf"(^|[{SEPARATORS}])( *)[{before}]([^\s{behind}][^{before}{behind}]*)[{behind}](?= *(?:[{SEPARATORS}]|$))"
    )
    for before, behind in (("“”„«", "”“»"), ("‘", "’"), ("'", "'"))
)
"""Cells within quotation marks other than those of CSV."""

MAX_CELL_LINES = 50
"""Lines of a row with line breaks within its cells: a quotation mark that is not closed within them is an error."""
_SEP = re.compile(r"\s*sep=(\t|[^\w\s\"\0])\s*\n", re.IGNORECASE)

TITLE_ROWS_COUNT = 10
"""Number of rows before the headings that are searched."""

_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""Signatures of spreadsheet files: ODS and XLSX, and XLS."""

WORKBOOK = N_("it is a spreadsheet file; save the sheet as CSV")
UNKNOWN_ENCODING = N_("there is no encoding {given}; expected one of {known}")
LIST_UNREADABLE = N_("the list {file} cannot be read: {problem}")
NOT_IN_ENCODING = N_("byte {place} is not valid {encoding}")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a list and its encoding."""

    text: str
    encoding: str
    """Common name: ``Windows-1252``."""
    guessed: bool = False
    """True if the file does not declare its encoding and its bytes are not Unicode."""


def decode_list(data: bytes, encoding: str = "") -> Decoded:
    """Decode a list by the given ``encoding``, else by its bytes.

    Raises ``ValueError`` for an unknown encoding, for bytes that are invalid in it, and for a workbook. Its arguments
    are a text marked with ``N_`` and its parameters.
    """
    if data.startswith(_WORKBOOKS):
        raise ValueError(WORKBOOK, {})
    for mark, name in _MARKED:
        if data.startswith(mark) and not encoding:
            return _decode(data.removeprefix(mark), name)
    if encoding:
        return _decode(data, _find_encoding(encoding))
    # Latin letters in UTF-16 have the upper byte 0, Greek ones 3. Text in other encodings contains neither byte.
    upper = [half.count(0) + half.count(3) for half in (data[0::2], data[1::2])]
    if 4 * max(upper) > len(data) // 2:
        return _decode(data, "utf-16-be" if upper[0] > upper[1] else "utf-16-le")
    try:
        return _decode(data, "utf-8")
    except ValueError:
        try:
            read = _decode(data, guess_encoding(data))
        except ValueError:  # an invalid byte behind the sample
            read = _decode(data, FALLBACK)
        return Decoded(read.text, read.encoding, guessed=True)


def _find_encoding(encoding: str) -> str:
    known = {name.replace("-", "").casefold(): name for name in ENCODINGS}
    known |= {re.sub(r"[\W_]", "", called).casefold(): name for name, called in ENCODINGS.items()}
    found = known.get(re.sub(r"[\W_]", "", encoding).casefold())
    if found is None:
        raise ValueError(UNKNOWN_ENCODING, {"given": repr(encoding), "known": ", ".join(ENCODINGS.values())})
    return found


def _decode(data: bytes, name: str) -> Decoded:
    called = ENCODINGS.get(name, name.upper()[: len("UTF-16")])
    try:
        return Decoded(data.decode(name).removeprefix("\ufeff"), called)
    except UnicodeDecodeError as error:
        raise ValueError(NOT_IN_ENCODING, {"place": error.start + 1, "encoding": called}) from None


@dataclass(frozen=True, slots=True)
class LineError:
    """Error in a line of a list, counted from 1."""

    line: int
    problem: str
    text: str = ""
    """Line as given; empty if it does not help, such as for headings."""

    def __str__(self) -> str:
        return f"{self.line}: {self.problem}"


class Unreadable(ValueError):
    """Invalid quotation marks in a line, counted from 1."""

    def __init__(self, line: int) -> None:
        super().__init__(UNREADABLE)
        self.line = line


def content_of(file: str, language: str, most: int = 0, encoding: str = "") -> str:
    """Return the text of a list; ``-`` is standard input. ``most`` is in bytes, 0 for no limit.

    Raises ``StartError`` if the list cannot be read or is larger than ``most``.
    """
    return decoded_content_of(file, language, most, encoding).text


def decoded_content_of(file: str, language: str, most: int = 0, encoding: str = "") -> Decoded:
    """Return the text of a list with its encoding; otherwise like ``content_of``."""
    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as source:
            content = source.read(most + 1) if most else source.read()
        if most and len(content) > most:
            why: dict[str, str | int] = {"file": file, "most": most // 1_000_000}
            raise StartError(
                say(N_("the list {file} is larger than {most} MB: it is not a list of players"), why, language)
            )
        return decode_list(content, encoding)
    except OSError as error:
        why = {"file": file, "problem": why_unread(error)}
        raise StartError(say(LIST_UNREADABLE, why, language)) from error
    except ValueError as error:
        text, params = error.args
        why = {"file": file, "problem": say(text, params, language)}
        raise StartError(say(LIST_UNREADABLE, why, language)) from error


def lines_of(text: str) -> list[str]:
    """Split a text into lines, each cell within straight quotation marks or none, without unseen characters.

    If it has line feeds, other line breaks become spaces.
    """
    plain = text.rstrip(_FILE_ENDS).replace("\r\n", "\n").replace("\r", "\n")
    plain = _UNSEEN.sub("", plain).replace(_GREEK_QUESTION_MARK, ";")
    plain = _BREAKS.sub(" " if "\n" in plain.strip("\n") else "\n", plain)
    return [line if '"' in line else _with_straight_quotes(line) for line in plain.split("\n")]


def _with_straight_quotes(line: str) -> str:
    for quoted in _QUOTED:
        line = quoted.sub(r'\1\2"\3"', line)
    return line


def _raise_unreadable(problem: Unreadable) -> None:
    raise problem


def rows_of(
    text: str, known: Collection[str] = (), tell: Callable[[Unreadable], None] = _raise_unreadable
) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line that has any, with the number of its first line, as before a spreadsheet.

    If one of the first rows has a ``known`` heading, the rows before it, such as a title, are skipped. ``tell`` is
    called with each unreadable line, and the rows continue behind it. By default it raises ``Unreadable``.
    """
    plain = "\n".join(lines_of(text))
    declared = _SEP.match(plain)
    skipped = declared[0].count("\n") if declared else 0
    body = plain[declared.end() :] if declared else plain
    separator = declared[1] if declared else separator_of(body, known)
    rows = _rows(body, separator, lambda line: tell(Unreadable(line + skipped)))
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
    """Return the separator that yields the most ``known`` headings, else the most frequent one."""
    lines = [line for line in text.split("\n") if line.strip()][: TITLE_ROWS_COUNT + 1]

    def weight(separator: str) -> tuple[int, int]:
        parted = [{cell.strip(' "').lower() for cell in line.split(separator)} for line in lines]
        named = max((len(cells & set(known)) for cells in parted), default=0)
        # A spreadsheet in a country that writes 1,5 separates columns by semicolons.
        return named, next((line.count(separator) for line in lines if line.count(separator)), 0)

    return max(SEPARATORS, key=weight)


def _rows(text: str, separator: str, tell: Callable[[int], None]) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of each row. ``tell`` is called with the number of each line at which no row can be read."""
    lines = [f"{line}\n" for line in text.split("\n")]
    place = 0
    while place < len(lines):
        some = iter(lines[place : place + MAX_CELL_LINES])
        reader = csv.reader(some, delimiter=separator, skipinitialspace=separator != "\t", strict=True)
        begins = place + 1
        try:
            fields = next(reader)
        except csv.Error:
            tell(begins)
            place += 1
            continue
        place += reader.line_num
        cells = [" ".join(text_of(field).split()) for field in fields]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            yield begins, cells


def text_of(cell: str) -> str:
    """Return the text of a cell without the apostrophe that protects it from evaluation as a formula."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


def columns_of(fields: Sequence[str]) -> list[str]:
    """Return headings in the form in which they are compared."""
    return [field.strip().lower() for field in fields]
