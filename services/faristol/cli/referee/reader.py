"""From files to cases. The grammar is described in ``docs/rulebook-cases.md``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from faristol.cli.common import why_unread
from faristol.cli.referee import tables
from faristol.cli.referee.case import Case
from faristol.cli.referee.document import CaseError, Value, documents, there_is_no
from faristol.cli.referee.tournament import reader as tournaments

SUFFIX = ".yaml"


class Kind(NamedTuple):
    """What a file can hold cases of."""

    shared_keys: Collection[str]
    """Keys that stand in the file for all its cases."""
    read: Callable[[Value, Mapping[str, Value]], Case]


KINDS: Mapping[str, Kind] = {
    "table": Kind(tables.SHARED_KEYS, tables.table_case),
    "tournament": Kind(tournaments.SHARED_KEYS, tournaments.tournament_case),
}
FILE_KEYS = frozenset({"kind", "cases"})
"""Keys of every file."""


def files_in(paths: Iterable[Path]) -> list[Path]:
    """The files named, and those in the folders named, in alphabetical order.

    Raises ``CaseError`` for a path that is not there and for a folder without cases.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(file for file in path.rglob(f"*{SUFFIX}") if file.is_file())
            if not inside:
                raise CaseError(path, 1, f"there is no {SUFFIX} file in this folder")
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise CaseError(path, 1, "there is no such file")
    return found


def read_cases(file: Path) -> list[Case]:
    """The cases of a file. Raises ``CaseError``."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError(file, 1, f"the file cannot be read: {why_unread(error)}") from error
    cases = [case for document in documents(file, text) for case in _cases(document)]
    if not cases:
        raise CaseError(file, 1, "there is no case in this file")
    names: dict[str, Case] = {}
    for case in cases:
        if case.name in names:
            raise case.place.wrong(f"the case of line {names[case.name].place.line} is called {case.name!r} too")
        names[case.name] = case
    return cases


def _cases(document: Value) -> list[Case]:
    found = document.keys()
    named = found["kind"].text() if "kind" in found else "table"
    if named not in KINDS:
        raise found["kind"].wrong(there_is_no("kind", named, KINDS))
    kind = KINDS[named]
    keys = document.keys({*FILE_KEYS, *kind.shared_keys})
    if "cases" not in keys:
        raise document.wrong("expected a list of cases under `cases`")
    return [kind.read(value, keys) for value in keys["cases"].items()]
