"""The error class of this library."""

from __future__ import annotations

from pathlib import Path


class LexiconError(Exception):
    """A lexicon that is unavailable, unreadable or damaged.

    The message is one sentence for a person at a terminal: what is wrong, where, and the next step, if there is one.
    ``path`` is the file concerned, or None.
    """

    def __init__(self, reason: str, *, path: Path | None = None) -> None:
        super().__init__(f"{path}: {reason}" if path else reason)
        self.reason = reason
        self.path = path
