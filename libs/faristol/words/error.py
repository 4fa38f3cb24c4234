"""The one error of this library."""

from __future__ import annotations

from pathlib import Path


class LexiconError(Exception):
    """A lexicon cannot be had, read or trusted.

    The message is one sentence for the person at the terminal: what is wrong, where, and, when there is
    something to do about it, what. ``path`` is the file in question, None when no file is.
    """

    def __init__(self, reason: str, *, path: Path | None = None) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.reason = reason
        self.path = path
