"""Detection of the encoding of a list of names, if the file does not declare it. Pure.

Detection by statistics of running text fails on short lists of names: it rates ``JosŽ`` like ``José``. A name has the
letters of its language, capitals at the beginning of words, and no sign between two letters.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from charset_normalizer import from_bytes

ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252",
    "cp1253": "Windows-1253",
    "iso8859-1": "ISO 8859-1",
    "iso8859-7": "ISO 8859-7",
    "iso8859-15": "ISO 8859-15",
    "mac-roman": "Mac Roman",
    "mac-greek": "Mac Greek",
    "cp850": "DOS 850",
    "cp737": "DOS 737",
}
"""Encodings of lists: common names by Python names."""

GUESSED = ("cp1252", "cp1253", "iso8859-7", "iso8859-15", "mac-roman", "mac-greek", "cp850", "cp737")
"""Candidates for bytes that are not Unicode: those that spreadsheets use in the supported languages."""

FALLBACK = "iso8859-1"
"""Encoding in which every byte is a character."""

MAX_SAMPLE_BYTES = 32_000
"""Size of the sample from the beginning of a list, in bytes."""

_WORD = re.compile(r"[^\s;,|\t\"\d]+")
_JOINERS = frozenset("·.'’-‐‑ªº")
"""Signs that occur between the letters of a name or at its end."""

_USUAL = frozenset("áàâãäéèêëíïóòôõöúùüñç")
"""Letters, other than a to z, that are common in names of Western Europe."""

_RARE = frozenset("åæøœûîìýß")
"""Letters that are rare in names."""

_OLD = frozenset({"cp850", "cp737"})
"""Encodings of obsolete programs: they lose against an equally likely encoding."""


def guess_encoding(data: bytes) -> str:
    """Return the encoding of ``GUESSED`` that makes bytes most like names; ``FALLBACK`` if none decodes them."""
    sample = data[:MAX_SAMPLE_BYTES]
    ratings: dict[str, int] = {}
    for name in GUESSED:
        try:
            ratings[name] = rate_names(sample.decode(name)) - (name in _OLD)
        except UnicodeDecodeError:
            continue
    if not ratings:
        return FALLBACK
    best = [name for name, rating in ratings.items() if rating == max(ratings.values())]
    return best[0] if len(best) == 1 else _most_coherent(sample, best)


def _most_coherent(data: bytes, names: Sequence[str]) -> str:
    """Return the most likely of equally rated encodings by statistics of running text."""
    found = from_bytes(data, cp_isolation=[name.replace("-", "_") for name in names]).best()
    chosen = found.encoding.replace("_", "-") if found else ""
    return chosen if chosen in names else names[0]


def rate_names(text: str) -> int:
    """Return how much a text is like names: points for each character that is not ASCII, some negative."""
    return sum(_rate_word(word) for word in _WORD.findall(text) if not word.isascii())


def _rate_word(word: str) -> int:
    scripts = {_script(char) for char in word if char.isalpha()}
    rating = -4 * (len(scripts) - 1) if scripts else 0
    for place, char in enumerate(word):
        if char.isascii():
            continue
        before, behind = word[place - 1 : place], word[place + 1 : place + 2]
        if not char.isalpha():
            rating -= 0 if char in _JOINERS and before.isalpha() else 4
        elif _script(char) == "GREEK":
            rating += 2 + _rate_case(char, before, behind) + _rate_sigma(char, behind)
        else:
            rating += _rate_latin(char.lower()) + _rate_case(char, before, behind)
            rating -= 2 if before and not before.isascii() else 0  # letters with accents are rarely adjacent
    return rating


def _script(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


def _rate_latin(letter: str) -> int:
    return 2 if letter in _USUAL else 1 if letter in _RARE else -3


def _rate_case(char: str, before: str, behind: str) -> int:
    """Return negative points for a capital behind a small letter, and for a small letter that begins a name."""
    if char.isupper() and before.islower():
        return -4
    begins = not before.isalpha() and before not in ("'", "’", "-")
    return -2 if char.islower() and (behind.isupper() or begins) else 0


def _rate_sigma(char: str, behind: str) -> int:
    """Return negative points for a final sigma within a word and for a non-final one at its end."""
    ends = not behind.isalpha()
    return -3 if (char == "ς" and not ends) or (char == "σ" and ends and behind != ".") else 0
