"""`faristol players …`: the players of a tournament."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import grpc
import typer

from faristol.cli.calling import info_of, language_of_terminal
from faristol.cli.director import Address, Tournament, call
from faristol.cli.player_list import Listed, read_players
from faristol.cli.team_list import ListedTeam, Tournaments, teams_of, without_teams
from faristol.host import StartError
from faristol.host.text import say, translations
from faristol.pairing.identity import same_affiliation
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.rules import N_, Refusal

app = typer.Typer(no_args_is_help=True, help="Players of a tournament.")

TEAM_LACKS = N_(
    "the team {team} is not registered, for nobody of line {lines} is; once they are in, put them in their place in: "
    "{command}"
)
TEAM_HAS_MORE = N_("the team {team} has more players, after those who were in its line-up: {players}")


@app.command("import")
def import_players(
    tournament: Tournament,
    file: Annotated[
        Path, typer.Argument(help="CSV with a line of column names: name, club, rating, id, country, division, team.")
    ],
    address: Address = None,
) -> None:
    """Register the players of a list in their divisions, and their teams. Nobody is while a line cannot be read."""
    language = language_of_terminal()
    head = _tournament(address, tournament)
    rows, errors = read_players(file, tournament, head.divisions, language)
    if not errors:
        entered = {row.request.tournament_id for row in rows} - {tournament}
        tournaments = {tournament: head, **{one: _tournament(address, one) for one in sorted(entered)}}
        try:
            errors = list(without_teams(rows, tournaments, language))
        except Refusal as problem:
            raise StartError(say(problem.message, problem.params, language)) from problem
    for error in errors:
        typer.echo(f"{file}:{error}", err=True)
    if errors:
        raise typer.Exit(2)
    complaints = _Complaints(file)
    ids = _register(address, rows, complaints, language)
    _make_teams(address, rows, ids, tournaments, complaints, language)
    if complaints.made:
        raise typer.Exit(1)


class _Complaints:
    """Tells by its line what was refused of a list."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.made = False

    def tell(self, line: int, problem: object) -> None:
        typer.echo(f"{self._file}:{line}: {problem}", err=True)
        self.made = True


def _tournament(address: str | None, tournament: str) -> pairing.GetTournamentResponse:
    answer = call(address, "GetTournament", pairing.GetTournamentRequest(tournament_id=tournament))
    assert isinstance(answer, pairing.GetTournamentResponse)
    return answer


def _register(address: str | None, rows: Sequence[Listed], complaints: _Complaints, language: str) -> Mapping[int, str]:
    """The ids of those who are registered now, by their lines; who was registered before is refused, and among them."""
    ids: dict[int, str] = {}
    registered = 0
    for row in rows:
        try:
            answer = call(address, "RegisterPlayer", row.request)
        except StartError as problem:
            complaints.tell(row.line, problem)
            if before := _registered_before(problem, row.request):
                ids[row.line] = before
        else:
            assert isinstance(answer, pairing.RegisterPlayerResponse)
            ids[row.line] = answer.player_id
            registered += 1
    read = translations(language)
    typer.echo(
        read.ngettext("%(num)s player registered", "%(num)s players registered", registered) % {"num": registered}
    )
    return ids


def _registered_before(problem: StartError, wanted: pairing.RegisterPlayerRequest) -> str:
    """The id of the player who was registered already, empty where it was refused for another reason.

    Who has the name is another person where the line has an id, or a club that is not theirs.
    """
    cause = problem.__cause__
    if not isinstance(cause, grpc.aio.AioRpcError):
        return ""
    info = info_of(cause)
    if info.reason == "ALREADY_EXISTS" and info.metadata.get("kind") == "player":
        return str(info.metadata["id"])
    if info.reason != "NAME_TAKEN" or "division" in info.metadata or wanted.player_id:
        return ""
    if wanted.club and not same_affiliation(wanted.club, info.metadata.get("club", "")):
        return ""
    return str(info.metadata.get("player", ""))


def _make_teams(
    address: str | None,
    rows: Sequence[Listed],
    ids: Mapping[int, str],
    tournaments: Tournaments,
    complaints: _Complaints,
    language: str,
) -> None:
    """Register the teams of the list, and add players to those that are there already."""
    made = 0
    teams = teams_of(rows, ids, tournaments)
    for team in teams:
        if team.refused and not team.team_id:
            complaints.tell(team.line, say(TEAM_LACKS, _lacking(team), language))
        elif team.coming:
            try:
                call(address, "SetLineUp" if team.team_id else "RegisterTeam", team.request())
            except StartError as problem:
                complaints.tell(team.line, problem)
                continue
            if team.team_id:
                told = {"team": repr(team.name), "players": ", ".join(team.coming)}
                typer.echo(say(TEAM_HAS_MORE, told, language))
            else:
                made += 1
    if teams:
        read = translations(language)
        typer.echo(read.ngettext("%(num)s team registered", "%(num)s teams registered", made) % {"num": made})


def _lacking(team: ListedTeam) -> dict[str, str]:
    """What the sentence about a team that could not be registered says of it."""
    return {
        "team": repr(team.name),
        "lines": ", ".join(map(str, team.refused)),
        "command": f"faristol direct register-team {team.tournament_id} name={shlex.quote(team.name)} "
        f"player-ids={','.join(team.coming)}",
    }
