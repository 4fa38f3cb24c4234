"""Code points of letters that look alike in texts about a case. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import cache
from itertools import combinations

from faristol.rules.look_alikes import look_alikes_of

_WORD = re.compile(r"[^\s,;:()\[\]{}\"'`?!]+")


def quote_letters(text: str) -> str:
    """Quote ``text``, with the code points and names of its letters outside ASCII."""
    names = ", ".join(_describe_letter(letter) for letter in dict.fromkeys(text) if letter > "~")
    return f"{text!r} ({names})" if names else repr(text)


def tell_apart(text: str) -> str:
    """Return ``text`` followed by the code points of letters in which similar-looking words of it differ."""
    alike: dict[str, list[str]] = {}
    for word in dict.fromkeys(_WORD.findall(text)):
        alike.setdefault("".join(map(_shape, unicodedata.normalize("NFC", word))), []).append(word)
    notes = dict.fromkeys(
        note for words in alike.values() for one, other in combinations(words, 2) for note in _differences(one, other)
    )
    return f"{text} ({'; '.join(notes)})" if notes else text


def _differences(one: str, other: str) -> Iterator[str]:
    """Yield the letters in which two similar-looking words differ. 0 and O, both of ASCII, are skipped."""
    if one.isascii() and other.isascii():
        return
    for tag, start, end, begin, stop in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag != "equal":
            parts = [" ".join(map(_describe_letter, part)) for part in (one[start:end], other[begin:stop]) if part]
            yield " is not ".join(parts)


def _describe_letter(letter: str) -> str:
    return f"U+{ord(letter):04X} {unicodedata.name(letter, 'without a name')}"


@cache
def _shape(letter: str) -> str:
    """Return one representative of the characters that look like ``letter``."""
    return look_alikes_of(letter)[:1]
