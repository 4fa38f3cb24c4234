"""A list of players as CSV: who is to be registered, in which division, in which team."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path

from faristol.kernel.names import COUNTRY, LONGEST_CATEGORY, LONGEST_NOTE, same_affiliation, same_name
from faristol.kernel.refusal import N_
from faristol.office.lists import UNREADABLE, LineError, Unreadable, columns_of, content_of, rows_of
from faristol.office.names import folded
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.text import LANGUAGES, SOURCE, say

COLUMNS = ("name", "club", "rating", "id", "country", "category", "note")
"""Columns of a list of players. The name is needed; what is left out is empty."""

DIVISION = "division"
"""The column that says which division of the championship a player enters; the tournament itself where it is empty."""

TEAM = "team"
"""The column with the name of a player's team. The order of the lines is the order of its line-up."""

HEADINGS = {
    "name": N_("Name"),
    "club": N_("Club"),
    "rating": N_("Rating"),
    "country": N_("Country"),
    "category": N_("Category"),
    "note": N_("Note"),
    DIVISION: N_("Division"),
    TEAM: N_("Team"),
}
"""What the columns are called on pages: a list may have these names too, in every language."""

STANDS_ALREADY = {
    "name": N_("the name {given} stands in line {line} already"),
    "id": N_("the id {given} stands in line {line} already"),
}


LARGEST_FILE = 4_000_000
"""Bytes of a list: 40,000 players with all columns."""

MOST_COLUMNS_TOLD = 10
"""Wrong columns that are reported of a list."""

MORE_FIELDS = N_("there is no column for {given}: it is neither a rating nor a country, or there are two of a kind")
LONG_CATEGORY = N_("the category has {length} characters; expected {most} at the most")
LONG_NOTE = N_("the note has {length} characters; expected {most} at the most")


@dataclass(frozen=True, slots=True)
class Listed:
    """A player of a list."""

    line: int
    """From 1."""
    request: pairing.RegisterPlayerRequest
    team: str
    """The name of their team; empty for none."""


def read_players(
    file: Path, tournament: str = "", divisions: Sequence[events.Division] = (), language: str = SOURCE
) -> tuple[list[Listed], list[LineError]]:
    """The players of a file, as ``players_of`` reads them. Raises ``StartError`` for one that cannot be read."""
    return players_of(content_of(str(file), language, LARGEST_FILE), tournament, divisions, language)


def players_of(
    text: str, tournament: str = "", divisions: Sequence[events.Division] = (), language: str = SOURCE
) -> tuple[list[Listed], list[LineError]]:
    """The players of a list, and everything that is wrong with it, in ``language``.

    They enter the division that their line says, one of ``divisions``, or else the ``tournament``. Two lines of one
    name are an error where neither two clubs nor two ids tell them apart; and so are two of one id.
    """
    lines = rows_of(text)
    rows: list[Listed] = []
    errors: list[LineError] = []
    ids: dict[str, int] = {}
    by_name: dict[str, list[Listed]] = {}
    try:
        columns = _columns(next(lines, (1, []))[1])
        if errors := list(islice(_wrong_columns(columns, language), MOST_COLUMNS_TOLD)):
            return [], errors
        for line, fields in lines:
            row = dict(zip(columns, fields, strict=False))
            try:
                if len(fields) > len(columns):
                    spare = repr(", ".join(filter(None, fields[len(columns) :])))
                    raise ValueError(say(MORE_FIELDS, {"given": spare}, language))
                request = _player(row, language)
                request.tournament_id = _division(row, divisions, language) or tournament
            except ValueError as problem:
                errors.append(LineError(line, str(problem)))
                continue
            namesakes = by_name.setdefault(unicodedata.normalize("NFC", request.name).casefold(), [])
            if known := next((row for row in namesakes if not _told_apart(row.request, request)), None):
                told = say(STANDS_ALREADY["name"], {"given": repr(request.name), "line": known.line}, language)
                errors.append(LineError(line, told))
            if request.player_id and (before := ids.setdefault(request.player_id.casefold(), line)) != line:
                told = say(STANDS_ALREADY["id"], {"given": repr(request.player_id), "line": before}, language)
                errors.append(LineError(line, told))
            rows.append(Listed(line, request, row.get(TEAM, "")))
            namesakes.append(rows[-1])
    except Unreadable as problem:
        errors.append(LineError(problem.line, say(UNREADABLE, {}, language)))
    return rows, errors


PASTED = ("name", "club", "country", "rating")
"""Columns of a list without their names, once what stands in its fields was told by what it looks like."""

_NUMBER = re.compile(r"\d{1,4}", re.ASCII)


