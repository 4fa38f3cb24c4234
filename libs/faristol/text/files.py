"""Reasons why a text file cannot be read."""

from __future__ import annotations


def why_unread(problem: OSError | UnicodeDecodeError) -> str:
    """Return why a text file cannot be read, without the error number of the operating system."""
    if isinstance(problem, OSError):
        return problem.strerror or str(problem)
    return f"byte {problem.start + 1} is not UTF-8"
