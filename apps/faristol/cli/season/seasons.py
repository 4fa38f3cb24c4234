"""`faristol season list`, `season show` and `season qualified`: seasons, rankings, and players that qualify."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.gateway.api.comma_separated import format_csv
from faristol.gateway.api.contract_json import to_json
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import seasons_pb2 as pb
from faristol.table_terminal.shared.common import columns
from faristol.text import number, say, translations

NO_SEASONS = N_("There are no seasons.")
SEASON_LINE = N_("{name} ({id})")
CIRCUIT_LINE = N_("{name} ({id}): {finished} of {tournaments} tournaments finished")
NOTHING_PLAYED = N_("No tournament of this circuit is finished yet.")

QUALIFIED_COLUMNS = ("name", "club", "id")
"""Columns of the list of qualified players, which `player import` reads."""

SeasonArgument = Annotated[str, typer.Argument(metavar="SEASON", help="ID of the season.")]
CircuitArgument = Annotated[str, typer.Argument(metavar="CIRCUIT", help="ID of the circuit.")]
OptionalCircuit = Annotated[
    str, typer.Argument(metavar="CIRCUIT", help="ID of the circuit; without it, the circuits are listed.")
]
PlayerOption = Annotated[
    str, typer.Option("--player", help="ID of a player: print the results and games behind the points.")
]


def list_seasons(client: Client) -> None:
    """List the seasons with their circuits, the latest first."""
    found: pb.ListSeasonsResponse = client.answer_to(pb.ListSeasonsRequest())
    client.print(to_json(found), _format_seasons(found, client.language))


def _format_seasons(found: pb.ListSeasonsResponse, language: str) -> Iterator[str]:
    for season in found.seasons:
        yield say(SEASON_LINE, {"name": season.name, "id": season.season_id}, language)
        for circuit in season.circuits:
            yield f"  {say(SEASON_LINE, {'name': circuit.name, 'id': circuit.circuit_id}, language)}"
    if not found.seasons:
        yield say(NO_SEASONS, {}, language)


def show(client: Client, season: SeasonArgument, circuit: OptionalCircuit = "", player: PlayerOption = "") -> None:
    """Print the ranking of a circuit, or the circuits of a season."""
    language = client.language
    if not circuit:
        of_season: pb.GetSeasonResponse = client.answer_to(pb.GetSeasonRequest(season_id=season))
        client.print(to_json(of_season), _format_season(of_season.season, language))
        return
    request = pb.GetCircuitRequest(season_id=season, circuit_id=circuit, player_id=player)
    found: pb.GetCircuitResponse = client.answer_to(request)
    lines = _format_games(found, language) if player else format_ranking(found, language)
    client.print(to_json(found), lines)


def _format_season(season: pb.Season, language: str) -> Iterator[str]:
    yield say(SEASON_LINE, {"name": season.name, "id": season.season_id}, language)
    for circuit in season.circuits:
        finished = sum(each.finished for each in circuit.tournaments)
        params: dict[str, str | int] = {
            "name": circuit.name,
            "id": circuit.circuit_id,
            "finished": finished,
            "tournaments": len(circuit.tournaments),
        }
        yield f"  {say(CIRCUIT_LINE, params, language)}"
        yield from (f"    {each.tournament_id}  {each.percent} %" for each in circuit.tournaments)


def format_ranking(found: pb.GetCircuitResponse, language: str) -> Iterator[str]:
    """Yield the lines of a ranking: place, player, points, and each result; one that does not count is in brackets."""
    if not found.lines:
        yield say(NOTHING_PLAYED, {}, language)
        return
    read = translations(language).gettext
    finished = [each.tournament_id for each in found.circuit.tournaments if each.finished]
    rows = [["", read("Player"), read("Points"), *finished]]
    for line in found.lines:
        own = {each.tournament_id: each for each in line.results}
        cells = [_format_result(own.get(tournament_id), language) for tournament_id in finished]
        points = number(line.points_hundredths / 100, language)
        rows.append([str(line.place or "–"), line.name or line.player_id, points, *cells])
    yield from columns(rows)


def _format_result(result: pb.CircuitResult | None, language: str) -> str:
    if result is None:
        return "–"
    points = number(result.points_hundredths / 100, language)
    return points if result.counts else f"({points})"


def _format_games(found: pb.GetCircuitResponse, language: str) -> Iterator[str]:
    """Yield the results of one player, each with its games."""
    yield from format_ranking(found, language)
    for result in found.lines[0].results:
        yield result.tournament_id
        rows = [
            [
                f"  {game.round}",
                game.game_id,
                game.opponent_name or game.opponent_id,
                number(game.half_points / 2, language),
            ]
            for game in result.games
        ]
        yield from columns(rows) if rows else ()


def list_qualified(client: ServiceClient, season: SeasonArgument, circuit: CircuitArgument) -> None:
    """Print the players that qualify by a circuit as CSV, the input of `faristol player import`."""
    found: pb.GetCircuitResponse = client.answer_to(pb.GetCircuitRequest(season_id=season, circuit_id=circuit))
    rows = ([line.name, line.club, line.player_id] for line in found.lines if line.qualified and line.name)
    typer.echo(format_csv(QUALIFIED_COLUMNS, rows), nl=False)
