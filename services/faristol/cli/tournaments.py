"""`faristol tournament list`: the tournaments of a cell."""

from __future__ import annotations

import json

import typer

from faristol.cli.calling import AsJson, Cell, as_json, service_at
from faristol.cli.common import columns, run
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.pb.results.v1 import results_pb2_grpc as pb_grpc


def list_tournaments(address: Cell = None, json_output: AsJson = False) -> None:
    """List the tournaments, the latest first: id, name, rules, rounds paired, players."""

    async def ask() -> pb.ListTournamentsResponse:
        async with service_at("results", address) as channel:
            answer: pb.ListTournamentsResponse = await pb_grpc.ResultsServiceStub(channel).ListTournaments(
                pb.ListTournamentsRequest()
            )
            return answer

    found = run(ask())
    if json_output:
        typer.echo(json.dumps(as_json(found), ensure_ascii=False, indent=2))
        return
    for line in columns(
        [
            entry.tournament_id,
            ", ".join(filter(None, (entry.name, entry.division))),
            entry.ruleset.name,
            f"{len(entry.played)}/{entry.rounds}",
            str(entry.players),
        ]
        for entry in found.tournaments
    ):
        typer.echo(line)
