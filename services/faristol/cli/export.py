"""`faristol NOUN export`: standings, teams, pairings, crosstables, ratings and reports as files."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import grpc
import typer

from faristol.cli.calling import Cell, service_at
from faristol.cli.common import run
from faristol.cli.completing import Tournament
from faristol.cli.names import tournament_meant
from faristol.gateway import comma_separated
from faristol.gateway.crosstable import Crosstable
from faristol.gateway.files import EDITIONS
from faristol.gateway.pairings import Pairings
from faristol.gateway.ratings import Ratings, RatingService
from faristol.gateway.results import AsOf, Results
from faristol.gateway.standings import Standings
from faristol.gateway.teams import Teams, TeamStandings
from faristol.gateway.tournaments import Players, TournamentAnswer
from faristol.host import StartError
from faristol.kernel.refusal import N_
from faristol.pb.rating.v1 import rating_pb2_grpc
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.text import SOURCE, say
from faristol.text.terminal import language_of_terminal

Round = Annotated[
    int, typer.Option("--round", min=0, max=999, help="After this round; with the results so far when 0.")
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file; else to the terminal.")]


class Edition(StrEnum):
    """Which description of TRF a report follows."""

    TRF16 = "TRF16"
    TRF26 = "TRF26"


InJson = Annotated[bool, typer.Option("--json", help="Write JSON, with the fields of the API; else CSV.")]


def standings(
    tournament: Tournament,
    of_teams: Annotated[bool, typer.Option("--teams", help="Those of the teams, where teams meet.")] = False,
    json_output: InJson = False,
    round_: Round = 0,
    output: Output = None,
    address: Cell = None,
) -> None:
    """Write the standings with their tie-breaks as CSV; as JSON with how every value comes about."""

    async def ask(results: Results, found: str) -> str:
        if of_teams:
            teams = TeamStandings.of(await results.team_standings(found, round_, arithmetic=json_output))
            return teams.model_dump_json(indent=2) if json_output else comma_separated.team_standings(teams)
        answer = Standings.of(await results.standings(found, round_, arithmetic=json_output))
        return answer.model_dump_json(indent=2) if json_output else comma_separated.standings(answer)

    _write(_asked(tournament, address, ask), output)


def teams(tournament: Tournament, json_output: InJson = False, output: Output = None, address: Cell = None) -> None:
    """Write the teams with their line-ups."""

    async def ask(results: Results, found: str) -> str:
        answer = Teams.of(await results.teams(found))
        return answer.model_dump_json(indent=2) if json_output else comma_separated.teams(answer)

    _write(_asked(tournament, address, ask), output)


def pairings(
    tournament: Tournament,
    number: Annotated[
        int, typer.Argument(min=0, max=999, metavar="ROUND", help="The round; the last one paired when left out.")
    ] = 0,
    json_output: InJson = False,
    output: Output = None,
    address: Cell = None,
) -> None:
    """Write the tables of a round with their scores, and who sits it out."""

    async def ask(results: Results, found: str) -> str:
        which = number or max(1, len((await results.tournament(found)).tournament.played))
        answer = Pairings.of(await results.pairings(found, which))
        return answer.model_dump_json(indent=2) if json_output else comma_separated.pairings(answer)

    _write(_asked(tournament, address, ask), output)


def crosstable(
    tournament: Tournament, json_output: InJson = False, round_: Round = 0, output: Output = None, address: Cell = None
) -> None:
    """Write everybody's rounds: opponents, results, scores, who started."""

    async def ask(results: Results, found: str) -> str:
        answer = Crosstable.of(await results.crosstable(found, round_))
        return answer.model_dump_json(indent=2) if json_output else comma_separated.crosstable(answer)

    _write(_asked(tournament, address, ask), output)