def players_pasted(
    text: str, tournament: str = "", divisions: Sequence[events.Division] = (), language: str = SOURCE
) -> tuple[list[Listed], list[LineError]]:
    """The same of what somebody pasted, out of a spreadsheet or a message: the names of columns may be missing.

    Without them a line begins with the name, and behind it, parted by tabs, semicolons or commas, may stand in any
    order a rating, which is a number, a country, which is three capital letters, and a club.
    """
    text = text.removeprefix("\ufeff")
    lines = text.splitlines()
    head = next((line for line in lines if line.strip()), "")
    if "name" in _columns([cell.strip(' "') for cell in re.split("[,;\t]", head)]):
        if "\t" in head:
            text = "\n".join(_written(line.split("\t")) for line in lines)
        return players_of(text, tournament, divisions, language)
    written = [",".join(PASTED), *(_written(_cells(line)) if line.strip() else "" for line in lines)]
    rows, errors = players_of("\n".join(written), tournament, divisions, language)
    return (
        [replace(row, line=row.line - 1) for row in rows],
        [replace(error, line=error.line - 1) for error in errors],
    )


@cache
def _names_of_columns() -> Mapping[str, str]:
    """The column that is meant by each heading, as headings are compared."""
    return {
        folded(say(heading, {}, language)): column for language in LANGUAGES for column, heading in HEADINGS.items()
    }


def _columns(fields: Sequence[str]) -> list[str]:
    """The names of columns, in whichever language a list has them."""
    return [_names_of_columns().get(folded(field), field) for field in columns_of(fields)]


def _cells(line: str) -> list[str]:
    """The fields of a pasted line in the order of ``PASTED``."""
    sign = next((sign for sign in ("\t", ";", ",") if sign in line), ",")
    name, *others = (cell.strip() for cell in line.split(sign))
    found = {"name": name}
    spare = []
    for cell in filter(None, others):
        if _NUMBER.fullmatch(cell) and "rating" not in found:
            found["rating"] = cell
        elif COUNTRY.fullmatch(cell) and "country" not in found:
            found["country"] = cell
        elif "club" not in found:
            found["club"] = cell
        else:
            spare.append(cell)
    return [found.get(column, "") for column in PASTED] + spare


def _written(cells: Sequence[str]) -> str:
    """Fields as a line of comma-separated values."""
    made = io.StringIO()
    csv.writer(made, lineterminator="").writerow(cells)
    return made.getvalue()


def _told_apart(first: pairing.RegisterPlayerRequest, other: pairing.RegisterPlayerRequest) -> bool:
    """Whether two players of the same name are known to be two people: by their ids, or by their clubs."""
    if first.player_id and other.player_id:
        return True
    return bool(first.club and other.club) and not same_affiliation(first.club, other.club)


def _wrong_columns(columns: Sequence[str], language: str) -> Iterator[LineError]:
    known = (*COLUMNS, DIVISION, TEAM)
    if "name" not in columns:
        expected = {"known": ", ".join(known)}
        yield LineError(1, say(N_("expected names of columns, with `name` among {known}"), expected, language))
    for column, times in Counter(columns).items():
        given = {"column": repr(column), "known": ", ".join(known)}
        if column not in known:
            yield LineError(1, say(N_("there is no column {column}; expected {known}"), given, language))
        elif times > 1:
            yield LineError(1, say(N_("the column {column} stands there twice"), given, language))


def _division(row: Mapping[str, str], divisions: Sequence[events.Division], language: str) -> str:
    """The tournament that is the division of a line, empty where it says none. Raises ``ValueError`` for an unknown."""
    given = row.get(DIVISION, "")
    if not given:
        return ""
    for division in divisions:
        if same_name(division.name, given):
            return division.tournament_id
    params = {"given": repr(given), "known": ", ".join(division.name for division in divisions)}
    if not divisions:
        raise ValueError(say(N_("the division is {given}; there are no divisions"), params, language))
    raise ValueError(say(N_("the division is {given}; expected {known}, or nothing"), params, language))


def _player(given: Mapping[str, str], language: str) -> pairing.RegisterPlayerRequest:
    """A line as a command. Raises ``ValueError`` that says what is wrong with it."""
    if not given.get("name"):
        raise ValueError(say(N_("the name is missing"), {}, language))
    rating = given.get("rating", "")
    if rating and not (rating.isascii() and rating.isdigit() and int(rating) <= 9999):
        expected = N_("the rating is {given}; expected 0 to 9999, or nothing for an unrated player")
        raise ValueError(say(expected, {"given": repr(rating)}, language))
    country = given.get("country", "")
    if country and not COUNTRY.fullmatch(country):
        expected = N_("the country is {given}; expected its three capital letters, as ESP, GRE or AND, or nothing")
        raise ValueError(say(expected, {"given": repr(country)}, language))
    category, note = given.get("category", ""), given.get("note", "")
    for text, value, most in ((LONG_CATEGORY, category, LONGEST_CATEGORY), (LONG_NOTE, note, LONGEST_NOTE)):
        if len(value) > most:
            raise ValueError(say(text, {"length": len(value), "most": most}, language))
    return pairing.RegisterPlayerRequest(
        command_id=str(uuid.uuid4()),
        player_id=given.get("id", ""),
        name=given["name"],
        club=given.get("club", ""),
        rating=int(rating) if rating else None,
        country=country,
        category=category,
        note=note,
    )
