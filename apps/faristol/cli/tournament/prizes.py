"""`faristol prize list`: the leaders for the special prizes of a tournament."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from faristol.cli.options import Address, AsJson, Language, Tournament
from faristol.gateway.api.contract_json import to_json
from faristol.gateway.rpc.results import Results
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.presentation import labels
from faristol.table_terminal.shared.common import print_answer
from faristol.table_terminal.shared.names import tournament_meant
from faristol.table_terminal.shared.services import ask_service
from faristol.text import number, translations


def prizes(
    tournament: Tournament, language: Language = "", address: Address = None, json_output: AsJson = False
) -> None:
    """Print the leaders for the special prizes. `faristol prize offer` defines the prizes."""

    async def ask(stub: Any) -> pb.GetPrizesResponse:
        return await Results(stub, language).prizes(await tournament_meant(tournament, address))

    found = ask_service("results", address, ask)
    print_answer(to_json(found), format_prizes(found, language), json_output=json_output)


def format_prizes(found: pb.GetPrizesResponse, language: str) -> Iterator[str]:
    """Yield each prize with its best value so far, and the players with that value."""
    read = translations(language).gettext
    for prize in found.prizes:
        won = []
        for winner in prize.winners:
            play = f"{winner.coordinates} {winner.word}" if winner.word else ""
            of_round = read("Round %(number)s") % {"number": winner.round} if winner.round else ""
            won.append(", ".join(part for part in (winner.name or winner.player_id, play, of_round) if part))
        missing = read(labels.prize_without_winner(prize, over=found.over))
        ahead = f"{number(prize.value, language)} – {'; '.join(won)}" if won else missing
        yield f"{read(labels.PRIZES[prize.kind])}: {ahead}"
