"""Reading the rest of a file in which one case is invalid YAML."""

from __future__ import annotations

import re
from pathlib import Path

from faristol.casebook.document import CaseError, Errors, Value, documents

_CASES = re.compile(r"cases:\s*(#.*)?")
_ITEM = re.compile(r"( *)- ")


def readable(file: Path, text: str, errors: Errors) -> list[Value]:
    """Return the documents of ``text`` without cases of invalid YAML, which ``errors`` reports.

    Lines keep their numbers. If the error is outside any case, the list is empty.
    """
    while True:
        try:
            return list(documents(file, text))
        except CaseError as error:
            errors.add(error)
            rest = _without_case(text, error.line)
            if rest is None:
                return []
            text = rest


def _without_case(text: str, number: int) -> str | None:
    """Return ``text`` with the case of line ``number`` blanked; None if the line is in no case."""
    lines = text.split("\n")
    first = next((line for line in range(min(number, len(lines)) - 1, -1, -1) if _begins_case(lines, line)), None)
    if first is None or any(_CASES.fullmatch(line) for line in lines[first:number]):
        return None
    after = next((line for line in range(first + 1, len(lines)) if _ends_case(lines, line)), len(lines))
    return "\n".join([*lines[:first], *("" for _ in lines[first:after]), *lines[after:]])


def _begins_case(lines: list[str], line: int) -> bool:
    """Check whether an item of a list of cases begins there: it is indented as the first one is."""
    item = _ITEM.match(lines[line])
    if item is None:
        return False
    head = next((above for above in range(line, -1, -1) if _CASES.fullmatch(lines[above])), None)
    if head is None:
        return False
    first = next(match for below in lines[head + 1 :] if (match := _ITEM.match(below)))
    return first[1] == item[1]


def _ends_case(lines: list[str], line: int) -> bool:
    """Check whether the content after a case begins there: the next case, or a key of the file."""
    begins = lines[line]
    return _begins_case(lines, line) or (bool(begins) and not begins[0].isspace() and not begins.startswith(("#", "-")))
