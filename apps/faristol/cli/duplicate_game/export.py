"""`faristol duplicate export` and `standings`: slips, turns and standings of a duplicate game, and the sum of games."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator
from enum import StrEnum
from typing import Annotated, Any, TypeVar

import grpc
import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.duplicate_game.play import Game
from faristol.cli.options import Output
from faristol.cli.tournament.export import InJson, write
from faristol.gateway.api.contract_json import to_json
from faristol.gateway.duplicate_game.answers import Names, build_game, build_sheets, build_standings, build_totals
from faristol.gateway.duplicate_game.comma_separated import (
    slips_csv,
    standings_csv,
    totals_csv,
    turns_csv,
    words_of_masters,
)
from faristol.gateway.duplicate_game.names import names_in, names_of
from faristol.gateway.duplicate_game.service import Duplicates
from faristol.gateway.rpc.results import Results
from faristol.kernel.refusal import N_
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.pb.game.v1.duplicate_pb2_grpc import DuplicateServiceStub
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.table_terminal.shared.common import columns, localize, print_answer
from faristol.text import SOURCE, number, percent
from faristol.text.terminal import language_of_terminal

T = TypeVar("T")

NO_SEALED = N_("the game was not played from a sealed game, or is not over")


class ExportContent(StrEnum):
    """The content of an export."""

    SLIPS = "slips"
    TURNS = "turns"
    STANDINGS = "standings"
    SEALED = "sealed"


def export(
    client: ServiceClient,
    what: Annotated[ExportContent, typer.Argument(metavar="WHAT", help="slips, turns, standings or sealed.")],
    game: Game,
    json_output: InJson = False,
    output: Output = None,
) -> None:
    """Write the public data of a game: every slip of the scored rounds, the rounds, or the standings.

    For a tournament instead of a game, the standings are the sum of all its games.
    """
    if what is ExportContent.STANDINGS and not place_of_duplicate(game)[0]:
        summed = _totals(game, client)
        write(_dump(summed) if json_output else totals_csv(summed), output)
        return
    if what is ExportContent.SEALED:
        write(_load_sealed_game(game, client), output)
        return
    names, position = _names(game, client)
    match what:
        case ExportContent.SLIPS:
            found = _ask(client, lambda games: _sheets(games, game, names, position))
            text = slips_csv(found)
        case ExportContent.TURNS:
            shown = _ask(client, lambda games: games.game(game))
            found = to_json(build_game(shown, position))
            text = turns_csv(found, words_of_masters(shown))
        case ExportContent.STANDINGS:
            lines = _ask(client, lambda games: games.standings(game))
            named = names_in_standings(game, lines, names, client)
            found = to_json(build_standings(game, lines, named, position))
            text = standings_csv(found)
    write(_dump(found) if json_output else text, output)


def _dump(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False, indent=2)


def duplicate_game(game_id: str, client: ServiceClient) -> pb.GetDuplicateResponse | None:
    """Return the duplicate game of an id; None if it does not exist. Raises ``StartError`` as ``service_at``."""

    async def work(games: Duplicates) -> pb.GetDuplicateResponse | None:
        try:
            return await games.game(game_id)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.NOT_FOUND:
                raise
            return None

    return _ask(client, work)


def names_in_standings(game: str, found: pb.GetDuplicateStandingsResponse, own: Names, client: ServiceClient) -> Names:
    """Return the names of all players in a game's standings, with its ``own``. Raises as ``service_at``."""

    async def work(stub: Any) -> Names:
        return await names_in(Results(stub, SOURCE, language_of_terminal()), game, found, own)

    return client.ask("results", work)


def _load_sealed_game(game: str, client: ServiceClient) -> str:
    """Return the document of the sealed game that a game was played from. Raises ``BadParameter`` if it has none."""
    shown = _ask(client, lambda games: games.game(game))
    if not shown.seal.content:
        raise typer.BadParameter(localize(NO_SEALED))
    return shown.seal.content.decode()


