"""What can be wrong with a GCG file: where, why, and what was expected instead."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a file.

    ``reason`` is a word for machines (``OFF_TURN``), ``message`` what was found, ``expected`` what should stand
    there (empty where the message says it), ``article`` the law that a play breaks, empty for what is not law.
    """

    line: int
    """Counted from 1, as editors do."""
    reason: str
    message: str
    expected: str = ""
    article: str = ""

    def __str__(self) -> str:
        said = self.message.rstrip(".")
        return f"{said}; expected {self.expected}" if self.expected else said


class GcgError(ValueError):
    """A file that cannot be read as a game. ``problem`` says where and why."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(f"line {problem.line}: {problem}")


class Wrong(Exception):
    """A problem without its line, which the caller knows and adds."""

    def __init__(self, reason: str, message: str, expected: str = "") -> None:
        self.reason, self.message, self.expected = reason, message, expected
        super().__init__(message)

    def at(self, line: int) -> Problem:
        """The problem, at ``line``."""
        return Problem(line, self.reason, self.message, self.expected)
