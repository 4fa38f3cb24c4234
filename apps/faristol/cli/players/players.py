"""`faristol player import` and `list`, `faristol team list`: the players and teams of a tournament."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Annotated

import grpc
import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.confirmation import agree, ask_whether_another, is_agreed
from faristol.cli.contract import call, load_registered, with_names
from faristol.cli.options import Tournament
from faristol.client.problems import info_of
from faristol.host import StartError
from faristol.kernel.bounded import split_batches
from faristol.kernel.names import same_affiliation
from faristol.kernel.refusal import N_
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation import labels
from faristol.presentation.names import Named
from faristol.presentation.sentences import NOTE
from faristol.table_terminal.shared.common import as_json, columns, localize
from faristol.table_terminal.shared.names import TournamentNames
from faristol.text import translations
from faristol.typed_input.known_players import take_from_register
from faristol.typed_input.player_list import (
    LIST_COLUMNS,
    REGISTRATION_BATCH_PLAYERS,
    Answers,
    Comma,
    ListedPlayer,
    PlayerList,
    Reading,
    Zero,
    read_players,
)
from faristol.typed_input.resembling import Resemblances
from faristol.typed_input.team_list import Tournaments, teams_of, without_teams

TEAM_LACKS = N_(
    "the team {team} is not registered: no player of line {lines} is registered; after their "
    "registration, add them in order with: {command}"
)
ALREADY_REGISTERED = N_("{who} is already registered")
STANDS_WITH_CLUB = N_(
    "{who} is already registered; if this is a different person with the same name and club, give the line an id"
)
STANDS_WITHOUT = N_(
    "{who} is already registered; if this is a different person with the same name, give each a club or an id"
)
PASSED_OVER = N_("ignored, before the line of column names: {lines}")
GUESSED = N_("The file is read as {encoding}, which is a guess: {example}. Is this correct?")
GIVE_ENCODING = N_("No player was registered: specify the encoding with --encoding.")
ZERO = N_("Players with the rating 0: {count}. Are they unrated?")
GIVE_ZERO = N_("No player was registered: specify --zero.")
COMMA = N_("{name}: does the given name come after the comma?")
GIVE_COMMA = N_("No player was registered: specify --comma.")
FILLED_FROM_REGISTER = N_("The register filled empty values in {count} {count:line|lines}.")
TEAM_HAS_MORE = N_("the team {team} has more players, after those who were in its line-up: {players}")


def import_players(
    client: Client,
    tournament: Tournament,
    file: Annotated[
        Path,
        typer.Argument(help=f"CSV with column names: {', '.join(LIST_COLUMNS)}."),
    ],
    zero: Annotated[Zero | None, typer.Option(help="Meaning of a rating of 0; if not given, the command asks.")] = None,
    comma: Annotated[
        Comma | None, typer.Option(help="Part of a name after a comma; if not given, the command asks.")
    ] = None,
    encoding: Annotated[str, typer.Option(help="Encoding of the file, such as Windows-1253; default: detected.")] = "",
) -> None:
    """Register the players of a list in their divisions, and their teams.

    A line that cannot be read is reported and registers no player. An ambiguous list, and a name similar to another,
    must be confirmed before any registration.
    """
    language = client.language
    head = client.load_names(tournament).tournament
    tournament = head.tournament_id
    answers = Answers(zero, comma)
    reading = Reading(tournament, head.divisions, language, answers)
    listed = read_players(file, reading, encoding)
    listed = _resolve_questions(
        listed, file, lambda answers: read_players(file, replace(reading, answers=answers), encoding)
    )
    rows, errors = listed.rows, listed.errors
    if not listed.whole:
        entered = {row.request.tournament_id for row in rows} - {tournament}
        tournaments = {tournament: head}
        for division in sorted(entered):
            request = pairing.GetTournamentRequest(tournament_id=division)
            tournaments[division] = call(client, "GetTournament", request)
        of_teams = list(without_teams(rows, tournaments, language))
        errors, whole = [*errors, *of_teams], bool(of_teams)
    complaints = _Complaints(file)
    for error in errors:
        complaints.tell(error.line, f"{error.problem}: {error.text}" if error.text else error.problem)
    if listed.whole or whole or (errors and not rows):
        raise typer.Exit(2)
    _ask_of_similar(rows, [player.name for found in tournaments.values() for player in found.players])
    lines: list[str] = []
    read = translations(language)
    rolls = {division: TournamentNames(found) for division, found in tournaments.items()}
    ids, registered, filled = _register(client, rows, rolls, complaints)
    new = read.ngettext("%(num)s player registered", "%(num)s players registered", registered)
    lines.append(new % {"num": registered})
    if before := len(ids) - registered:
        again = read.ngettext("%(num)s player was there already", "%(num)s players were there already", before)
        lines.append(again % {"num": before})
    if filled:
        lines.append(localize(FILLED_FROM_REGISTER, count=filled))
    teams = _make_teams(client, rows, ids, tournaments, complaints, lines)
    if teams is not None:
        lines.append(read.ngettext("%(num)s team registered", "%(num)s teams registered", teams) % {"num": teams})
    content = {"registered": registered, "registered_before": before, "player_ids": list(ids.values())}
    content["filled_from_register"] = filled
    client.print(content | {"teams": teams or 0}, lines)
    if complaints.made:
        raise typer.Exit(1)


def _resolve_questions(listed: PlayerList, file: Path, read: Callable[[Answers], PlayerList]) -> PlayerList:
    """Return the list after questions on its reading. Raises ``StartError`` without a terminal to ask at."""
    answers = listed.answers
    if listed.title:
        typer.echo(f"{file}: {localize(PASSED_OVER, lines=' / '.join(listed.title))}", err=True)
    if listed.decoded and listed.decoded.guessed:
        example = next((row.request.name for row in listed.rows if not row.request.name.isascii()), "")
        agree(localize(GUESSED, encoding=listed.decoded.encoding, example=example), localize(GIVE_ENCODING))
    if listed.asks_zero and answers.zero is None:
        unrated = is_agreed(localize(ZERO, count=listed.asks_zero), localize(GIVE_ZERO))
        answers = replace(answers, zero=Zero.UNRATED if unrated else Zero.RATING)
    if listed.asks_comma and answers.comma is None:
        name = is_agreed(localize(COMMA, name=listed.asks_comma), localize(GIVE_COMMA))
        answers = replace(answers, comma=Comma.NAME if name else Comma.CLUB)
    return listed if answers == listed.answers else read(answers)


def _ask_of_similar(rows: Sequence[ListedPlayer], registered: Sequence[str]) -> None:
    """Ask about each name without an id in the list that is similar to another name."""
    known = Resemblances(registered)
    for row in rows:
        name = row.request.name
        if (other := known.of(name)) and not row.request.player_id:
            ask_whether_another(name, other)
        known.add(name)


class _Complaints:
    """Prints refusals on a list with their lines."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.made = False

    def tell(self, line: int, problem: object) -> None:
        typer.echo(f"{self._file}:{line}: {problem}", err=True)
        self.made = True


