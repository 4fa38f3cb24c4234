"""`faristol prize list`: who is ahead for the special prizes of a tournament."""

from __future__ import annotations

import typer

from faristol.cli.calling import AsJson, Cell, Language, service_at
from faristol.cli.common import run
from faristol.cli.completing import Tournament
from faristol.cli.names import tournament_meant
from faristol.gateway import labels
from faristol.gateway.prizes import Prizes, nobody
from faristol.gateway.results import Results
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc
from faristol.text import number, translations


def prizes(
    tournament: Tournament,
    language: Language = "",
    address: Cell = None,
    json_output: AsJson = False,
) -> None:
    """Print who is ahead for the special prizes. `faristol prize offer` says which there are."""

    async def ask() -> pb.GetPrizesResponse:
        async with service_at("results", address) as channel:
            found = await tournament_meant(tournament, address)
            return await Results(results_pb2_grpc.ResultsServiceStub(channel), language).prizes(found)

    answer = run(ask())
    if json_output:
        typer.echo(Prizes.of(answer).model_dump_json(indent=2))
        return
    read = translations(language).gettext
    for prize in answer.prizes:
        won = []
        for winner in prize.winners:
            play = f"{winner.coordinates} {winner.word}" if winner.word else ""
            of_round = read("Round %(number)s") % {"number": winner.round} if winner.round else ""
            won.append(", ".join(part for part in (winner.name or winner.player_id, play, of_round) if part))
        told = f"{number(prize.value, language)} – {'; '.join(won)}" if won else read(nobody(prize, over=answer.over))
        typer.echo(f"{read(labels.PRIZES[prize.kind])}: {told}")
