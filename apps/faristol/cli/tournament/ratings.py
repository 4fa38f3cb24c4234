"""`faristol rating show`, `rating systems` and `player export`: ratings after a tournament, and the rating systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import typer
from rich.table import Table

from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import Tournament
from faristol.gateway.api.comma_separated import format_csv
from faristol.host import Addresses, StartError
from faristol.kernel.refusal import N_
from faristol.pb.rating.v1 import rating_pb2 as rating
from faristol.pb.results.v1 import results_pb2 as results
from faristol.presentation.names import Named, labels
from faristol.table_terminal.shared.common import as_json, localize, print_answer
from faristol.table_terminal.shared.screen import console
from faristol.text import number, translations
from faristol.typed_input.known_players import KnownPlayer, of_list
from faristol.typed_input.player_list import DETAIL_COLUMNS, PUBLIC_COLUMNS

RATING_HEADINGS = (N_("Player"), N_("Before"), N_("After"), N_("Games"), N_("Points"), N_("Expected"))
ESTIMATE = N_("{system}, an estimate from the results so far")
REVISED = N_("{system}, revised {at} UTC (revision {revision})")
NO_LIST = N_("{tournament} has no rating list yet: it is published when the last round is closed")


def format_rating_systems(answer: rating.ListRatingSystemsResponse) -> Iterator[str]:
    """Yield the lines of `rating systems`: the systems that a tournament can choose, with their parameters."""
    for system in answer.systems:
        usual = " (usual)" if system.usual else ""
        if system.tau:
            first, other = system.first_deviation / 100, system.other_deviation / 100
            deviations = f"deviation {first:g} at first, {other:g} from elsewhere"
            volatility = f"volatility {system.first_volatility / 1e6:g}"
            yield f"{system.name}{usual}: tau {system.tau}; {deviations}; {volatility}"
            continue
        factors = ", ".join(f"{factor.k} from {factor.rating_from}" for factor in system.factors)
        bonus = f"; gains above {system.accelerated_points} a game twice" if system.accelerated_points else ""
        yield f"{system.name}{usual}: base {system.base[:8]}, {system.per_point} a point; factors {factors}{bonus}"


def show(client: Client, tournament: Tournament) -> None:
    """Print the ratings after a tournament; before its last round, an estimate from the results so far."""
    tournament_id = client.find_tournament(tournament)
    found = client.answer_to(rating.EstimateRatingsRequest(tournament_id=tournament_id))
    if client.json_output:
        print_answer(found, (), json_output=True)
        return
    language = client.language
    called = _load_player_names(tournament_id, client)
    grid = Table(title=title(found))
    read = translations(language).gettext
    for column in RATING_HEADINGS:
        grid.add_column(read(column), justify="left" if column == RATING_HEADINGS[0] else "right")
    for line in found.ratings:
        points, expected = number(line.half_points / 2, language), number(line.expected_milli / 1000, language)
        name = called.get(line.player_id, line.player_id)
        grid.add_row(name, str(line.before), str(line.after), str(line.games), points, expected)
    console.print(grid)


def title(found: rating.EstimateRatingsResponse) -> str:
    """Return the name of the rating system, with whether the ratings are an estimate or a revision."""
    if not found.published:
        return localize(ESTIMATE, system=found.system)
    if found.revision:
        at = f"{found.revised_at.ToDatetime():%Y-%m-%d %H:%M}"
        return localize(REVISED, system=found.system, at=at, revision=found.revision)
    return str(found.system)


def _load_player_names(tournament_id: str, client: ServiceClient) -> Mapping[str, str]:
    """Return the names of the players; empty without an address of the results service."""
    if not (client.address or Addresses().of("results")):
        return {}
    found = client.answer_to(results.ListPlayersRequest(tournament_id=tournament_id))
    return labels([Named(player.player_id, player.name, player.club) for player in found.players])


def export(client: Client, tournament: Tournament) -> None:
    """Print the rating list after a tournament as CSV, the input of `faristol player import` for the next one."""
    request = results.ListPlayersRequest(tournament_id=client.find_tournament(tournament))
    found = client.answer_to(request)
    if not found.rating_system:
        raise StartError(localize(NO_LIST, tournament=tournament))
    if client.json_output:
        print_answer(as_json(found), (), json_output=True)
        return
    typer.echo(rating_list(found.players), nl=False)


def rating_list(players: Iterable[results.Player]) -> str:
    """Return the rating list as CSV, without players who have no name."""
    return format_csv(PUBLIC_COLUMNS, map(_cells, of_list(players)))


def _cells(player: KnownPlayer) -> list[str | int | None]:
    """Return the cells of a player. The note is for officials only, and this list is public."""
    details = player.person.details
    cells: dict[str, str | int | None] = {
        column: detail.format(getattr(details, detail.name)) for column, detail in DETAIL_COLUMNS.items()
    }
    cells |= {"rating": player.rating, "id": player.player_id, "category": player.category, "note": ""}
    return [cells[column] for column in PUBLIC_COLUMNS]
