"""Lists that people give as comma-separated values: read line by line, with what is wrong by its line."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.text import say
from faristol.text.files import why_unread

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""With which a cell begins that a spreadsheet takes for a formula: written with an apostrophe before it, it is text."""

UNREADABLE = N_("its quotes are wrong, or a field is longer than any name")


@dataclass(frozen=True, slots=True)
class LineError:
    """What is wrong with a line of a list, from 1."""

    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.line}: {self.problem}"


class Unreadable(ValueError):
    """The quotes of a line, from 1, are wrong: where the next one begins is not known."""

    def __init__(self, line: int) -> None:
        super().__init__(UNREADABLE)
        self.line = line


def content_of(file: str, language: str, most: int = 0) -> str:
    """What is in a list; ``-`` is standard input. ``most`` is in bytes, 0 for no limit.

    Raises ``StartError`` where it cannot be read, or is larger than any list of players.
    """
    try:
        with sys.stdin.buffer if file == "-" else Path(file).open("rb") as source:
            content = source.read(most + 1) if most else source.read()
        if most and len(content) > most:
            why: dict[str, str | int] = {"file": file, "most": most // 1_000_000}
            raise StartError(say(N_("the list {file} is larger than {most} MB: not a list of players"), why, language))
        return content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        why = {"file": file, "problem": why_unread(problem)}
        raise StartError(say(N_("the list {file} cannot be read: {problem}"), why, language)) from problem


def rows_of(text: str) -> Iterator[tuple[int, list[str]]]:
    """The fields of each line that is not empty, as they were before a spreadsheet, with the number of its line.

    Raises ``Unreadable``.
    """
    lines = text.splitlines()
    head = next((line for line in lines if line.strip()), "")
    # A spreadsheet in a country that writes 1,5 parts columns by semicolons.
    delimiter = ";" if head.count(";") > head.count(",") else ","
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
    while True:
        begins = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error:
            raise Unreadable(begins) from None
        if fields:
            yield reader.line_num, [" ".join(text_of(field).split()) for field in fields]


def text_of(cell: str) -> str:
    """The text that a cell was written for: without the apostrophe that keeps it from being a formula."""
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(FORMULA) else cell


def columns_of(fields: Sequence[str]) -> list[str]:
    """The names of columns as they are compared."""
    return [field.lower() for field in fields]
