"""`faristol game sheet`: a game's scoresheet in the form of its rules."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from faristol.cli.options import Address, AsJson, AtTable, Game, InRound, Language
from faristol.client.rulesets import fetch
from faristol.host import StartError
from faristol.host.ruleset_store import ruleset_of
from faristol.kernel.refusal import Refusal
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.table_terminal.shared.common import print_answer, run
from faristol.table_terminal.shared.names import game_meant
from faristol.table_terminal.shared.services import ask_service
from faristol.table_terminal.shared.sheet import explanations, format_sheet
from faristol.text import cite_refusal


def sheet(
    game: Game,
    table: AtTable = 0,
    number: InRound = 0,
    language: Language = "",
    address: Address = None,
    json_output: AsJson = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print the calculation of each score, square by square.")
    ] = False,
) -> None:
    """Print the scoresheet of a game as its rules require: notation, deductions, totals, signatures."""
    found = fetch_game(run(game_meant(game, table, number, address)), address)
    if explain:
        try:
            ruleset = ruleset_of(found.ruleset)
        except Refusal as refusal:
            raise StartError(cite_refusal(refusal, language)) from refusal
        print_answer(found, explanations(found, ruleset, language), json_output=False)
        return
    if not (json_output or found.HasField("sheet")):
        what = f"the rules {found.ruleset.name} of {found.game_id}"
        raise StartError(f"{what} are not installed here with the content it pins")
    print_answer(found, format_sheet(found, language), json_output=json_output)


def fetch_game(game_id: str, address: str | None) -> pb.GetGameResponse:
    """Return a game as the public sees it. Raises ``StartError`` if it is unknown or the service is unreachable."""

    async def ask(stub: Any) -> pb.GetGameResponse:
        answer: pb.GetGameResponse = await stub.GetGame(pb.GetGameRequest(game_id=game_id))
        await fetch(stub, answer.ruleset)
        return answer

    return ask_service("results", address, ask)
