"""`faristol tournament list`: the tournaments of a cell."""

from __future__ import annotations

from faristol.cli.options import Address, AsJson
from faristol.kernel.divisions import format_title
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.table_terminal.shared.common import columns, print_answer
from faristol.table_terminal.shared.services import answer_to


def list_tournaments(address: Address = None, json_output: AsJson = False) -> None:
    """List the tournaments, the latest first: id, name, rules, rounds paired, players."""
    found = answer_to(pb.ListTournamentsRequest(), address)
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
    print_answer(found, columns(rows), json_output=json_output)
