"""`faristol rating …` and `faristol player export`: how a tournament is rated, and the list."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any

import typer
from google.protobuf.message import Message
from rich.table import Table

from faristol.cli.calling import AsJson, Cell, as_json, service_at
from faristol.cli.common import console, run
from faristol.cli.completing import Tournament
from faristol.cli.names import Named, labels, tournament_meant
from faristol.cli.player_list import COLUMNS
from faristol.gateway.comma_separated import written
from faristol.host import Addresses, StartError
from faristol.kernel.refusal import N_
from faristol.pb.rating.v1 import rating_pb2 as rating
from faristol.pb.rating.v1 import rating_pb2_grpc as rating_grpc
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1 import results_pb2_grpc as results_grpc
from faristol.text import number, say, translations
from faristol.text.terminal import language_of_terminal

RATED_BY = N_("{tournament} is rated by {system}.")


HEADS = (N_("Player"), N_("Before"), N_("After"), N_("Games"), N_("Points"), N_("Expected"))
ESTIMATE = N_("{system}, an estimate from the results so far")
REVISED = N_("{system}, revised {at} UTC (revision {revision})")
NO_LIST = N_("{tournament} has no rating list yet: it is published when the last round is closed")


def systems(address: Cell = None, json_output: AsJson = False) -> None:
    """List the rating systems that a tournament can choose, with their parameters."""
    found = _ask(address, "ListRatingSystems", rating.ListRatingSystemsRequest())
    if json_output:
        typer.echo(json.dumps(as_json(found), indent=2))
        return
    for system in found.systems:
        usual = " (usual)" if system.usual else ""
        if system.tau:
            first, other = system.first_deviation / 100, system.other_deviation / 100
            deviations = f"deviation {first:g} at first, {other:g} from elsewhere"
            volatility = f"volatility {system.first_volatility / 1e6:g}"
            typer.echo(f"{system.name}{usual}: tau {system.tau}; {deviations}; {volatility}")
            continue
        factors = ", ".join(f"{one.k} from {one.rating_from}" for one in system.factors)
        typer.echo(f"{system.name}{usual}: base {system.base[:8]}, {system.per_point} a point; factors {factors}")


def choose(
    tournament: Tournament,
    system: Annotated[str, typer.Argument(help="Name and version, as naspa-1.")],
    address: Cell = None,
    json_output: AsJson = False,
) -> None:
    """Say by which system a tournament is rated, before its list is published."""
    found = run(tournament_meant(tournament, address))
    request = rating.ChooseRatingSystemRequest(command_id=str(uuid.uuid4()), tournament_id=found, system=system)
    answer = _ask(address, "ChooseRatingSystem", request)
    if json_output:
        typer.echo(json.dumps({"tournament_id": found, "system": system, **as_json(answer)}))
    else:
        typer.echo(say(RATED_BY, {"tournament": found, "system": system}, language_of_terminal()))


def show(tournament: Tournament, address: Cell = None, json_output: AsJson = False) -> None:
    """Print the ratings after a tournament; while a round is left, those that the results so far would give."""
    tournament_id = run(tournament_meant(tournament, address))
    found = _ask(address, "EstimateRatings", rating.EstimateRatingsRequest(tournament_id=tournament_id))
    if json_output:
        typer.echo(json.dumps(as_json(found), indent=2))
        return
    language = language_of_terminal()
    called = _called(tournament_id, address)
    grid = Table(title=title(found, language))
    read = translations(language).gettext
    for column in HEADS:
        grid.add_column(read(column), justify="left" if column == HEADS[0] else "right")
    for one in found.ratings:
        points, expected = number(one.half_points / 2, language), number(one.expected_milli / 1000, language)
        grid.add_row(
            called.get(one.player_id, one.player_id), str(one.before), str(one.after), str(one.games), points, expected
        )
    console.print(grid)


def title(found: rating.EstimateRatingsResponse, language: str) -> str:
    """By which system players are rated, and whether that is an estimate or a revision."""
    if not found.published:
        return say(ESTIMATE, {"system": found.system}, language)
    if found.revision:
        at = f"{found.revised_at.ToDatetime():%Y-%m-%d %H:%M}"
        return say(REVISED, {"system": found.system, "at": at, "revision": found.revision}, language)
    return str(found.system)


def _called(tournament_id: str, address: str | None) -> Mapping[str, str]:
    """What the players are called; by their ids alone where no results service can be asked."""
    if not (address or Addresses().of("results")):
        return {}

    async def ask() -> Mapping[str, str]:
        async with service_at("results", address) as channel:
            request = results.ListPlayersRequest(tournament_id=tournament_id)
            found = await results_grpc.ResultsServiceStub(channel).ListPlayers(request)
        return labels([Named(player.player_id, player.name, player.club) for player in found.players])

    called: Mapping[str, str] = run(ask())
    return called


def export(tournament: Tournament, address: Cell = None, json_output: AsJson = False) -> None:
    """Print the list after a tournament as CSV: what `faristol player import` takes for the next one."""

    async def ask() -> results.ListPlayersResponse:
        async with service_at("results", address) as channel:
            stub = results_grpc.ResultsServiceStub(channel)
            answer: results.ListPlayersResponse = await stub.ListPlayers(
                results.ListPlayersRequest(tournament_id=await tournament_meant(tournament, address))
            )
            return answer

    found = run(ask())
    if not found.rating_system:
        raise StartError(say(NO_LIST, {"tournament": tournament}, language_of_terminal()))
    if json_output:
        typer.echo(json.dumps(as_json(found), ensure_ascii=False, indent=2))
        return
    typer.echo(rating_list(found.players), nl=False)


def rating_list(players: Iterable[results.Player]) -> str:
    """The list as CSV, the highest rating first, without those whose name was erased: nobody is registered without.

    Who entered after the list was made, for a round that was added, has the rating that they came with, if any. Who
    withdrew before they could be paired is left out.
    """
    came = (one for one in players if one.HasField("new_rating") or not 0 < one.withdrawn_round <= one.entered_round)
    rated = [(_rating(one), one) for one in came if one.name]
    ranked = sorted(rated, key=lambda line: (line[0] is None, -(line[0] or 0), line[1].player_id))
    # The note is for officials, and who asks here is the public.
    lines = ([one.name, one.club, rating, one.player_id, one.country, one.category, ""] for rating, one in ranked)
    return written(COLUMNS, lines)


def _rating(player: results.Player) -> int | None:
    """Points; None where there are none."""
    if player.HasField("new_rating"):
        return player.new_rating
    return None if player.unrated else player.rating


def _ask(address: str | None, method: str, request: Message) -> Any:
    async def ask() -> Any:
        async with service_at("rating", address) as channel:
            call: Callable[[Message], Any] = getattr(rating_grpc.RatingServiceStub(channel), method)
            return await call(request)

    return run(ask())
