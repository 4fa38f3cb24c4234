"""Parts of files in messages."""

from __future__ import annotations

SHOWN = 60
"""Characters of a file that a message repeats at most."""


def quoted(text: str) -> str:
    """A part of a file as messages show it: shortened, and with nothing that a terminal would obey."""
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")
