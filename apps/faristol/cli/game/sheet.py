"""`faristol game sheet`: a game's scoresheet in the form of its rules."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from faristol.cli.client import Client, ServiceClient
from faristol.cli.options import AtTable, Game, InRound, Language
from faristol.client.rulesets import fetch
from faristol.host import StartError
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.refusal import Refusal
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.table_terminal.shared.common import print_answer
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
