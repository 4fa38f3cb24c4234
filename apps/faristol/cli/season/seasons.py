"""`faristol season …` and `person …`: seasons, rankings, players that qualify, best results, and careers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import MAX_CONTRACT_NUMBER
from faristol.gateway.api.comma_separated import format_csv
from faristol.gateway.api.contract_json import to_json
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.results.v1 import careers_pb2 as careers
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import seasons_pb2 as pb
from faristol.pb.season.v1 import season_pb2 as season_pb
from faristol.presentation.names import Named, candidates
from faristol.table_terminal.shared.common import columns, format_number, localize
from faristol.table_terminal.shared.names import find_named

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
    found = client.answer_to(pb.ListSeasonsRequest())
    client.print(to_json(found), _format_seasons(found))


def _format_seasons(found: pb.ListSeasonsResponse) -> Iterator[str]:
    for season in found.seasons:
        yield localize(SEASON_LINE, name=season.name, id=season.season_id)
        for circuit in season.circuits:
            yield f"  {localize(SEASON_LINE, name=circuit.name, id=circuit.circuit_id)}"
    if not found.seasons:
        yield localize(NO_SEASONS)


def show(client: Client, season: SeasonArgument, circuit: OptionalCircuit = "", player: PlayerOption = "") -> None:
    """Print the ranking of a circuit, or the circuits of a season."""
    if not circuit:
        of_season = client.answer_to(pb.GetSeasonRequest(season_id=season))
        client.print(to_json(of_season), _format_season(of_season.season))
        return
    request = pb.GetCircuitRequest(season_id=season, circuit_id=circuit, player_id=player)
    found = client.answer_to(request)
    lines = _format_games(found) if player else format_ranking(found)
    client.print(to_json(found), lines)


def _format_season(season: pb.Season) -> Iterator[str]:
    yield localize(SEASON_LINE, name=season.name, id=season.season_id)
    for circuit in season.circuits:
        finished = sum(each.finished for each in circuit.tournaments)
        params: dict[str, str | int] = {
            "name": circuit.name,
            "id": circuit.circuit_id,
            "finished": finished,
            "tournaments": len(circuit.tournaments),
        }
        yield f"  {localize(CIRCUIT_LINE, **params)}"
        yield from (f"    {each.tournament_id}  {each.percent} %" for each in circuit.tournaments)


def format_ranking(found: pb.GetCircuitResponse) -> Iterator[str]:
    """Yield the lines of a ranking: place, player, points, and each result; one that does not count is in brackets."""
    if not found.lines:
        yield localize(NOTHING_PLAYED)
        return
    finished = [each.tournament_id for each in found.circuit.tournaments if each.finished]
    rows = [["", localize("Player"), localize("Points"), *finished]]
    for line in found.lines:
        own = {each.tournament_id: each for each in line.results}
        cells = [_format_result(own.get(tournament_id)) for tournament_id in finished]
        points = format_number(line.points_hundredths / 100)
        rows.append([str(line.place or "–"), line.name or line.player_id, points, *cells])
    yield from columns(rows)


def _format_result(result: pb.CircuitResult | None) -> str:
    if result is None:
        return "–"
    points = format_number(result.points_hundredths / 100)
    return points if result.counts else f"({points})"


def _format_games(found: pb.GetCircuitResponse) -> Iterator[str]:
    """Yield the results of one player, each with its games."""
    yield from format_ranking(found)
    for result in found.lines[0].results:
        yield result.tournament_id
        rows = [
            [
                f"  {game.round}",
                game.game_id,
                game.opponent_name or game.opponent_id,
                format_number(game.half_points / 2),
            ]
            for game in result.games
        ]
        yield from columns(rows) if rows else ()


def list_qualified(client: ServiceClient, season: SeasonArgument, circuit: CircuitArgument) -> None:
    """Print the players that qualify by a circuit as CSV, the input of `faristol player import`."""
    found = client.answer_to(pb.GetCircuitRequest(season_id=season, circuit_id=circuit))
    rows = ([line.name, line.club, line.player_id] for line in found.lines if line.qualified and line.name)
    typer.echo(format_csv(QUALIFIED_COLUMNS, rows), nl=False)


CAREER = N_("{name}: {tournaments} {tournaments:tournament|tournaments}, {wins} won, {draws} drawn, {losses} lost")
HIGHEST_GAME = N_("Highest game: {score}–{other} ({game})")
MEDAL = N_("Place {place} in {tournament}")
BEST_HEADINGS = (N_("Highest games"), N_("Highest spreads"), N_("Highest plays"))

MERGED_LINE = N_("{merged} is {person} since {at}")
SEPARATED_LINE = N_("{merged} was {person} from {at} to {until}")
NO_MERGES = N_("No entries are merged.")

PersonArgument = Annotated[str, typer.Argument(metavar="PERSON", help="Name or ID of the player.")]
OpponentOption = Annotated[
    str, typer.Option("--opponent", help="Name or ID of an opponent: print the games between them.")
]
MinGamesOption = Annotated[
    int, typer.Option("--min-games", min=0, max=MAX_CONTRACT_NUMBER, help="Number of games that an average requires.")
]


def show_career(client: Client, person: PersonArgument, opponent: OpponentOption = "") -> None:
    """Print the career of a player, or the games against an opponent."""
    player_id, opponent_id = (_find_player(given, client) for given in (person, opponent))
    found = client.answer_to(careers.GetCareerRequest(player_id=player_id, opponent_id=opponent_id))
    client.print(to_json(found), format_career(found))


def _find_player(given: str, client: ServiceClient) -> str:
    """Return the id of a player of any tournament; ``given`` if it means none. Raises ``Unclear`` for several."""
    if not given:
        return ""
    found = client.answer_to(results.SearchPlayersRequest(search=given))
    known = [Named(player.player_id, player.name, player.club) for player in found.players]
    return find_named(given, known).id if candidates(given, known) else given


def format_career(found: careers.GetCareerResponse) -> Iterator[str]:
    """Yield the totals of a player, the medals, and the opponents with their games."""
    yield localize(
        CAREER,
        name=found.name or found.player_id,
        tournaments=found.tournaments,
        wins=found.wins,
        draws=found.draws,
        losses=found.losses,
    )
    if found.HasField("highest_game"):
        best = found.highest_game
        yield localize(HIGHEST_GAME, score=best.score, other=best.opponent_score, game=best.game_id)
    for medal in found.medals:
        yield localize(MEDAL, place=medal.place, tournament=medal.tournament_name)
    for line in found.opponents:
        balance = f"{line.wins}–{line.draws}–{line.losses}"
        yield f"{line.opponent_name or line.opponent_id}  {balance}  {line.spread:+}"
        rows = [[f"  {game.game_id}", f"{game.score}–{game.opponent_score}"] for game in line.games]
        yield from columns(rows) if rows else ()


def show_bests(client: Client, season: SeasonArgument, min_games: MinGamesOption = 0) -> None:
    """Print the best results of a season: games, spreads, plays, averages and medals."""
    request = careers.GetSeasonBestsRequest(season_id=season, min_games=min_games)
    found = client.answer_to(request)
    client.print(to_json(found), format_bests(found))


def format_bests(found: careers.GetSeasonBestsResponse) -> Iterator[str]:
    """Yield each list of best results under its heading."""
    lists: Sequence[tuple[str, Sequence[careers.SeasonBest]]] = [
        (BEST_HEADINGS[0], found.games),
        (BEST_HEADINGS[1], found.spreads),
        (BEST_HEADINGS[2], found.plays),
    ]
    for heading, lines in lists:
        if lines:
            yield localize(heading)
            yield from columns(
                [f"  {each.value}", each.name or each.player_id, each.game_id, each.word] for each in lines
            )
    if found.averages:
        yield localize(N_("Highest averages"))
        yield from columns(
            [f"  {format_number(each.average_hundredths / 100)}", each.name or each.player_id, str(each.games)]
            for each in found.averages
        )
    if found.medals:
        yield localize(N_("Medals"))
        yield from columns(
            [
                f"  {each.name or each.player_id}",
                *(str(len(won)) for won in (each.first_ids, each.second_ids, each.third_ids)),
            ]
            for each in found.medals
        )


def format_merges(answer: season_pb.ListMergesResponse) -> Iterator[str]:
    """Yield a line for each merge of persons, the latest first."""
    for each in answer.merges:
        params = {"merged": each.merged_id, "person": each.person_id, "at": f"{to_datetime(each.merged_at):%Y-%m-%d}"}
        if each.HasField("separated_at"):
            undone = params | {"until": f"{to_datetime(each.separated_at):%Y-%m-%d}"}
            yield localize(SEPARATED_LINE, **undone)
        else:
            yield localize(MERGED_LINE, **params)
    if not answer.merges:
        yield localize(NO_MERGES)
