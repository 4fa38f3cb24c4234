"""`faristol round show`: the pairings of a round with their results."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from faristol.cli.calling import AsJson, Cell, as_json, language_of_terminal, service_at
from faristol.cli.common import columns, run
from faristol.cli.completing import Tournament
from faristol.cli.names import NO_ROUND, Named, Unclear, labels, tournament_meant
from faristol.gateway import labels as words
from faristol.host.text import say, translations
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc as pb_grpc
from faristol.rules.refusal import N_

HEAD = N_("Round {round} of {tournament}: {phase}.")
RESTS = N_("bye")


def show(
    tournament: Tournament,
    number: Annotated[
        int, typer.Argument(min=0, max=999, metavar="ROUND", help="The round; the last one paired when left out.")
    ] = 0,
    address: Cell = None,
    json_output: AsJson = False,
) -> None:
    """Show the pairings of a round, table by table, with their results, and who sits it out."""
    language = language_of_terminal()

    async def ask() -> tuple[pb.Tournament, pb.GetPairingsResponse]:
        tournament_id = await tournament_meant(tournament, address)
        async with service_at("results", address) as channel:
            stub = pb_grpc.ResultsServiceStub(channel)
            head = (await stub.GetTournament(pb.GetTournamentRequest(tournament_id=tournament_id))).tournament
            if not (number or head.played):
                raise Unclear(say(NO_ROUND, {"tournament": head.name}, language))
            request = pb.GetPairingsRequest(tournament_id=tournament_id, round=number or head.played[-1].round)
            return head, await stub.GetPairings(request)

    head, found = run(ask())
    if json_output:
        typer.echo(json.dumps(as_json(found), ensure_ascii=False, indent=2))
        return
    read = translations(language).gettext
    phase = read(words.PHASES[found.phase])
    typer.echo(say(HEAD, {"round": found.round, "tournament": head.name, "phase": phase}, language))
    resting = [*([found.bye] if found.HasField("bye") else []), *(bye.seat for bye in found.requested_byes)]
    seats = [seat for table in found.tables for seat in table.seats] + resting
    called = labels([Named(seat.player_id, seat.name) for seat in seats])
    rows = []
    for table in found.tables:
        players = " – ".join(called[seat.player_id] for seat in table.seats)
        scores = "–".join(str(seat.score) for seat in table.seats) if table.final else ""
        rows.append([f"{table.hall} {table.table}".strip() if table.table else "–", players, scores])
    rows += [["", called[seat.player_id], read(RESTS)] for seat in resting]
    for line in columns(rows):
        typer.echo(line)
