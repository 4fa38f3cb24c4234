"""`faristol game sheet` and `draw verify`: a game's scoresheet in the form of its rules, and its draws."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import AtTable, Game, InRound, Language
from faristol.client.rulesets import fetch
from faristol.host import StartError
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import game_pb2 as game_pb
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.rules.draws.draw_log import Draw, Source, check_draws
from faristol.table_terminal.shared.common import format_count, print_answer
from faristol.table_terminal.shared.sheet import explanations, format_sheet
from faristol.text import cite_refusal


def sheet(
    client: Client,
    game: Game,
    table: AtTable = 0,
    number: InRound = 0,
    language: Language = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Print the calculation of each score, square by square.")
    ] = False,
) -> None:
    """Print the scoresheet of a game as its rules require: notation, deductions, totals, signatures."""
    found = fetch_game(client.find_game(game, table, number), client)
    if explain:
        try:
            ruleset = ruleset_of(found.ruleset)
        except Refusal as refusal:
            raise StartError(cite_refusal(refusal, language)) from refusal
        print_answer(found, explanations(found, ruleset, language), json_output=False)
        return
    if not (client.json_output or found.HasField("sheet")):
        what = f"the rules {found.ruleset.name} of {found.game_id}"
        raise StartError(f"{what} are not installed here with the content it pins")
    client.print(found, format_sheet(found, language))


def fetch_game(game_id: str, client: ServiceClient) -> pb.GetGameResponse:
    """Return a game as the public sees it. Raises ``StartError`` if it is unknown or the service is unreachable."""

    async def ask(stub: Any) -> pb.GetGameResponse:
        answer: pb.GetGameResponse = await stub.GetGame(pb.GetGameRequest(game_id=game_id))
        await fetch(stub, answer.ruleset)
        return answer

    return client.ask("results", ask)


_SOURCES = {
    game_pb.DRAW_SOURCE_START: Source.START,
    game_pb.DRAW_SOURCE_BAG: Source.BAG,
    game_pb.DRAW_SOURCE_RACK: Source.RACK,
}


def verify(
    client: Client,
    game: Game,
    table: AtTable = 0,
    number: InRound = 0,
    commitment: Annotated[
        str, typer.Option(help="The commitment that you saved before the end; default: the published one.")
    ] = "",
) -> None:
    """Recompute the draws of a final game and compare. Exit code 1 if a draw or the seed differs."""
    if len(commitment) not in (0, 64) or set(commitment.lower()) - set("0123456789abcdef"):
        raise typer.BadParameter(f"{commitment!r} is not a commitment: expected 64 hexadecimal digits")
    game_id = client.find_game(game, table, number)
    listed = client.answer_to(game_pb.ListDrawsRequest(game_id=game_id))
    public = fetch_game(game_id, client)
    committed = bytes.fromhex(commitment) or public.draw_commitment
    log = [
        Draw(drawn.number, drawn.player_id, _SOURCES[drawn.source], tuple(drawn.among), tuple(drawn.faces))
        for drawn in listed.draws
    ]
    tile_set = ruleset_of(listed.ruleset).tile_set
    wrong = list(check_draws(log, game_id=game_id, seed=listed.seed, committed=committed, tile_set=tile_set))
    answer = {"game_id": game_id, "seed": listed.seed.hex(), "commitment": committed.hex(), "draws": len(log)}
    right = f"{game_id}: {format_count(len(log), 'draw')}, all as the seed {listed.seed.hex()} gives them"
    client.print({**answer, "wrong": wrong}, wrong or right, indent=None)
    if wrong:
        raise typer.Exit(1)
