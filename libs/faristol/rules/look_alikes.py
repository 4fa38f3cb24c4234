"""Characters that look alike: the character of an alphabet that a foreign character stands for.

The classes are Unicode's confusables (UTS #39). Capitals stand for capitals. A small letter is looked up by its capital
first, so that ``η`` is the Latin ``H``. If the capital has no match in the alphabet, its own shape is looked up.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from string import ascii_uppercase
from types import MappingProxyType


@cache
def load_classes() -> tuple[str, ...]:
    """Load the characters of each class."""
    file = resources.files("faristol.rules") / "look_alikes.toml"
    return tuple(tomllib.loads(file.read_text(encoding="utf-8"))["classes"])


@cache
def twins_of(letters: str) -> Mapping[str, str]:
    """Map each other character to the capital or sign of ``letters`` that it looks like, if it is exactly one.

    ``letters`` are capitals and signs. A small letter is a key if its capital is not one of them.
    """
    found: dict[str, str] = {}
    small = {capital.lower(): capital for capital in letters if capital.lower() != capital}
    for members in load_classes():
        capitals = [char for char in members if char in letters]
        lower = [char for char in members if char in small]
        for char in members:
            if char in letters or char in small:
                continue
            if char.islower():
                if len(lower) == 1:
                    found[char] = small[lower[0]]
            elif len(capitals) == 1:
                found[char] = capitals[0]
    for char in [char for char in found if char.islower() and len(char.upper()) == 1]:
        found[char] = found.get(char.upper(), found[char])
    return MappingProxyType(found)


@cache
def look_alikes_of(sign: str) -> str:
    """Return all characters that look like ``sign``, including itself."""
    return next((members for members in load_classes() if sign in members), sign)


def in_capitals(char: str, letters: Iterable[str]) -> str:
    """Return the capital of ``letters`` that a character is or looks like, or else the character."""
    known = letters if isinstance(letters, str) else "".join(letters)
    capital = char.upper()
    if len(capital) == 1:
        if capital in known:
            return capital
        if twin := twins_of(known).get(capital):
            return twin
    return twins_of(known).get(char, char)


def latin(text: str) -> str:
    """Convert to capitals, in Latin letters for look-alikes: ``η8`` and full-width ``Ｈ８`` are ``H8``."""
    return "".join(in_capitals(char, ascii_uppercase) for char in unicodedata.normalize("NFKC", text)).upper()
