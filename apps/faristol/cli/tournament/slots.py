"""`faristol slot …`: the stream slots of a broadcast, and the tables that annotators claim."""

from __future__ import annotations

from faristol.cli.client import Client
from faristol.cli.options import Tournament
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.table_terminal.shared.common import columns, localize


def list_slots(client: Client, tournament: Tournament) -> None:
    """List the slots with the game that each shows."""
    answer = client.answer_to(pb.ListSlotsRequest(tournament_id=client.find_tournament(tournament)))
    rows = [
        (
            localize(N_("slot {slot}"), slot=each.slot),
            localize(N_("line {rank} of the standings"), rank=each.rank)
            if each.rank
            else localize(N_("table {table}"), table=each.table),
            localize(N_("round {round}"), round=each.for_round) if each.for_round else localize(N_("each round")),
            each.game_id or "–",
        )
        for each in answer.slots
    ]
    client.print(answer, columns(rows) if rows else localize(N_("no entries")))


def list_claims(client: Client, tournament: Tournament) -> None:
    """List the tables that annotators claim."""
    answer = client.answer_to(pb.ListClaimsRequest(tournament_id=client.find_tournament(tournament)))
    rows = [
        (localize(N_("table {table}"), table=each.table), each.name or "–", each.annotator_id) for each in answer.claims
    ]
    client.print(answer, columns(rows) if rows else localize(N_("no entries")))
