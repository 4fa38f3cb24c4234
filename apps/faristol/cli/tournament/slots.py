"""`faristol slot …`: the stream slots of a broadcast, and the tables that annotators claim."""

from __future__ import annotations

from faristol.cli.options import Address, AsJson, Tournament
from faristol.kernel.refusal import N_
from faristol.pb.results.v1 import results_pb2 as pb
from faristol.table_terminal.shared.common import columns, localize, print_answer, run
from faristol.table_terminal.shared.names import tournament_meant
from faristol.table_terminal.shared.services import answer_to


def list_slots(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """List the slots with the game that each shows."""
    answer = answer_to(pb.ListSlotsRequest(tournament_id=run(tournament_meant(tournament, address))), address)
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
    print_answer(answer, columns(rows) if rows else localize(N_("no entries")), json_output=json_output)


def list_claims(tournament: Tournament, address: Address = None, json_output: AsJson = False) -> None:
    """List the tables that annotators claim."""
    answer = answer_to(pb.ListClaimsRequest(tournament_id=run(tournament_meant(tournament, address))), address)
    rows = [
        (localize(N_("table {table}"), table=each.table), each.name or "–", each.annotator_id) for each in answer.claims
    ]
    print_answer(answer, columns(rows) if rows else localize(N_("no entries")), json_output=json_output)
