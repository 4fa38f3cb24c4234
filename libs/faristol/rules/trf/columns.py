"""Reading of a line by columns. Invalid content is refused with the line and the column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from faristol.kernel.quotation import quote_text

_WHOLE_NUMBER = re.compile(r"[0-9]+")
_POINTS = re.compile(r"(-?)(?=[.,0-9])([0-9]{0,4})(?:[.,]([0-9])0*)?")


@dataclass(frozen=True, slots=True)
class TrfProblem:
    """One error in a file.

    ``reason`` is a code for programs (``NOT_MUTUAL``), ``message`` describes the content found, ``expected`` the
    correct content (empty if the message has it).
    """

    line: int
    """Line number from 1."""
    column: int
    """Column number from 1, as in the description of the format."""
    reason: str
    message: str
    expected: str = ""

    def __str__(self) -> str:
        return f"{self.message}; expected {self.expected}" if self.expected else self.message


class TrfError(ValueError):
    """A file that cannot be read as a tournament. ``problem`` has the line and the reason."""

    def __init__(self, problem: TrfProblem) -> None:
        self.problem = problem
        super().__init__(f"line {problem.line}, column {problem.column}: {problem}")


class Columns:
    """One line of a file. Columns count from 1; columns after the end of the line are blank."""

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = text

    @property
    def tag(self) -> str:
        """The three characters that identify the kind of line."""
        return self.text[:3]

    def refuse(self, column: int, reason: str, message: str, expected: str = "") -> NoReturn:
        """Raise ``TrfError`` for this line."""
        raise TrfError(TrfProblem(self.number, column, reason, message, expected))

    def words(self, column: int) -> list[tuple[int, str]]:
        """Return the words from a column on, each with its first column."""
        return [(found.start() + 1, found[0]) for found in re.compile(r"\S+").finditer(self.text, column - 1)]

    def take(self, first: int, last: int) -> str:
        """Return the text between two columns, both included, without surrounding blanks."""
        return self.text[first - 1 : last].strip()

    def whole(self, first: int, last: int, what: str, least: int = 0, most: int = 9999) -> int | None:
        """Return a whole number; None if the columns are blank."""
        text = self.take(first, last)
        return self.as_whole(text, first, what, least, most) if text else None

    def as_whole(self, text: str, column: int, what: str, least: int = 0, most: int = 9999) -> int:
        """Parse a whole number. Raises ``TrfError`` for any other text and for numbers out of range."""
        if not _WHOLE_NUMBER.fullmatch(text) or not least <= int(text) <= most:
            self.refuse(column, "NUMBER", f"{what} is {quote_text(text)}", f"a whole number from {least} to {most}")
        return int(text)

    def points(self, first: int, last: int, what: str) -> int | None:
        """Return points in tenths; None if the columns are blank."""
        text = self.take(first, last)
        return self.as_points(text, first, what) if text else None

    def as_points(self, text: str, column: int, what: str) -> int:
        """Parse points, in tenths. Raises ``TrfError`` for any other text."""
        found = _POINTS.fullmatch(text)
        if found is None:
            self.refuse(column, "POINTS", f"{what} is {quote_text(text)}", "points with one decimal, as 11.5")
        tenths = int(found[2] or 0) * 10 + int(found[3] or 0)
        return -tenths if found[1] else tenths
