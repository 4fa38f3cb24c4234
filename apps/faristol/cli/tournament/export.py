"""`faristol NOUN export`: standings, teams, pairings, crosstables, ratings and reports as files."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from google.protobuf.message import Message

from faristol.cli.client import ServiceClient
from faristol.cli.options import LastRound, Output, Tournament
from faristol.gateway.api import comma_separated
from faristol.gateway.api.contract_json import to_json
from faristol.gateway.api.downloads import EDITIONS, load_tournament_file, to_tsh_files
from faristol.gateway.api.ratings import RatingService, join_ratings
from faristol.gateway.rpc.results import Moment, Results
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.rules.tournament_files.results_list import write_crosstable
from faristol.rules.tournament_files.tou import write_tou
from faristol.rules.trf import Edition
from faristol.table_terminal.shared.common import localize, print_answer
from faristol.table_terminal.shared.services import stub_at
from faristol.text import SOURCE

NOT_WRITTEN = N_("{file} cannot be written: {problem}")

Round = Annotated[int, typer.Option("--round", min=0, max=999, help="Round of the standings; 0: the results so far.")]
InJson = Annotated[bool, typer.Option("--json", help="Write JSON with the fields of the API; default: CSV.")]


def standings(
    client: ServiceClient,
    tournament: Tournament,
    of_teams: Annotated[bool, typer.Option("--teams", help="Standings of the teams, in team tournaments.")] = False,
    json_output: InJson = False,
    round_: Round = 0,
    output: Output = None,
) -> None:
    """Write the standings with their tie-breaks as CSV; as JSON with the arithmetic of every value."""
    ask, as_csv = (
        (Results.team_standings, comma_separated.team_standings)
        if of_teams
        else (Results.standings, comma_separated.standings)
    )
    asked = partial(ask, round_=round_, arithmetic=json_output)
    _export(tournament, client, output, asked, None if json_output else as_csv)


def teams(client: ServiceClient, tournament: Tournament, json_output: InJson = False, output: Output = None) -> None:
    """Write the teams with their line-ups."""
    _export(tournament, client, output, Results.teams, None if json_output else comma_separated.teams)


def pairings(
    client: ServiceClient,
    tournament: Tournament,
    number: LastRound = 0,
    json_output: InJson = False,
    output: Output = None,
) -> None:
    """Write the tables of a round with their scores, and its byes."""

    async def ask(results: Results, found: str) -> Any:
        which = number or max(1, len((await results.tournament(found)).tournament.played))
        return await results.pairings(found, which)

    _export(tournament, client, output, ask, None if json_output else comma_separated.pairings)


def crosstable(
    client: ServiceClient,
    tournament: Tournament,
    json_output: InJson = False,
    as_text: Annotated[bool, typer.Option("--text", help="Write a table in columns, as federations print it.")] = False,
    round_: Round = 0,
    output: Output = None,
) -> None:
    """Write the rounds of all players: opponents, results, scores, starts."""

    async def ask(results: Results, found: str) -> Any:
        if as_text:
            return write_crosstable((await load_tournament_file(results, found, round_))[0])
        return await results.crosstable(found, round_)

    as_csv = str if as_text else comma_separated.crosstable
    _export(tournament, client, output, ask, None if json_output and not as_text else as_csv)


def tou(
    client: ServiceClient,
    tournament: Tournament,
    round_: Round = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Print the file as a text in a JSON object.")] = False,
    output: Output = None,
) -> None:
    """Write the results in the form of AUPAIR (.tou), in which federations take them for their ratings."""

    async def ask(results: Results, found: str) -> str:
        text = write_tou((await load_tournament_file(results, found, round_))[0])
        return json.dumps({"tournament_id": found, "tou": text}, ensure_ascii=False) if json_output else text

    _export(tournament, client, output, ask, str)


def tsh(
    client: ServiceClient,
    tournament: Tournament,
    folder: Annotated[Path, typer.Option(help="Folder to write, created if it does not exist.")],
    round_: Round = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Print the names of the files as JSON.")] = False,
) -> None:
    """Write the folder of a tournament for tsh: config.tsh and a.t. Files of these names are replaced."""

    async def work(results: Results, found: str) -> Mapping[str, bytes]:
        return to_tsh_files((await load_tournament_file(results, found, round_))[0])

    files = client.ask_results(tournament, work, SOURCE, client.language)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StartError(localize(NOT_WRITTEN, file=str(folder), problem=error.strerror or str(error))) from None
    for name, content in files.items():
        write_bytes(content, folder / name)
    written = [str(folder / name) for name in files]
    print_answer({"files": written}, written, json_output=json_output)


def ratings(client: ServiceClient, tournament: Tournament, json_output: InJson = False, output: Output = None) -> None:
    """Write the rating list after a tournament; before its last round, an estimate from the results so far."""

    async def ask(results: Results, found: str) -> Any:
        async with stub_at("rating", client.address) as stub:
            service = RatingService(stub, client.language)
            return join_ratings(await service.of(found), await results.players(found))

    _export(tournament, client, output, ask, None if json_output else comma_separated.ratings)


def whole(
    client: ServiceClient,
    tournament: Tournament,
    json_output: Annotated[
        bool, typer.Option("--json", help="Accepted for consistency: the output is always JSON.")
    ] = True,
    output: Output = None,
) -> None:
    """Write the tournament as one JSON object, as of one position: players, teams, pairings, standings."""

    async def ask(results: Results, found: str) -> dict[str, Any]:
        answer = await results.tournament(found)
        then = Moment(as_of_position=answer.position)
        rounds = [await results.pairings(found, line.round, then) for line in answer.tournament.played]
        players = to_json(await results.players(found, then))
        listed = players.pop("players")
        standings = await results.standings(found, when=then, arithmetic=True)
        teams = await results.teams(found, then)
        of_teams = await results.team_standings(found, when=then, arithmetic=True)
        return {
            **players,
            **to_json(answer),
            "players": listed,
            "rounds": [_without_position(to_json(entry)) for entry in rounds],
            "standings": to_json(standings)["standings"],
            "teams": to_json(teams)["teams"],
            "team_standings": to_json(of_teams)["standings"],
        }

    _export(tournament, client, output, ask, None)


def _without_position(content: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name != "position"}


def trf(
    client: ServiceClient,
    tournament: Tournament,
    edition: Annotated[Edition, typer.Option(help="Version of the format.")] = Edition.TRF26,
    round_: Annotated[
        int, typer.Option("--round", min=0, max=999, help="Last round to include; 0: the last complete one.")
    ] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="Print the file as a text in a JSON object.")] = False,
    output: Output = None,
) -> None:
    """Write the tournament as a TRF file, for pairing and rating programs. `trf pair FILE --check` pairs it again."""

    async def ask(results: Results, found: str) -> str:
        text = (await results.report(found, EDITIONS[edition.value], round_, for_officials=True)).text
        return json.dumps({"tournament_id": found, "trf": text}, ensure_ascii=False) if json_output else text

    _export(tournament, client, output, ask, str)


def _export(
    tournament: str,
    client: ServiceClient,
    output: Path | None,
    ask: Callable[[Results, str], Awaitable[Any]],
    written: Callable[[Any], str] | None,
) -> None:
    """Write an answer of the results service on the tournament: formatted by ``written``, or as JSON.

    The text of a file does not depend on the terminal's language; a refusal does.
    """
    answer = client.ask_results(tournament, ask, SOURCE, client.language)
    content = to_json(answer) if isinstance(answer, Message) else answer
    write(written(content) if written else json.dumps(content, ensure_ascii=False, indent=2), output)


def write(text: str, output: Path | None) -> None:
    """Write a text byte for byte, without changes of line ends. Raises as ``write_bytes``.

    A file whose name ends in ``.csv`` begins with a byte order mark, which spreadsheets need.
    """
    is_csv = output is not None and output.suffix.lower() == ".csv"
    write_bytes(f"{comma_separated.BYTE_ORDER_MARK if is_csv else ''}{text}".encode(), output)


def write_bytes(content: bytes, output: Path | None) -> None:
    """Write to a file, or to standard output without one. Raises ``StartError`` if the file cannot be written."""
    if output is None:
        typer.get_binary_stream("stdout").write(content)
        return
    try:
        output.write_bytes(content)
    except OSError as error:
        why = error.strerror or str(error)
        raise StartError(localize(NOT_WRITTEN, file=str(output), problem=why)) from None
