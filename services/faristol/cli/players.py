"""`faristol players …`: the players of a tournament."""

from __future__ import annotations

import csv
import shlex
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from faristol.cli.common import many, why_unread
from faristol.cli.director import Address, Tournament, call
from faristol.gateway.comma_separated import text_of
from faristol.host import StartError
from faristol.pairing.identity import same_name
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.record.people import COUNTRY

app = typer.Typer(no_args_is_help=True, help="Players of a tournament.")

COLUMNS = ("name", "club", "rating", "id", "country")
"""Columns of a list of players. The name is needed; what is left out is empty."""

DIVISION = "division"
"""The column that says which division of the championship a player enters; the tournament itself where it is empty."""

TEAM = "team"
"""The column with the name of a player's team, in the line-up of which they come in the order of the lines."""


@app.command("import")
def import_players(
    tournament: Tournament,
    file: Annotated[
        Path, typer.Argument(help="CSV with a line of column names: name, club, rating, id, country, division, team.")
    ],
    address: Address = None,
) -> None:
    """Register the players of a list in their divisions, and their teams. Nobody is while a line cannot be read."""
    head = call(address, "GetTournament", pairing.GetTournamentRequest(tournament_id=tournament))
    assert isinstance(head, pairing.GetTournamentResponse)
    rows, errors = read_players(file, tournament, head.divisions)
    for error in errors:
        typer.echo(f"{file}:{error}", err=True)
    if errors:
        raise typer.Exit(2)
    refused = 0
    registered: dict[int, str] = {}
    for row in rows:
        try:
            answer = call(address, "RegisterPlayer", row.request)
        except StartError as problem:
            refused += 1
            typer.echo(f"{file}:{row.line}: {problem}", err=True)
        else:
            assert isinstance(answer, pairing.RegisterPlayerResponse)
            registered[row.line] = answer.player_id
    typer.echo(f"{many(len(registered), 'player')} registered")
    teams, known = teams_of(rows, registered), 0
    for line, team in teams:
        if refused_lines := refused_of(team, rows, registered):
            typer.echo(
                f"{file}:{line}: the team {team.name!r} is not registered, for who stands in line "
                f"{', '.join(map(str, refused_lines))} was refused; once they are in, put them in their place in: "
                f"faristol direct register-team {team.tournament_id} name={shlex.quote(team.name)} "
                f"player-ids={','.join(team.player_ids)}",
                err=True,
            )
            refused += 1
            continue
        try:
            call(address, "RegisterTeam", team)
        except StartError as problem:
            refused += 1
            typer.echo(f"{file}:{line}: {problem}", err=True)
        else:
            known += 1
    if teams:
        typer.echo(f"{many(known, 'team')} registered")
    if refused:
        raise typer.Exit(1)


@dataclass(frozen=True, slots=True)
class Listed:
    """A player of a list."""

    line: int
    """From 1."""
    request: pairing.RegisterPlayerRequest
    team: str
    """The name of their team; empty for none."""


def teams_of(rows: Sequence[Listed], registered: Mapping[int, str]) -> list[tuple[int, pairing.RegisterTeamRequest]]:
    """The teams of a list, in the order in which they come, each with the line where it comes first.

    In a line-up are those who were ``registered``, with their ids by the lines that they stand in.
    """
    found: list[tuple[int, pairing.RegisterTeamRequest]] = []
    for row in rows:
        if not row.team or row.line not in registered:
            continue
        of = row.request.tournament_id
        team = next((one for _, one in found if one.tournament_id == of and same_name(one.name, row.team)), None)
        if team is None:
            team = pairing.RegisterTeamRequest(command_id=str(uuid.uuid4()), tournament_id=of, name=row.team)
            found.append((row.line, team))
        team.player_ids.append(registered[row.line])
    return found


