"""`faristol tournament import`: a finished or running tournament of another program, taken over with its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.confirmation import agree
from faristol.cli.contract import call
from faristol.gateway.rpc.results import Moment, Results
from faristol.host import StartError
from faristol.kernel.bounded import split_batches
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.other_programs.imported_rounds import (
    build_registrations,
    build_rounds,
    compare_standings,
    find_bye_spread,
    list_withdrawn,
)
from faristol.rules.tournament_files import FileDivision, TournamentFile, UnreadableFile, files, find_doubts
from faristol.rules.tournament_files.files import ReadFile, is_of_folder, read_folder
from faristol.rules.tournament_files.mending import mend
from faristol.rules.tournament_files.tsh import CONFIG_FILE
from faristol.table_terminal.shared.common import localize
from faristol.text import SOURCE, number, say
from faristol.text.terminal import language_of_terminal
from faristol.typed_input.player_list import REGISTRATION_BATCH_PLAYERS

UNREADABLE = N_("{file} cannot be read: {problem}")
WHICH_DIVISION = N_("the file has the divisions {divisions}: choose one with --division")
ERRORS_LEFT = N_(
    "{count} {count:error has|errors have} to be mended first, in the file or with --mend; no change was made"
)
DOUBTS_LEFT = N_("Take the tournament over although {count} {count:place is|places are} doubtful?")
NOT_TAKEN_OVER = N_("No change was made: mend the file, use --mend, or accept the doubts with --yes.")
NOT_READ = N_("not read: {line}")
SCORES_ASSUMED = N_(
    "{count} {count:game has|games have} no scores in the file: 1–0 and 0–0 stand for them, and the spread is not that "
    "of the games."
)
BYE_SPREAD = N_("The byes have {points} points on the spread, as in the file (option bye_spread).")
READ = N_("{name}: {players} players, {rounds} paired rounds, {complete} with all results.")
TAKEN_OVER = N_("{name} is taken over as {tournament}: {players} players, {closed} closed rounds.")
SAME_STANDINGS = N_("Points and spreads are those of the file.")
OTHER_STANDINGS = N_("{name}: {points} points and {spread} in the file, {points_here} and {spread_here} here")
OPTION_EXPECTED = N_("--option: expected NAME=VALUE, found {found}")

MIN_ROUNDS = 1

File = Annotated[
    Path,
    typer.Argument(help="Folder of tsh, or a .t, .tou, TRF or CSV file; a ZIP archive of a folder."),
]


def import_tournament(
    client: Client,
    file: File,
    tournament_id: Annotated[str, typer.Option("--id", help="ID of the new tournament; default: from its name.")] = "",
    name: Annotated[str, typer.Option(help="Name; default: that of the file.")] = "",
    division: Annotated[str, typer.Option(help="Division of the file, if it has several.")] = "",
    rounds: Annotated[int, typer.Option(min=0, max=100, help="Rounds; default: as in the file.")] = 0,
    ruleset: Annotated[str, typer.Option(help="Rules under which the tournament goes on.")] = "fise",
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="Option of the rules, such as tie_breaks=spread.")
    ] = None,
    lexicon: Annotated[str, typer.Option(help="Lexicon; default: none, results are typed.")] = "",
    mends: Annotated[
        list[str] | None,
        typer.Option("--mend", metavar="CHANGE", help="Change before the import, such as 3/12/score=401."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Accept the doubts.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Only read the file and show its doubts and standings.")
    ] = False,
) -> None:
    """Take over a tournament of another program: players, pairings, results. After it the tournament goes on here.

    Doubts are shown and errors mended before any change is made. At the end points and spreads are compared with those
    of the file.
    """
    found, assumed = read_file(file)
    chosen = found.choose_division(division)
    if chosen is None:
        raise StartError(localize(WHICH_DIVISION, divisions=found.name_divisions()))
    try:
        chosen = mend(chosen, mends or ())
    except Invalid as error:
        raise typer.BadParameter(say(error.problem, error.params, client.language)) from None
    errors = _show_doubts(chosen, assumed)
    of = chosen.divisions[0]
    title = name or chosen.name or file.stem
    if check:
        client.print(_describe(chosen, errors), [*_list_standings(title, of)])
        raise typer.Exit(1 if errors else 0)
    if errors:
        raise StartError(localize(ERRORS_LEFT, count=errors))
    if (doubts := len(find_doubts(chosen)) + bool(assumed)) and not yes:
        agree(localize(DOUBTS_LEFT, count=doubts), localize(NOT_TAKEN_OVER))
    options = read_options(option or ())
    if (spread := find_bye_spread(of)) and "bye_spread" not in options:
        options["bye_spread"] = str(spread)
        typer.echo(localize(BYE_SPREAD, points=spread), err=True)
    request = pairing.CreateTournamentRequest(
        tournament_id=tournament_id,
        name=title,
        rounds=rounds or max(chosen.rounds, of.rounds, MIN_ROUNDS),
        ruleset=ruleset,
        lexicon=lexicon,
        without_lexicon=not lexicon,
        keeping=game.KEEPING_RECORDED,
        options=[game.ChosenOption(name=key, value=value) for key, value in options.items()],
    )
    _take_over(client, request, chosen)


def _take_over(client: Client, request: pairing.CreateTournamentRequest, found: TournamentFile) -> None:
    """Create the tournament with its players and rounds, and print what differs. Raises ``Exit`` for a difference."""
    division = found.divisions[0]
    created = call(client, "CreateTournament", request).tournament_id
    player_ids = _register(client, created, division)
    closed = position = 0
    if imported := build_rounds(division, player_ids):
        rounds = pairing.ImportRoundsRequest(tournament_id=created, rounds=imported, program=found.program)
        answer = call(client, "ImportRounds", rounds)
        closed, position = answer.closed, answer.position
    position = max(position, _withdraw(client, created, division, player_ids))
    differences = _compare(client, created, division, player_ids, position)
    lines = [
        localize(TAKEN_OVER, name=request.name, tournament=created, players=len(player_ids), closed=closed),
        *(differences or [localize(SAME_STANDINGS)]),
    ]
    content = {"tournament_id": created, "player_ids": player_ids, "closed": closed, "differences": differences}
    client.print(content, lines)
    if differences:
        raise typer.Exit(1)


def read_file(path: Path) -> tuple[TournamentFile, int]:
    """Return the tournament of a file or folder, and the number of its games without scores.

    Raises ``StartError`` for a file of no known format, and for one that is malformed.
    """
    try:
        found = _read(path)
    except OSError as error:
        raise StartError(localize(UNREADABLE, file=str(path), problem=error.strerror or str(error))) from None
    except UnreadableFile as error:
        text = say(error.problem, error.params, language_of_terminal())
        raise StartError(f"{error.place}: {text}") from None
    return found.tournament, found.assumed


def _read(path: Path) -> ReadFile:
    if path.name.casefold() == CONFIG_FILE:
        path = path.parent
    if path.is_dir():
        return read_folder({file.name: file.read_bytes() for file in sorted(path.iterdir()) if is_of_folder(file.name)})
    return files.read_file(path.name, path.read_bytes())


def _show_doubts(found: TournamentFile, assumed: int) -> int:
    """Print what was not read and what is doubtful; return the number of errors."""
    language, errors = language_of_terminal(), 0
    for line in found.passed_over:
        typer.echo(localize(NOT_READ, line=line), err=True)
    for doubt in find_doubts(found):
        errors += doubt.is_error
        typer.echo(f"{'!' if doubt.is_error else '?'} {say(doubt.message, doubt.params, language)}", err=True)
    if assumed:
        typer.echo(f"? {localize(SCORES_ASSUMED, count=assumed)}", err=True)
    return errors


def read_options(given: Sequence[str]) -> dict[str, str]:
    """Return options of rules by their names. Raises ``BadParameter``."""
    options = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(localize(OPTION_EXPECTED, found=text))
        options[key.strip()] = value.strip()
    return options


def _register(client: ServiceClient, tournament_id: str, division: FileDivision) -> list[str]:
    """Register the players in the order of their numbers, and return their ids. Raises ``StartError`` for a refusal."""
    requests = build_registrations(division, tournament_id)
    ids: list[str] = []
    for together in split_batches(requests, REGISTRATION_BATCH_PLAYERS):
        asked = pairing.RegisterPlayersRequest(tournament_id=tournament_id, players=together)
        answer = call(client, "RegisterPlayers", asked)
        for request, registered in zip(together, answer.registrations, strict=True):
            ids.append(registered.player_id or call(client, "RegisterPlayer", request).player_id)
    return ids


def _withdraw(client: ServiceClient, tournament_id: str, division: FileDivision, player_ids: Sequence[str]) -> int:
    """Withdraw the players who have left, and return the position of the last event; 0 if none has."""
    position = 0
    for player_id in list_withdrawn(division, player_ids):
        request = pairing.WithdrawPlayerRequest(tournament_id=tournament_id, player_id=player_id)
        position = call(client, "WithdrawPlayer", request).position
    return position


def _compare(
    client: ServiceClient, tournament_id: str, division: FileDivision, player_ids: Sequence[str], position: int
) -> list[str]:
    """Return a sentence for each player with other points or another spread than in the file."""
    if not division.complete_rounds:
        return []

    async def ask(stub: Any) -> Any:
        results = Results(stub, SOURCE, client.language)
        return await results.standings(tournament_id, division.complete_rounds, Moment(position))

    there, language = client.ask("results", ask), client.language
    return [
        localize(
            OTHER_STANDINGS,
            name=name,
            points=number(half_points / 2, language),
            spread=spread,
            points_here=number(half_here / 2, language),
            spread_here=spread_here,
        )
        for name, half_points, spread, half_here, spread_here in compare_standings(division, player_ids, there)
    ]


def _describe(found: TournamentFile, errors: int) -> Mapping[str, Any]:
    """Return the content of a file for programs."""
    division = found.divisions[0]
    language = language_of_terminal()
    return {
        "name": found.name,
        "program": found.program,
        "players": len(division.players),
        "rounds": division.rounds,
        "complete_rounds": division.complete_rounds,
        "errors": errors,
        "doubts": [
            {
                "reason": doubt.reason,
                "error": doubt.is_error,
                "player": doubt.player,
                "round": doubt.round,
                "text": say(doubt.message, doubt.params, language),
            }
            for doubt in find_doubts(found)
        ],
    }


def _list_standings(title: str, division: FileDivision) -> Iterator[str]:
    """Yield the number of players and rounds, and the standings of the file."""
    language = language_of_terminal()
    complete = division.complete_rounds
    yield localize(READ, name=title, players=len(division.players), rounds=division.rounds, complete=complete)
    for place, (own, half_points, spread) in enumerate(division.rank(complete), 1):
        yield f"{place:>4}  {division.name_of(own)}  {number(half_points / 2, language)}  {spread:+d}"
