"""What can be wrong with a TRF file: where, why, and what was expected instead."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file.

    ``reason`` is a word for machines (``NOT_MUTUAL``), ``message`` what was found, ``expected`` what should stand
    there (empty where the message says it).
    """

    line: int
    """Counted from 1, as editors do."""
    column: int
    """Counted from 1, as the description of the format does."""
    reason: str
    message: str
    expected: str = ""

    def __str__(self) -> str:
        return f"{self.message}; expected {self.expected}" if self.expected else self.message


class TrfError(ValueError):
    """A file that cannot be read as a tournament. ``problem`` says where and why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(f"line {problem.line}, column {problem.column}: {problem}")
