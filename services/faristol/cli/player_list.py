"""A list of players as CSV: who is to be registered, in which division, in which team."""

from __future__ import annotations

import csv
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faristol.cli.common import why_unread
from faristol.gateway.comma_separated import text_of
from faristol.host import StartError
from faristol.host.text import SOURCE, say
from faristol.pairing.identity import same_name
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record.people import COUNTRY
from faristol.rules.refusal import N_

COLUMNS = ("name", "club", "rating", "id", "country")
"""Columns of a list of players. The name is needed; what is left out is empty."""

DIVISION = "division"
"""The column that says which division of the championship a player enters; the tournament itself where it is empty."""

TEAM = "team"
"""The column with the name of a player's team, in the line-up of which they come in the order of the lines."""

STANDS_ALREADY = {
    "name": N_("the name {given} stands in line {line} already"),
    "id": N_("the id {given} stands in line {line} already"),
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A player of a list."""

    line: int
    """From 1."""
    request: pairing.RegisterPlayerRequest
    team: str
    """The name of their team; empty for none."""


@dataclass(frozen=True, slots=True)
class LineError:
    """What is wrong with a line of a list, from 1."""

    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.line}: {self.problem}"


def read_players(
    file: Path, tournament: str = "", divisions: Sequence[events.Division] = (), language: str = SOURCE
) -> tuple[list[Listed], list[LineError]]:
    """The players of a list, and everything that is wrong with it, in ``language``.

    They enter the division that their line says, one of ``divisions``, or else the ``tournament``. Two lines of one
    name are an error, for on a wall nobody could tell the two apart; and so are two of one id. Raises ``StartError``
    for a file that cannot be read.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        why = {"file": str(file), "problem": why_unread(problem)}
        raise StartError(say(N_("the list {file} cannot be read: {problem}"), why, language)) from problem
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
    columns = [column.strip().lower() for column in reader.fieldnames or ()]
    if errors := list(_wrong_columns(columns, language)):
        return [], errors
    reader.fieldnames = columns
    rows: list[Listed] = []
    seen: dict[tuple[str, str], int] = {}
    for row in reader:
        line = reader.line_num
        try:
            request = _player(row, language)
            request.tournament_id = _division(row, divisions, language) or tournament
        except ValueError as problem:
            errors.append(LineError(line, str(problem)))
            continue
        for what, value in (("name", request.name), ("id", request.player_id)):
            if value and (before := seen.setdefault((what, value.casefold()), line)) != line:
                told = say(STANDS_ALREADY[what], {"given": repr(value), "line": before}, language)
                errors.append(LineError(line, told))
        rows.append(Listed(line, request, " ".join(text_of(row.get(TEAM) or "").split())))
    return rows, errors


def _wrong_columns(columns: Sequence[str], language: str) -> Iterator[LineError]:
    known = (*COLUMNS, DIVISION, TEAM)
    if "name" not in columns:
        expected = {"known": ", ".join(known)}
        yield LineError(1, say(N_("expected names of columns, with `name` among {known}"), expected, language))
    for column in columns:
        given = {"column": repr(column), "known": ", ".join(known)}
        if column not in known:
            yield LineError(1, say(N_("there is no column {column}; expected {known}"), given, language))
        elif columns.count(column) > 1:
            yield LineError(1, say(N_("the column {column} stands there twice"), given, language))


def _division(row: Mapping[str | None, Any], divisions: Sequence[events.Division], language: str) -> str:
    """The tournament that is the division of a line, empty where it says none. Raises ``ValueError`` for an unknown."""
    given = " ".join(text_of(row.get(DIVISION) or "").split())
    if not given:
        return ""
    for one in divisions:
        if same_name(one.name, given):
            return one.tournament_id
    params = {"given": repr(given), "known": ", ".join(one.name for one in divisions)}
    if not divisions:
        raise ValueError(say(N_("the division is {given}; there are no divisions"), params, language))
    raise ValueError(say(N_("the division is {given}; expected {known}, or nothing"), params, language))


def _player(row: Mapping[str | None, Any], language: str) -> pairing.RegisterPlayerRequest:
    """A line as a command. Raises ``ValueError`` that says what is wrong with it."""
    if None in row:
        raise ValueError(say(N_("has more fields than there are columns"), {}, language))
    given = {key: " ".join(text_of(value or "").split()) for key, value in row.items() if key}
    if not given["name"]:
        raise ValueError(say(N_("the name is missing"), {}, language))
    rating = given.get("rating", "")
    if rating and not (rating.isascii() and rating.isdigit() and int(rating) <= 9999):
        expected = N_("the rating is {given}; expected 0 to 9999, or nothing for an unrated player")
        raise ValueError(say(expected, {"given": repr(rating)}, language))
    country = given.get("country", "")
    if country and not COUNTRY.fullmatch(country):
        expected = N_("the country is {given}; expected its three capital letters, as ESP, GRE or AND, or nothing")
        raise ValueError(say(expected, {"given": repr(country)}, language))
    return pairing.RegisterPlayerRequest(
        command_id=str(uuid.uuid4()),
        player_id=given.get("id", ""),
        name=given["name"],
        club=given.get("club", ""),
        rating=int(rating) if rating else None,
        country=country,
    )
