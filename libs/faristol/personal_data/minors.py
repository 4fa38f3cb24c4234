"""Categories that mark a player as a minor. By default the public does not see them."""

from __future__ import annotations

import re
import unicodedata

MINORS_AGE_LIMIT = 18
"""Years; a category with this age or a lower one as its limit is one of minors."""

_LIMIT = re.compile(
    r"(?:^|[^a-z0-9])"
    r"(?:(?:under|sub|menys de|menores? de|u|s|k|κ|-|<) *[-.]? *(?P<under>\d{1,2})(?![\d+])"
    r"|(?P<bare>1[0-8]|[6-9])(?![\w+]))"
)
"""An age marked as a limit, optionally followed by a letter (``U18F``), or a bare number that names no class."""

_SCHOOL = (
    "alevi",
    "benjami",
    "cadet",
    "children",
    "escolar",
    "infanti",
    "jove",
    "junior",
    "juveni",
    "kids",
    "mini",
    "nen",
    "nin",
    "prebenjami",
    "school",
    "youth",
    "εφηβ",
    "νεων",
    "παιδ",
    "μαθητ",
)
"""Prefixes of such categories in the languages of the rule books, without accents."""


def is_of_minors(category: str) -> bool:
    """Check whether a category is one of minors: ``U18`` or ``Juvenil``; not ``U21``, ``veteran`` or ``+60``."""
    decomposed = unicodedata.normalize("NFKD", category.casefold())
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    if any(word.startswith(_SCHOOL) for word in re.findall(r"[^\W\d_]+", plain)):
        return True
    if "+" in plain or ">" in plain:
        return False
    found = _LIMIT.search(plain)
    return found is not None and int(found["under"] or found["bare"]) <= MINORS_AGE_LIMIT


def public_category(category: str) -> str:
    """Return a category as the public sees it: empty for one of minors."""
    return "" if is_of_minors(category) else category
