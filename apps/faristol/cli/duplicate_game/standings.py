"""`faristol duplicate standings`: the standings of a duplicate game, or of all games of a tournament."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.duplicate_game.export import listed_of, names_in_standings
from faristol.gateway.duplicate_game.names import names_of
from faristol.kernel.refusal import N_
from faristol.kernel.topics import place_of_duplicate
from faristol.pb.game.v1 import duplicate_pb2 as pb
from faristol.table_terminal.shared.common import columns, localize, print_answer
from faristol.text import number, percent
from faristol.text.terminal import language_of_terminal

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
        _totals(game, client, json_output=client.json_output)
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


def _totals(tournament: str, client: ServiceClient, *, json_output: bool) -> None:
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
