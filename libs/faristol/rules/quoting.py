"""Parts of files in messages."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

SHOWN = 60
"""Characters of a file that a message repeats at most."""


def quoted(text: str) -> str:
    """A part of a file as messages show it: shortened, and with nothing that a terminal would obey."""
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


def shown(text: str) -> str:
    """The same without quotation marks, where a sentence has it as a number or a name."""
    return quoted(text)[1:-1]


def nearest(given: str, known: Collection[str]) -> str:
    """The one of the ``known`` names that was probably meant by a misspelt one, empty where none comes near it."""
    return next(iter(get_close_matches(given.lower(), known, n=1, cutoff=0.7)), "")