def _register(
    client: ServiceClient, rows: Sequence[ListedPlayer], rolls: Mapping[str, TournamentNames], complaints: _Complaints
) -> tuple[Mapping[int, str], int, int]:
    """Return the ids of all registered players by line, the number of new ones, and that of lines that were filled.

    Those are lines with empty values, which the register has for the id or the number at the federation. A player
    registered before is refused, but has an id in the result. Many players are registered in one command; each refused
    one is sent again in a separate command, whose answer has the reason.
    """
    ids: dict[int, str] = {}
    registered = filled = 0
    for together in _together(rows):
        persons = load_registered(together[0].request.tournament_id, (row.request for row in together), client)
        filled += sum(bool(take_from_register(row.request, persons)) for row in together)
        found = _register_together(client, together)
        for row in together:
            try:
                answer = found.get(row.line) or call(client, "RegisterPlayer", row.request)
            except StartError as error:
                known = rolls[row.request.tournament_id]
                if before := _registered_before(error, row.request):
                    ids[row.line] = before
                    complaints.tell(row.line, stands_already(before, row.request, known))
                else:
                    complaints.tell(row.line, with_names(error, known))
            else:
                ids[row.line] = answer.player_id
                registered += 1
    return ids, registered, filled


def _together(rows: Sequence[ListedPlayer]) -> Iterator[Sequence[ListedPlayer]]:
    """Yield the lines in order, in groups of one tournament and at most ``REGISTRATION_BATCH_PLAYERS``."""
    for _, of_one in groupby(rows, key=lambda row: row.request.tournament_id):
        yield from split_batches(list(of_one), REGISTRATION_BATCH_PLAYERS)


