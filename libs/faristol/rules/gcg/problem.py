"""Errors in a GCG file: the line, the reason, and the expected content."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GcgProblem:
    """One error in a file.

    ``reason`` is a code for programs (``OFF_TURN``), ``message`` describes the content found, ``expected`` the correct
    content (empty if the message has it). ``article`` is the article that a play breaks, or empty.
    """

    line: int
    """Line number from 1."""
    reason: str
    message: str
    expected: str = ""
    article: str = ""

    def __str__(self) -> str:
        text = self.message.rstrip(".")
        return f"{text}; expected {self.expected}" if self.expected else text


class GcgError(ValueError):
    """A file that cannot be read as a game. ``problem`` has the line and the reason."""

    def __init__(self, problem: GcgProblem) -> None:
        self.problem = problem
        super().__init__(f"line {problem.line}: {problem}")


class Wrong(Exception):
    """A problem without its line number, which the caller adds."""

    def __init__(self, reason: str, message: str, expected: str = "") -> None:
        self.reason, self.message, self.expected = reason, message, expected
        super().__init__(message)

    def at(self, line: int) -> GcgProblem:
        """Return the problem with the number ``line``."""
        return GcgProblem(line, self.reason, self.message, self.expected)