def refused_of(team: pairing.RegisterTeamRequest, rows: Sequence[Listed], registered: Mapping[int, str]) -> list[int]:
    """The lines of a team of which the players were not ``registered``: the line-up would have others at its boards."""
    return [
        row.line
        for row in rows
        if row.line not in registered
        and row.request.tournament_id == team.tournament_id
        and row.team
        and same_name(row.team, team.name)
    ]


@dataclass(frozen=True, slots=True)
class LineError:
    """What is wrong with a line of a list, from 1."""

    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.line}: {self.problem}"


def read_players(
    file: Path, tournament: str = "", divisions: Sequence[events.Division] = ()
) -> tuple[list[Listed], list[LineError]]:
    """The players of a list, and everything that is wrong with it.

    They enter the division that their line says, one of ``divisions``, or else the ``tournament``. Two lines of one
    name are an error, for on a wall nobody could tell the two apart; and so are two of one id. Raises ``StartError``
    for a file that cannot be read.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        raise StartError(f"the list {file} cannot be read: {why_unread(problem)}") from problem
    reader = csv.DictReader(text.splitlines(), skipinitialspace=True)
    columns = [column.strip().lower() for column in reader.fieldnames or ()]
    if errors := list(_wrong_columns(columns)):
        return [], errors
    reader.fieldnames = columns
    rows: list[Listed] = []
    seen: dict[tuple[str, str], int] = {}
    for row in reader:
        line = reader.line_num
        try:
            request = _player(row)
            request.tournament_id = _division(row, divisions) or tournament
        except ValueError as problem:
            errors.append(LineError(line, str(problem)))
            continue
        for what, value in (("name", request.name), ("id", request.player_id)):
            if value and (before := seen.setdefault((what, value.casefold()), line)) != line:
                errors.append(LineError(line, f"the {what} {value!r} stands in line {before} already"))
        rows.append(Listed(line, request, " ".join(text_of(row.get(TEAM) or "").split())))
    return rows, errors


def _wrong_columns(columns: Sequence[str]) -> Iterator[LineError]:
    known = (*COLUMNS, DIVISION, TEAM)
    if "name" not in columns:
        yield LineError(1, f"expected names of columns, with `name` among {', '.join(known)}")
    for column in columns:
        if column not in known:
            yield LineError(1, f"there is no column {column!r}; expected {', '.join(known)}")
        elif columns.count(column) > 1:
            yield LineError(1, f"the column {column!r} stands there twice")


def _division(row: Mapping[str | None, Any], divisions: Sequence[events.Division]) -> str:
    """The tournament that is the division of a line, empty where it says none. Raises ``ValueError`` for an unknown."""
    given = " ".join(text_of(row.get(DIVISION) or "").split())
    if not given:
        return ""
    for one in divisions:
        if same_name(one.name, given):
            return one.tournament_id
    known = (
        f"expected {', '.join(one.name for one in divisions)}, or nothing" if divisions else "there are no divisions"
    )
    raise ValueError(f"the {DIVISION} is {given!r}; {known}")


def _player(row: Mapping[str | None, Any]) -> pairing.RegisterPlayerRequest:
    """A line as a command. Raises ``ValueError`` that says what is wrong with it."""
    if None in row:
        raise ValueError("has more fields than there are columns")
    given = {key: " ".join(text_of(value or "").split()) for key, value in row.items() if key}
    if not given["name"]:
        raise ValueError("the name is missing")
    rating = given.get("rating", "")
    if rating and not (rating.isascii() and rating.isdigit() and int(rating) <= 9999):
        raise ValueError(f"the rating is {rating!r}; expected 0 to 9999, or nothing for an unrated player")
    country = given.get("country", "")
    if country and not COUNTRY.fullmatch(country):
        raise ValueError(
            f"the country is {country!r}; expected its three capital letters, as ESP, GRE or AND, or nothing"
        )
    return pairing.RegisterPlayerRequest(
        command_id=str(uuid.uuid4()),
        player_id=given.get("id", ""),
        name=given["name"],
        club=given.get("club", ""),
        rating=int(rating) if rating else None,
        country=country,
    )
