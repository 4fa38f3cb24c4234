"""The reader of cases from files. The grammar is described in ``docs/rulebook-cases.md``."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from faristol.casebook.case import Case
from faristol.casebook.document import CaseError, Errors, Value, readable
from faristol.casebook.duplicate_game import reader as duplicates
from faristol.casebook.table import reader as tables
from faristol.casebook.tournament import reader as tournaments
from faristol.text.files import why_unread

SUFFIX = ".yaml"


class CaseKind(NamedTuple):
    """A kind of cases that a file can have."""

    shared_keys: Collection[str]
    """Keys that may apply to all cases of a file."""
    read: Callable[[Value, Mapping[str, Value], Errors], Case]
    """Reads a case from its value and the keys of its file. Recoverable errors are added to the errors."""


CASE_KINDS: Mapping[str, CaseKind] = {
    "table": CaseKind(tables.SHARED_KEYS, tables.table_case),
    "duplicate": CaseKind(duplicates.SHARED_KEYS, duplicates.duplicate_case),
    "tournament": CaseKind(tournaments.SHARED_KEYS, tournaments.tournament_case),
}
NOT_READ = "this case cannot be read, and the cause is not known"
"""The message for an unexpected failure of the reader."""
FILE_KEYS = frozenset({"kind", "cases"})
"""Keys of every file."""


def files_in(paths: Iterable[Path]) -> list[Path]:
    """Return the named files, and those in the named folders, in alphabetical order.

    Raises ``CaseError`` for a path that does not exist and for a folder without cases.
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
    """Return the cases of a file without errors. Raises the first ``CaseError`` otherwise."""
    cases, errors = read_file(file)
    if errors:
        raise errors[0]
    return cases


def read_file(file: Path) -> tuple[list[Case], list[CaseError]]:
    """Return the readable cases of a file, and all its errors in the order of lines."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        return [], [CaseError(file, 1, f"the file cannot be read: {why_unread(error)}")]
    errors = Errors()
    cases: dict[str, Case] = {}
    for document in readable(file, text, errors):
        with errors.gather():
            for case in _cases(document, errors):
                if case.name in cases:
                    line = cases[case.name].place.line
                    errors.add(case.place.wrong(f"the case of line {line} has the name {case.name!r} too"))
                else:
                    cases[case.name] = case
    if not cases and not errors:
        errors.add(CaseError(file, 1, "there is no case in this file"))
    return list(cases.values()), errors.found


def _cases(document: Value, errors: Errors) -> Iterator[Case]:
    """Yield the readable cases of a document."""
    found = document.keys()
    named = found["kind"].text() if "kind" in found else "table"
    if named not in CASE_KINDS:
        raise found["kind"].no_such("kind", named, CASE_KINDS)
    kind = CASE_KINDS[named]
    keys = document.keys({*FILE_KEYS, *kind.shared_keys}, errors)
    if "cases" not in keys:
        raise document.wrong("expected a list of cases under `cases`")
    for value in keys["cases"].items():
        before = len(errors)
        with errors.gather():
            try:
                case = kind.read(value, keys, errors)
            except CaseError:
                raise
            except Exception as error:
                raise value.wrong(f"{NOT_READ}: {type(error).__name__}: {error}") from error
            if len(errors) == before:
                yield case
