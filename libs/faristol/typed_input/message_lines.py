"""Lines of a list as people type it in a message, with the marks and the punctuation that a table does not have."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_SEPARATORS = "\t;|,"
"""Separators of a line, in the order of their precedence."""

_STAMP = re.compile(
    r"\s*(?:\[\d{1,2}[/.-]\d[^\]]{3,30}\]|\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4},? [^-–]{3,20} [-–])[^:]{1,40}:\s*"
)
"""Time and author before a copied message: ``[28/11/26, 18:01] Pau:``, ``28/11/26, 18:01 - Pau:``."""

_MARK = re.compile(
    r"\s*(?:\[[ xX✓✔✗]?\]|[a-zA-Zα-ωΑ-Ω]\)|\(?\d{1,3}\s*(?:[.):º/]\s*-?|-)|(?:\d\ufe0f?\u20e3)+"
    r"|[^\w\s\"'«“‘’`´(\[,;|?\ufffd]+)\s*(?=[^\W\d_])"
)
"""Mark of an item: ``1.``, ``2)``, ``c)``, ``3 -``, ``•``, ``✅``, ``[x]``, a keycap."""

_GREETING = re.compile(r"[^;|\t]*(?:![^;|\t]*|:)\s*")
"""A line before or behind a list: ``Hello Eva! Here they are``, ``Players of Saturday:``."""

_EMPHASIS = re.compile(r"(?<!\w)([*_]{1,2})(?![\s*_])([^*_]+)\1(?![\w*_])")
"""Text in the bold or italic type of messages: ``*Anna Puig*``."""

_BARE_NUMBER = re.compile(r"\s*(\d{1,3})(?:\s*[;,|\t]\s*|\s+)(?=[^\W\d_])")
"""Number of an item without punctuation, which counts only if the numbers follow each other: ``1 Anna Puig``."""

_IN_COLUMNS = re.compile(r"(?=\s*[^\W\d_])[^;,|\t]*?\S(?: {3,}| [-–—/·] )\S[^;,|\t]*")
"""A line without separators, whose texts are in columns or between signs: ``Anna Puig - Valls - 1730``."""

_COLUMN = re.compile(r" {2,}| [-–—/·] ")

_IN_BRACKETS = re.compile(r"(?=[^(]*[^\W\d_])([^();,|\t]+?) ?\(([^()]+)\)")
"""A line with all other texts in brackets: ``Anna Puig (1730, Valls)``."""

_SEVERAL = re.compile(r"\([^()]+[,;/|·][^()]+\)")
"""Brackets with several texts."""

_RATING_BEFORE = re.compile(r"([0-9]{3,4})[ .:-]+(?=[^\W\d_])(.*)")
"""A line that begins with a rating: ``1730 Anna Puig``."""

_RATING_BEHIND = re.compile(r"(?=.*[^\W\d_])(.*?)(?: ?[-–—:(] ?| )([0-9]{3,4}) ?\)?")
"""A cell that ends in a rating: ``Anna Puig 1730``, ``Anna Puig - 1730``, ``Anna Puig (1730)``."""

_CLUB_BEHIND = re.compile(r"(?=[^()]*[^\W\d_])([^()]*?) ?\((?=[^()]*[^\W\d_])([^()\d]*)\)")
"""A cell that ends in a club: ``Anna Puig (Valls)``."""


_WITH_CLUB_AND_RATING = re.compile(
    r"([^\W\d_][^();,|\d]*?)(?: ?\(| [-–—/·] )([^();,|\d]*[^\W\d_][^();,|\d]*?)(?:\) ?[-–—:]? ?| [-–—/·] )([0-9]{3,4})"
)
"""A line that is complete, whatever the others are: ``Anna Puig (Valls) 1730``, ``Anna Puig - Valls - 1730``."""

_WITH_RATING = re.compile(r"([^\W\d_][^();,|\d]*?)(?: ?[-–—:] ?| )([0-9]{3,4})")
"""A name with a rating: ``Anna Puig 1730``."""


@dataclass(frozen=True, slots=True)
class MessageLines:
    """Lines of a message, each with the separators of a table. Line numbers are those of the message."""

    lines: list[str]
    """Lines without marks; empty where the message has a line outside its list."""
    aside: tuple[str, ...] = ()
    """Lines before and behind a list with marks, such as a greeting."""


def parse_message_lines(texts: Sequence[str]) -> MessageLines:
    """Remove the marks of a list, and separate a rating or a club behind a name by the separator of the line.

    Each form counts only if at least half of the lines have it: a club may end in a number. Two marks are enough, since
    no name begins with one; lines outside the marked ones are left out only if most lines are marked. A greeting before
    or behind the list is left out in any case.
    """
    lines = [_EMPHASIS.sub(r"\2", _strip_start(_STAMP, text)) for text in texts]
    lines = _strip_numbers(lines)
    marked = [number for number, line in enumerate(lines) if _MARK.match(line)]
    inside = _find_list(lines)
    if len(marked) > 1 and _are_most(len(marked), lines):
        inside = range(marked[0], marked[-1] + 1)
    aside = tuple(line.strip() for number, line in enumerate(lines) if number not in inside and line.strip())
    lines = [line if number in inside else "" for number, line in enumerate(lines)]
    if len(marked) > 1:
        lines = [_strip_start(_MARK, line) for line in lines]
    of_brackets = (_IN_BRACKETS,) if any(map(_SEVERAL.search, lines)) else ()
    for form in (_IN_COLUMNS, *of_brackets, _RATING_BEFORE, _RATING_BEHIND, _CLUB_BEHIND):
        parted = [_REWRITTEN.get(form, _separate)(line, form) for line in lines]
        if _are_most(sum(new != old for new, old in zip(parted, lines, strict=True)), lines):
            lines = parted
    return MessageLines([_split_rating(line) for line in lines], aside)


def _split_rating(line: str) -> str:
    """Separate a rating, and a club before it, from the name of a line without separators: no name ends in a rating."""
    text = " ".join(line.split())
    found = _WITH_CLUB_AND_RATING.fullmatch(text) or _WITH_RATING.fullmatch(text)
    return "; ".join(part.strip() for part in found.groups()) if found else line


def _find_list(lines: Sequence[str]) -> range:
    """Return the numbers of the lines without the greetings at the beginning and at the end."""
    others = [number for number, line in enumerate(lines) if line.strip() and not _GREETING.fullmatch(line)]
    return range(others[0], others[-1] + 1) if others else range(len(lines))


def _strip_start(form: re.Pattern[str], line: str) -> str:
    """Remove the text that ``form`` finds at the start of a line: a hyphen within a name is not a mark."""
    found = form.match(line)
    return line[found.end() :] if found else line


def _are_most(count: int, lines: Sequence[str]) -> bool:
    """Check whether ``count`` is at least half of the lines that are not blank."""
    return 0 < 2 * count >= sum(bool(line.strip()) for line in lines)


def _separate(line: str, form: re.Pattern[str]) -> str:
    """Separate the text that ``form`` finds behind the text of a line, whose last cell may already be a rating."""
    sign = next((sign for sign in _SEPARATORS if sign in line), ";")
    *before, last = line.split(sign)
    behind: list[str] = []
    if form is _CLUB_BEHIND and before and last.strip().isdecimal():
        behind = [last]
        *before, last = before
    found = form.fullmatch(" ".join(last.split()))
    return f"{sign} ".join([*before, *found.groups(), *behind]) if found else line


def _strip_numbers(lines: Sequence[str]) -> list[str]:
    """Remove the numbers before the texts if they are those of the lines, in order."""
    found = [_BARE_NUMBER.match(line) for line in lines if line.strip()]
    numbers = [int(each[1]) for each in found if each]
    if len(numbers) < 2 or len(numbers) < len(found) or numbers != [*range(numbers[0], numbers[0] + len(numbers))]:
        return [*lines]
    return [_strip_start(_BARE_NUMBER, line) for line in lines]


def _open_brackets(line: str, form: re.Pattern[str]) -> str:
    found = form.fullmatch(" ".join(line.split()))
    return "; ".join([found[1], *re.split(r" *[,;/|·] *", found[2].strip())]) if found else line


def _turn_rating(line: str, form: re.Pattern[str]) -> str:
    """Move the rating at the start of a line to its end."""
    found = form.fullmatch(line.strip())
    if not found:
        return line
    sign = next((sign for sign in _SEPARATORS if sign in line), ";")
    return f"{found[2]}{sign} {found[1]}"


def _separate_columns(line: str, form: re.Pattern[str]) -> str:
    return "; ".join(_COLUMN.split(line.strip())) if form.fullmatch(line.rstrip()) else line


_REWRITTEN = {_IN_COLUMNS: _separate_columns, _IN_BRACKETS: _open_brackets, _RATING_BEFORE: _turn_rating}
"""The functions of the forms that are not at the end of a cell."""
