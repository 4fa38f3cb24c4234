"""Quotations from files in messages, and suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

MAX_FILE_QUOTE_CHARACTERS = 60
"""Characters of a file that a message quotes at most."""


MIN_SIMILARITY_RATIO = 0.7
"""Similarity from 0 to 1 from which a name is suggested for a misspelt one."""


MIN_PREFIX_LENGTH = 3
"""Letters from which a name is suggested by its prefix."""


def quote_text(text: str) -> str:
    """Return a part of a file for a message, shortened, with control characters escaped."""
    return repr(text if len(text) <= MAX_FILE_QUOTE_CHARACTERS else text[: MAX_FILE_QUOTE_CHARACTERS - 1] + "…")


def shorten_text(text: str) -> str:
    """Return ``quoted(text)`` without quotation marks, for a number or a name in a sentence."""
    return quote_text(text)[1:-1]


def likely(given: str, known: Collection[str], most: int) -> list[str]:
    """Return at most ``most`` of the ``known`` names that a misspelt one probably means, the most similar first.

    The names are in small letters. Names with the prefix ``given`` come first. The list is empty if no name is similar.
    """
    written = given.lower()
    begun = [name for name in known if len(written) >= MIN_PREFIX_LENGTH and name.startswith(written)]
    near = get_close_matches(written, known, n=most, cutoff=MIN_SIMILARITY_RATIO)
    return [*begun, *(name for name in near if name not in begun)][:most]


def nearest(given: str, known: Collection[str]) -> str:
    """Return the first name of ``likely``, or an empty string."""
    return next(iter(likely(given, known, 1)), "")
