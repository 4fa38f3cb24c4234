"""Lists of persons of federations: CSV of this program, rating lists of FIDE, WESPA and NASPA, the players of a TRF.

The format is told by the content:

- CSV with headings: `id`, `name`, `club`, `country`, `school`, `birth_year`, `federation_id`, `rating`, `licence_kind`,
  `licence_number`, `licence_from`, `licence_to`. The name is required. An export of the register writes it too.
- FIDE: text in columns under a line of headings that begins with `ID Number`. A column begins where its heading does.
- TRF (FIDE's report file): lines that begin with `001`, in fixed columns.
- WESPA: a nick of four letters, a country, a name in twenty columns, games, rating, and the day of the last game.
- NASPA: the name in capitals with the surname first, rating, rank, the last day of the membership and games, between
  tabs. The membership is a licence.

A list without numbers identifies persons by their names. Names with a comma are reordered to the given name first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from faristol.kernel.details import DETAILS
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.register.v1 import register_pb2 as pb
from faristol.text import SOURCE, say
from faristol.typed_input.lists import UNREADABLE, LineError, Unreadable, columns_of, rows_of
from faristol.typed_input.player_list import LICENCE_COLUMNS, reorder_name

PEOPLE_COLUMNS = (
    "id",
    "name",
    "club",
    "country",
    "school",
    "birth_year",
    "federation_id",
    "rating",
    *LICENCE_COLUMNS,
)
"""Columns of the CSV of the register, in the order of an export."""

UNUSED_COLUMNS = frozenset({"category"})
"""Columns that are left out: a category is computed from the year of birth."""

MAX_PEOPLE_ROWS = 10_000
"""Rows of a list."""

MAX_PEOPLE_ERRORS = 100
"""Errors reported for a list."""

MAX_LISTED_RATING_POINTS = 9_999

MEMBERSHIP = "membership"
"""Kind of the licence in a list of NASPA."""

WESPA_NAME_CHARACTERS = 20
"""Columns of a name in a list of WESPA; longer ones are cut."""

FORMATS: Mapping[str, str] = {
    "csv": N_("CSV"),
    "fide": N_("FIDE rating list"),
    "trf": N_("TRF"),
    "wespa": N_("WESPA rating list"),
    "naspa": N_("NASPA rating list"),
}
"""Labels of the formats."""

NO_PERSONS = N_(
    "the list has no persons: expected CSV with the column {name}, a list of FIDE, WESPA or NASPA, or a TRF"
)
MANY_PERSONS = N_("the list has more than {most} lines: divide it")
NO_NAME = N_("the name is missing")
NOT_A_RATING = N_("the rating is {given}; expected 0 to 9999, or an empty field for an unrated player")
NOT_A_DAY = N_("{given} is not a date; expected one such as 2026-11-28")
NO_COLUMN = N_("there is no column {column}; expected {known}")
MORE_CELLS = N_("the line has more fields than there are columns")


@dataclass(frozen=True, slots=True)
class PeopleList:
    """Content of a list of persons."""

    format: str
    """Key of ``FORMATS``; empty if it is unknown."""
    rows: list[pb.ListedPerson] = field(default_factory=list)
    errors: list[LineError] = field(default_factory=list)
    """Errors by line. Those lines are no rows."""


Cells = Mapping[str, str]
"""The texts of a row by column."""


def read_people(text: str, language: str = SOURCE) -> PeopleList:
    """Return the persons of a list in any format, with the errors of lines in a language."""
    lines = text.removeprefix("\ufeff").splitlines()
    kind = _detect(lines)
    if kind == "csv":
        return _read_csv(text, language)
    read = _READERS[kind]
    rows: list[pb.ListedPerson] = []
    errors: list[LineError] = []
    for number, cells in read(lines):
        if len(rows) >= MAX_PEOPLE_ROWS:
            errors.append(LineError(number, say(MANY_PERSONS, {"most": f"{MAX_PEOPLE_ROWS:,}"}, language)))
            break
        _add(number, cells, rows, errors, language)
    return PeopleList(kind, rows, errors[:MAX_PEOPLE_ERRORS])


def _detect(lines: Sequence[str]) -> str:
    """Return the format of a list, told by its first lines."""
    written = [line for line in lines[:200] if line.strip()]
    if written and written[0].startswith("ID Number"):
        return "fide"
    if any(line.startswith("001 ") for line in written) and not any("," in line[:4] for line in written[:1]):
        return "trf"
    for kind, pattern in (("naspa", _NASPA_LINE), ("wespa", _WESPA_LINE)):
        if 2 * sum(pattern.match(line) is not None for line in written) > len(written):
            return kind
    return "csv"


def _add(number: int, cells: Cells, rows: list[pb.ListedPerson], errors: list[LineError], language: str) -> None:
    """Add the row of a line, or its error."""
    try:
        rows.append(_parse(number, cells))
    except Invalid as problem:
        detail = DETAILS.get(problem.field)
        said = say(problem.problem, problem.params, language)
        errors.append(LineError(number, f"{say(detail.options.label, {}, language)}: {said}" if detail else said))


def _parse(number: int, cells: Cells) -> pb.ListedPerson:
    """Return the row of a line. Raises ``Invalid``."""
    if not cells.get("name", "").strip():
        raise Invalid("", NO_NAME)
    row = pb.ListedPerson(line=number, person_id=cells.get("id", ""), is_cut=bool(cells.get("is_cut")))
    for name in ("name", "club", "country", "school", "birth_year", "federation_id"):
        if given := cells.get(name, ""):
            setattr(row, name, DETAILS[name].parse(given))
    if rating := cells.get("rating", "").strip():
        if not (rating.isascii() and rating.isdigit() and int(rating) <= MAX_LISTED_RATING_POINTS):
            raise Invalid("", NOT_A_RATING, {"given": repr(rating)})
        row.rating = int(rating)
    for name in ("licence_kind", "licence_number"):
        setattr(row, name, cells.get(name, ""))
    for name in ("licence_from", "licence_to"):
        setattr(row, name, _parse_day(cells.get(name, "")))
    row.has_licence = any((row.licence_number, row.licence_from, row.licence_to))
    return row


def _parse_day(text: str) -> str:
    """Return a day as ``2026-11-28``, from that form or from ``20261128``. Raises ``Invalid``."""
    plain = text.strip()
    if not plain:
        return ""
    try:
        return date.fromisoformat(plain).isoformat()
    except ValueError:
        raise Invalid("", NOT_A_DAY, {"given": repr(plain[:40])}) from None


def _read_csv(text: str, language: str) -> PeopleList:
    """Return the persons of a CSV with headings."""
    unreadable: list[Unreadable] = []
    found = rows_of(text, PEOPLE_COLUMNS, unreadable.append)
    line, head = next(found, (1, []))
    columns = columns_of(head)
    known = ", ".join(PEOPLE_COLUMNS)
    if "name" not in columns:
        return PeopleList("", errors=[LineError(line, say(NO_PERSONS, {"name": "`name`"}, language))])
    for place, column in enumerate(columns):
        if column in columns[:place] or (column not in PEOPLE_COLUMNS and column not in UNUSED_COLUMNS):
            params = {"column": repr(column), "known": known}
            return PeopleList("csv", errors=[LineError(line, say(NO_COLUMN, params, language))])
    rows: list[pb.ListedPerson] = []
    errors: list[LineError] = []
    for number, fields in found:
        if len(rows) >= MAX_PEOPLE_ROWS:
            errors.append(LineError(number, say(MANY_PERSONS, {"most": f"{MAX_PEOPLE_ROWS:,}"}, language)))
            break
        if len(fields) > len(columns):
            errors.append(LineError(number, say(MORE_CELLS, {}, language)))
            continue
        _add(number, dict(zip(columns, fields, strict=False)), rows, errors, language)
    errors += [LineError(each.line, say(UNREADABLE, {}, language)) for each in unreadable]
    return PeopleList("csv", rows, sorted(errors, key=lambda each: each.line)[:MAX_PEOPLE_ERRORS])


_FIDE_HEADINGS = ("ID Number", "Name", "Fed", "SRtng", "B-day")
_HEADING_PATTERN = re.compile(r"ID Number|\S+")


def _read_fide(lines: Sequence[str]) -> Iterator[tuple[int, Cells]]:
    """Yield the cells of each line of a rating list of FIDE, by the places of its headings."""
    first = next(place for place, line in enumerate(lines) if line.strip())
    headings = [(found[0], found.start()) for found in _HEADING_PATTERN.finditer(lines[first])]
    ends = [start for _, start in headings[1:]] + [None]
    columns = {
        name: slice(start, end) for (name, start), end in zip(headings, ends, strict=True) if name in _FIDE_HEADINGS
    }
    for number, line in enumerate(lines[first + 1 :], first + 2):
        if not line.strip():
            continue
        found = {name: line[part].strip() for name, part in columns.items()}
        cells = {
            "federation_id": found.get("ID Number", ""),
            "name": _given_name_first(found.get("Name", "")),
            "country": found.get("Fed", ""),
            "rating": _known_number(found.get("SRtng", "")),
            "birth_year": _known_number(found.get("B-day", "")),
        }
        yield number, cells


def _read_trf(lines: Sequence[str]) -> Iterator[tuple[int, Cells]]:
    """Yield the cells of the players of a TRF.

    Columns from 1: name 15 to 47, rating 49 to 52, federation 54 to 56, number 58 to 68, day of birth 70 to 79.
    """
    for number, line in enumerate(lines, 1):
        if not line.startswith("001 "):
            continue
        born = re.match(r"\d{4}", line[69:79].strip())
        cells = {
            "name": _given_name_first(line[14:47].strip()),
            "rating": _known_number(line[48:52].strip()),
            "country": line[53:56].strip(),
            "federation_id": _known_number(line[57:68].strip()),
            "birth_year": _known_number(born[0]) if born else "",
        }
        yield number, cells


_WESPA_LINE = re.compile(
    r".{4} (?P<country>[A-Z]{3}|   ) (?P<name>\S.{0,19}?) +(?P<games>\d+) +(?P<rating>\d+) +(?P<played>\d{8})(?: |$)"
)


def _read_wespa(lines: Sequence[str]) -> Iterator[tuple[int, Cells]]:
    """Yield the cells of each line of a rating list of WESPA; other lines, such as the headings, are skipped."""
    for number, line in enumerate(lines, 1):
        if found := _WESPA_LINE.match(line):
            name = found["name"].strip()
            cells = {
                "name": _given_name_first(name),
                "country": found["country"].strip(),
                "rating": found["rating"],
                "is_cut": "1" if len(name) == WESPA_NAME_CHARACTERS else "",
            }
            yield number, cells


_NASPA_LINE = re.compile(
    r"(?P<name>[^\t\d][^\t]*?)(?:\t| {2,})\s*(?P<rating>\d{1,4})\s+(?P<rank>\d+)\s+"
    r"(?P<until>\d{8}|\d{4}-\d\d-\d\d)(?:\s+(?P<games>\d+))?\s*$"
)


def _read_naspa(lines: Sequence[str]) -> Iterator[tuple[int, Cells]]:
    """Yield the cells of each line of a rating list of NASPA; other lines are skipped."""
    for number, line in enumerate(lines, 1):
        if found := _NASPA_LINE.match(line):
            cells = {
                "name": _given_name_first(found["name"].strip()),
                "rating": found["rating"],
                "licence_kind": MEMBERSHIP,
                "licence_to": found["until"],
            }
            yield number, cells


def _given_name_first(name: str) -> str:
    """Return ``Logan Adam`` for ``ADAM, LOGAN``, and another name as it is."""
    plain = " ".join(name.split())
    plain = reorder_name(plain) or plain
    return plain.title() if plain.isupper() else plain


def _known_number(text: str) -> str:
    """Return a number as a text; empty for 0, which means unknown."""
    return text if text.strip("0") else ""


_READERS: Mapping[str, Callable[[Sequence[str]], Iterator[tuple[int, Cells]]]] = {
    "fide": _read_fide,
    "trf": _read_trf,
    "wespa": _read_wespa,
    "naspa": _read_naspa,
}
