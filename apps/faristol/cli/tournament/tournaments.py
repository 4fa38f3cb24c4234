"""`faristol tournament list`: the tournaments of a cell."""

from __future__ import annotations

from faristol.cli.client import Client
from faristol.kernel.divisions import format_title
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.table_terminal.shared.common import columns


def list_tournaments(client: Client) -> None:
    """List the tournaments, the latest first: id, name, rules, rounds paired, players."""
    found = client.answer_to(pb.ListTournamentsRequest())
    rows = (
        [
            entry.tournament_id,
            format_title(entry),
            entry.ruleset.name,
            f"{len(entry.played)}/{entry.rounds}",
            str(entry.players),
        ]
        for entry in found.tournaments
    )
    client.print(found, columns(rows))
