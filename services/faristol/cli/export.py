"""`faristol export …`: standings, teams, pairings, crosstables and reports as files."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import grpc
import typer

from faristol.cli.calling import Cell, language_of_terminal, service_at
from faristol.cli.common import run
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
from faristol.host.text import SOURCE, say
from faristol.pb.rating.v1 import rating_pb2_grpc
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.rules.refusal import N_

app = typer.Typer(no_args_is_help=True, help="Standings, teams, pairings, crosstables and reports as files.")

Tournament = Annotated[str, typer.Argument(help="The tournament.")]
Round = Annotated[int, typer.Option("--round", min=0, help="After this round; with the results so far when 0.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file; else to the terminal.")]


class Form(StrEnum):
    """How a file is written."""

    CSV = "csv"
    JSON = "json"


class Edition(StrEnum):
    """Which description of TRF a report follows."""

    TRF16 = "TRF16"
    TRF26 = "TRF26"


As = Annotated[Form, typer.Option("--as", help="csv or json, with the same columns and fields as the API.")]


@app.command()
def standings(
    tournament: Tournament, form: As = Form.CSV, round_: Round = 0, output: Output = None, address: Cell = None
) -> None:
    """The standings with their tie-breaks; as JSON with how every value comes about."""

    async def ask() -> str:
        async with service_at("results", address) as channel:
            results = _results(channel)
            answer = Standings.of(await results.standings(tournament, round_, arithmetic=form is Form.JSON))
            return comma_separated.standings(answer) if form is Form.CSV else answer.model_dump_json(indent=2)

    _write(run(ask()), output)


@app.command("team-standings")
def team_standings(
    tournament: Tournament, form: As = Form.CSV, round_: Round = 0, output: Output = None, address: Cell = None
) -> None:
    """The standings of teams with their tie-breaks; as JSON with how every value comes about."""

    async def ask() -> str:
        async with service_at("results", address) as channel:
            results = _results(channel)
            found = await results.team_standings(tournament, round_, arithmetic=form is Form.JSON)
            answer = TeamStandings.of(found)
            return comma_separated.team_standings(answer) if form is Form.CSV else answer.model_dump_json(indent=2)

    _write(run(ask()), output)


@app.command()
def teams(tournament: Tournament, form: As = Form.CSV, output: Output = None, address: Cell = None) -> None:
    """The teams with their line-ups."""

    async def ask() -> str:
        async with service_at("results", address) as channel:
            results = _results(channel)
            answer = Teams.of(await results.teams(tournament))
            return comma_separated.teams(answer) if form is Form.CSV else answer.model_dump_json(indent=2)

    _write(run(ask()), output)


@app.command()
def pairings(
    tournament: Tournament,
    number: Annotated[int, typer.Argument(min=1, metavar="ROUND", help="The round.")],
    form: As = Form.CSV,
    output: Output = None,
    address: Cell = None,
) -> None:
    """The tables of a round with their scores, and who sits it out."""

    async def ask() -> str:
        async with service_at("results", address) as channel:
            results = _results(channel)
            answer = Pairings.of(await results.pairings(tournament, number))
            return comma_separated.pairings(answer) if form is Form.CSV else answer.model_dump_json(indent=2)

    _write(run(ask()), output)


@app.command()
def crosstable(
    tournament: Tournament, form: As = Form.CSV, round_: Round = 0, output: Output = None, address: Cell = None
) -> None:
    """Everybody's rounds: opponents, results, scores, who started."""

    async def ask() -> str:
        async with service_at("results", address) as channel:
            results = _results(channel)
            answer = Crosstable.of(await results.crosstable(tournament, round_))
            return comma_separated.crosstable(answer) if form is Form.CSV else answer.model_dump_json(indent=2)

    _write(run(ask()), output)


@app.command()
def ratings(tournament: Tournament, form: As = Form.CSV, output: Output = None, address: Cell = None) -> None:
    """The rating list after a tournament; while a round is left, an estimate from the results so far."""

    async def ask() -> str:
        async with service_at("results", address) as results_channel, service_at("rating", address) as channel:
            results = _results(results_channel)
            service = RatingService(rating_pb2_grpc.RatingServiceStub(channel), language_of_terminal())
            answer = Ratings.of(await service.of(tournament), await results.players(tournament))
            return comma_separated.ratings(answer) if form is Form.CSV else answer.model_dump_json(indent=2)

    _write(run(ask()), output)


@app.command("json")
def whole(tournament: Tournament, output: Output = None, address: Cell = None) -> None:
    """All of it as one JSON object, as of one position: tournament, players, teams, pairings, standings."""

    async def ask() -> str:
        async with service_at("results", address) as channel:
            results = _results(channel)
            head = TournamentAnswer.of(await results.tournament(tournament))
            then = AsOf(head.position)
            rounds = [
                Pairings.of(await results.pairings(tournament, line.round, as_of=then))
                for line in head.tournament.played
            ]
            players = Players.of(await results.players(tournament, as_of=then))
            standings = Standings.of(await results.standings(tournament, as_of=then, arithmetic=True))
            teams = Teams.of(await results.teams(tournament, as_of=then))
            of_teams = TeamStandings.of(await results.team_standings(tournament, as_of=then, arithmetic=True))
            told = {
                "position": head.position,
                "tournament": head.tournament.model_dump(mode="json"),
                **players.model_dump(mode="json", exclude={"position", "players"}),
                "players": [one.model_dump(mode="json") for one in players.players],
                "rounds": [one.model_dump(mode="json", exclude={"position"}) for one in rounds],
                "standings": [one.model_dump(mode="json") for one in standings.standings],
                "teams": [one.model_dump(mode="json") for one in teams.teams],
                "team_standings": [one.model_dump(mode="json") for one in of_teams.standings],
            }
            return json.dumps(told, ensure_ascii=False, indent=2)

    _write(run(ask()), output)


@app.command()
def trf(
    tournament: Tournament,
    edition: Annotated[Edition, typer.Option(help="Which description of the format.")] = Edition.TRF26,
    round_: Annotated[int, typer.Option("--round", min=0, help="Up to this round; the last over when 0.")] = 0,
    output: Output = None,
    address: Cell = None,
) -> None:
    """The tournament as a TRF file, for pairing and rating programs. `faristol pair FILE --check` pairs it again."""

    async def ask() -> str:
        async with service_at("results", address) as channel:
            results = _results(channel)
            return (await results.report(tournament, EDITIONS[edition.value], round_, for_officials=True)).text

    _write(run(ask()), output)


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
