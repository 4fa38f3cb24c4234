"""`faristol prize list`: the leaders for the special prizes of a tournament."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from faristol.cli.options import Address, AsJson, Language, Tournament
from faristol.gateway.api.resources.prizes import Prizes, nobody
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
    print_answer(Prizes.of(found), format_prizes(found, language), json_output=json_output)


def format_prizes(found: pb.GetPrizesResponse, language: str) -> Iterator[str]:
    """Yield each prize with its best value so far, and the players with that value."""
    read = translations(language).gettext
    for prize in found.prizes:
        won = []
        for winner in prize.winners:
            play = f"{winner.coordinates} {winner.word}" if winner.word else ""
            of_round = read("Round %(number)s") % {"number": winner.round} if winner.round else ""
            won.append(", ".join(part for part in (winner.name or winner.player_id, play, of_round) if part))
        ahead = f"{number(prize.value, language)} – {'; '.join(won)}" if won else read(nobody(prize, over=found.over))
        yield f"{read(labels.PRIZES[prize.kind])}: {ahead}"
