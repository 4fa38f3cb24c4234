"""Parts of files in messages."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

SHOWN = 60
"""Characters of a file that a message repeats at most."""


LIKENESS = 0.7
"""How much of two names is the same, from 0 to 1, where one was probably meant by the other."""


LEAST_BEGINNING = 3
"""Letters of a name of which it is told by its beginning."""


def quoted(text: str) -> str:
    """A part of a file as messages show it: shortened, and with nothing that a terminal would obey."""
    return repr(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")


def shown(text: str) -> str:
    """The same without quotation marks, where a sentence has it as a number or a name."""
    return quoted(text)[1:-1]


def likely(given: str, known: Collection[str], most: int) -> list[str]:
    """Those of the ``known`` names that were probably meant by a misspelt one, the nearest first; ``most`` at the most.

    The names are in small letters. Those that begin with what is given come first. Nothing where none comes near it.
    """
    written = given.lower()
    begun = [name for name in known if len(written) >= LEAST_BEGINNING and name.startswith(written)]
    near = get_close_matches(written, known, n=most, cutoff=LIKENESS)
    return [*begun, *(name for name in near if name not in begun)][:most]


def nearest(given: str, known: Collection[str]) -> str:
    """The one of the ``known`` names that was most probably meant, see ``likely``; empty where none was."""
    return next(iter(likely(given, known, 1)), "")
