"""Why a file of text cannot be read."""

from __future__ import annotations


def why_unread(problem: OSError | UnicodeDecodeError) -> str:
    """Why a file of text cannot be read, without the number that the operating system has for it."""
    if isinstance(problem, OSError):
        return problem.strerror or str(problem)
    return f"byte {problem.start + 1} is not UTF-8"
