"""Categories that say of a player that they are a minor: the public is not told, where nobody chose otherwise."""

from __future__ import annotations

import re
import unicodedata

FULL_AGE = 18
"""Years; a category of players under this age, or up to it, is one of minors."""

_LIMIT = re.compile(
    r"(?:^|[^a-z0-9])"
    r"(?:(?:under|sub|menys de|menores? de|u|s|k|κ|-|<) *[-.]? *(?P<under>\d{1,2})(?![\d+])"
    r"|(?P<bare>1[0-8]|[6-9])(?![\w+]))"
)
"""An age with what marks it as a limit, which a letter may follow (``U18F``), or by itself where it is no class."""

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
"""How the names of such categories begin in the languages of the rule books, without accents."""


def is_of_minors(category: str) -> bool:
    """Whether a category is one of minors: ``U18``, ``sub-16``, ``Juvenil``; not ``U21``, ``veteran`` or ``+60``."""
    decomposed = unicodedata.normalize("NFKD", category.casefold())
    plain = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    if any(word.startswith(_SCHOOL) for word in re.findall(r"[^\W\d_]+", plain)):
        return True
    if "+" in plain or ">" in plain:
        return False
    found = _LIMIT.search(plain)
    return found is not None and int(found["under"] or found["bare"]) <= FULL_AGE


def public_category(category: str) -> str:
    """Give a category as the public is told it: empty for one of minors."""
    return "" if is_of_minors(category) else category