def ratings(tournament: Tournament, json_output: InJson = False, output: Output = None, address: Cell = None) -> None:
    """Write the rating list after a tournament; while a round is left, an estimate from the results so far."""

    async def ask(results: Results, found: str) -> str:
        async with service_at("rating", address) as channel:
            service = RatingService(rating_pb2_grpc.RatingServiceStub(channel), language_of_terminal())
            answer = Ratings.of(await service.of(found), await results.players(found))
            return answer.model_dump_json(indent=2) if json_output else comma_separated.ratings(answer)

    _write(_asked(tournament, address, ask), output)


def whole(
    tournament: Tournament,
    json_output: Annotated[bool, typer.Option("--json", help="It is always JSON.")] = True,
    output: Output = None,
    address: Cell = None,
) -> None:
    """Write all of it as one JSON object, as of one position: tournament, players, teams, pairings, standings."""

    async def ask(results: Results, found: str) -> str:
        head = TournamentAnswer.of(await results.tournament(found))
        then = AsOf(head.position)
        rounds = [Pairings.of(await results.pairings(found, line.round, as_of=then)) for line in head.tournament.played]
        players = Players.of(await results.players(found, as_of=then))
        standings = Standings.of(await results.standings(found, as_of=then, arithmetic=True))
        teams = Teams.of(await results.teams(found, as_of=then))
        of_teams = TeamStandings.of(await results.team_standings(found, as_of=then, arithmetic=True))
        told = {
            "position": head.position,
            "tournament": head.tournament.model_dump(mode="json"),
            **players.model_dump(mode="json", exclude={"position", "players"}),
            "players": [player.model_dump(mode="json") for player in players.players],
            "rounds": [entry.model_dump(mode="json", exclude={"position"}) for entry in rounds],
            "standings": [line.model_dump(mode="json") for line in standings.standings],
            "teams": [team.model_dump(mode="json") for team in teams.teams],
            "team_standings": [line.model_dump(mode="json") for line in of_teams.standings],
        }
        return json.dumps(told, ensure_ascii=False, indent=2)

    _write(_asked(tournament, address, ask), output)


def trf(
    tournament: Tournament,
    edition: Annotated[Edition, typer.Option(help="Which description of the format.")] = Edition.TRF26,
    round_: Annotated[int, typer.Option("--round", min=0, max=999, help="Up to this round; the last over when 0.")] = 0,
    json_output: Annotated[bool, typer.Option("--json", help="The file as a text in a JSON object.")] = False,
    output: Output = None,
    address: Cell = None,
) -> None:
    """Write the tournament as a TRF file, for pairing and rating programs. `trf pair FILE --check` pairs it again."""

    async def ask(results: Results, found: str) -> str:
        text = (await results.report(found, EDITIONS[edition.value], round_, for_officials=True)).text
        return json.dumps({"tournament_id": found, "trf": text}, ensure_ascii=False) if json_output else text

    _write(_asked(tournament, address, ask), output)


def _asked(tournament: str, address: str | None, work: Callable[[Results, str], Awaitable[str]]) -> str:
    """What the results service gives of the tournament that is meant."""

    async def ask() -> str:
        async with service_at("results", address) as channel:
            return await work(_results(channel), await tournament_meant(tournament, address))

    text: str = run(ask())
    return text


def _results(channel: grpc.aio.Channel) -> Results:
    """The results service: a file has the same words on every terminal, and a refusal those of whose terminal it is."""
    return Results(results_pb2_grpc.ResultsServiceStub(channel), SOURCE, language_of_terminal())


def _write(text: str, output: Path | None) -> None:
    """The text byte for byte: these files end their lines as their formats want it."""
    data = text.encode()
    if output is None:
        typer.get_binary_stream("stdout").write(data)
        return
    try:
        output.write_bytes(data)
    except OSError as problem:
        text = N_("{file} cannot be written: {problem}")
        why = {"file": str(output), "problem": problem.strerror or str(problem)}
        raise StartError(say(text, why, language_of_terminal())) from None