def _totals(tournament_id: str, client: ServiceClient) -> dict[str, Any]:
    """Return the sum of the games of a tournament."""
    listed = listed_of(tournament_id, client)
    found = _ask(client, lambda games: games.totals(tournament_id))
    return to_json(build_totals(tournament_id, found, listed))


async def _sheets(games: Duplicates, game_id: str, names: Names, position: int) -> dict[str, Any]:
    sheets = await games.sheets(await games.game(game_id))
    return to_json(build_sheets(game_id, sheets, names, position))


def _names(game_id: str, client: ServiceClient) -> tuple[Names, int]:
    """Return the names of the players, and a position that later answers include.

    Both are empty if the id is not that of a round's game; the game service then reports an unknown game.
    """
    tournament_id, _ = place_of_duplicate(game_id)
    if not tournament_id:
        return {}, 0

    found = listed_of(tournament_id, client)
    return names_of(found), found.position


def listed_of(tournament_id: str, client: ServiceClient) -> results_pb.ListPlayersResponse:
    """Return the players of a tournament. Raises ``StartError`` as ``service_at``."""

    async def work(stub: object) -> results_pb.ListPlayersResponse:
        return await Results(stub, SOURCE, language_of_terminal()).players(tournament_id)

    return client.ask("results", work)


def _ask(client: ServiceClient, work: Callable[[Duplicates], Awaitable[T]]) -> T:
    return client.ask("game", lambda stub: work(Duplicates(stub, language_of_terminal())), DuplicateServiceStub)


NO_GAMES = N_("{tournament} has no duplicate game that has begun and is not under embargo")
HIDDEN = N_("{game} is under embargo until every group has played it; its officials can see it with --inside")


def standings(
    client: Client,
    game: Annotated[
        str,
        typer.Argument(
            metavar="GAME", help="The game, such as cup-r1; or a tournament, for the total of all its games."
        ),
    ],
    inside: Annotated[
        bool, typer.Option("--inside", help="Standings of a game under embargo, for its officials.")
    ] = False,
) -> None:
    """Print the standings of a game after the scored rounds, or those of all games of a tournament, summed."""
    if not place_of_duplicate(game)[0]:
        _print_totals(game, client, json_output=client.json_output)
        return
    answer = client.answer_to(pb.GetDuplicateStandingsRequest(game_id=game, inside=inside))
    if not answer.lines and client.answer_to(pb.GetDuplicateRequest(game_id=game)).embargoed:
        client.print(answer, localize(HIDDEN, game=game))
        return
    client.print(answer, _lines(game, answer, client))


def _lines(game: str, answer: pb.GetDuplicateStandingsResponse, client: ServiceClient) -> Iterator[str]:
    language = language_of_terminal()
    own = names_of(listed_of(place_of_duplicate(game)[0], client))
    names = names_in_standings(game, answer, own, client)
    rows = [
        [
            str(line.rank),
            names.get(line.player_id) or line.player_id,
            number(line.total, language),
            f"{percent(line.percent_hundredths / 100, language)} %",
            str(line.negative),
        ]
        for line in answer.lines
    ]
    return columns([["", localize("Player"), localize("Points"), "%", localize("Negative")], *rows])


def _print_totals(tournament: str, client: ServiceClient, *, json_output: bool) -> None:
    answer = client.answer_to(pb.GetDuplicateTotalsRequest(tournament_id=tournament))
    if not answer.games:
        raise typer.BadParameter(localize(NO_GAMES, tournament=tournament))
    names = names_of(listed_of(tournament, client))
    games = [localize("Game %(number)s") % {"number": game.round} for game in answer.games]
    rows = []
    for each in answer.lines:
        shares = [str(share.total) if share.plays else "–" for share in each.games]
        name = names.get(each.line.player_id) or each.line.player_id
        rows.append([str(each.line.rank), name, str(each.line.total), *shares])
    print_answer(
        answer, columns([["", localize("Player"), localize("Points"), *games], *rows]), json_output=json_output
    )