def _register_together(client: ServiceClient, rows: Sequence[ListedPlayer]) -> Mapping[int, pairing.Registration]:
    """Register a group in one command and return the results by line; empty if the command is refused."""
    requests = [row.request for row in rows]
    asked = pairing.RegisterPlayersRequest(tournament_id=requests[0].tournament_id, players=requests)
    try:
        answer = call(client, "RegisterPlayers", asked)
    except StartError:
        return {}
    return {row.line: found for row, found in zip(rows, answer.registrations, strict=True) if found.player_id}


def stands_already(before: str, wanted: pairing.RegisterPlayerRequest, known: TournamentNames) -> str:
    """Return the sentence that the player of a line is registered already, and how to register another person.

    ``before`` is the id of the registered player.
    """
    found = next((player for player in known.players if player.id == before), Named(before, wanted.name, wanted.club))
    who = f"{found.name} ({found.detail})" if found.detail else found.name
    text = (
        ALREADY_REGISTERED if wanted.player_id else STANDS_WITH_CLUB if wanted.club and found.detail else STANDS_WITHOUT
    )
    return localize(text, who=who)


def _registered_before(problem: StartError, wanted: pairing.RegisterPlayerRequest) -> str:
    """Return the id of the player registered before; empty if the refusal has another reason.

    A player of the same name counts as a different person if the line has an id, or a different club.
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
    client: ServiceClient,
    rows: Sequence[ListedPlayer],
    ids: Mapping[int, str],
    tournaments: Tournaments,
    complaints: _Complaints,
    output: list[str],
) -> int | None:
    """Register the teams of the list, and add players to existing teams.

    Return the number registered, or None for a list without teams; ``output`` gets a line on each changed team.
    """
    made = 0
    teams = teams_of(rows, ids, tournaments)
    for team in teams:
        if team.refused and not team.team_id:
            command = (
                f"faristol team add {team.tournament_id} {shlex.quote(team.name)} --player {','.join(team.coming)}"
            )
            lines = ", ".join(map(str, team.refused))
            complaints.tell(team.line, localize(TEAM_LACKS, team=repr(team.name), lines=lines, command=command))
        elif team.coming:
            try:
                call(client, "SetLineUp" if team.team_id else "RegisterTeam", team.request())
            except StartError as error:
                complaints.tell(team.line, error)
                continue
            if team.team_id:
                output.append(localize(TEAM_HAS_MORE, team=repr(team.name), players=", ".join(team.coming)))
            else:
                made += 1
    return made if teams else None


def list_players(client: Client, tournament: Tournament) -> None:
    """List the players in the order of registration: name, id, club, rating, and remarks."""
    known = client.load_names(tournament)
    listed = known.tournament.players
    rows = (
        [
            known.name(player.player_id),
            player.player_id,
            player.club,
            "–" if player.unrated else str(player.rating),
            ", ".join(_marks(player)),
        ]
        for player in listed
    )
    client.print(list(map(as_json, listed)), columns(rows))


def _marks(player: pairing.Player) -> Iterator[str]:
    """Yield the remarks on a player; the director's note for officials comes last."""
    if player.category:
        yield player.category
    if player.checked_in:
        yield localize(N_("checked in"))
    if player.entered_round > 1:
        yield localize(N_("from round {round} on"), round=player.entered_round)
    if player.withdrawn_round:
        yield localize(N_("withdrawn from round {round} on"), round=player.withdrawn_round)
    if player.table:
        yield localize(N_("table {table}"), table=player.table)
    for bye in player.byes:
        yield localize(N_("sits out round {round}: {kind}"), round=bye.round, kind=localize(labels.BYES[bye.kind]))
    if player.note:
        yield localize(NOTE, note=player.note)


def list_teams(client: Client, tournament: Tournament) -> None:
    """List the teams in the order of registration with their line-ups, reserves last."""
    known = client.load_names(tournament)
    content, lines = [], []
    for team in known.tournament.teams:
        names = [known.name(who) for who in team.player_ids]
        content.append(as_json(team) | {"player_names": names})
        left = localize(N_("withdrawn from round {round} on"), round=team.withdrawn_round)
        mark = f", {left}" if team.withdrawn_round else ""
        lines.append(f"{team.name} ({team.team_id}{mark}): {', '.join(names)}")
    client.print(content, lines)
