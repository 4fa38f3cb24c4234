"""A broadcast: its stream slots, its delay, and the tables that annotators claim. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_not_removed, found_round
from faristol.tournament.rounds.tables import MAX_TABLES
from faristol.tournament.situation import PairingCommand, Situation, Undo, as_before, set_as_before
from faristol.tournament.state import TournamentState

MAX_SLOT = 99
"""Highest number of a slot."""

MAX_DELAY_MINUTES = 60
"""Limit of the delay, in minutes."""

MAX_SLOT_RANK_NUMBER = 100
"""Last line of the standings that a slot can follow."""

_TABLE_OF_HALLS = N_("is {given}; expected a table of the halls: {tables}")


def point_slot(situation: Situation, request: pb.PointSlotRequest) -> list[Message]:
    """Point a slot at a table of a round, or at a table or a rank of whichever round is the latest.

    Raises ``Invalid`` for a number beyond the limits, a table in no hall, or a rank with a table or a round. Raises
    ``Refusal`` for a round that is not paired or has no such table.
    """
    state = situation.state
    check_not_removed(state)
    check_range("slot", request.slot, 1, MAX_SLOT)
    if request.rank:
        check_range("rank", request.rank, 1, MAX_SLOT_RANK_NUMBER)
        if request.table or request.for_round:
            raise Invalid("rank", N_("excludes the other fields of the slot; expected either a rank or a table"))
    else:
        check_range("table", request.table, 1, MAX_TABLES)
        if request.for_round:
            _check_table(state, request.for_round, request.table)
        else:
            _check_in_a_hall(state, request.table)
    return [situation.event(events.SlotPointed, request)]


def _check_in_a_hall(state: TournamentState, table: int) -> None:
    """Raise ``Invalid`` unless a hall has a table.

    Without halls, the number of tables is known only after a pairing.
    """
    halls = sorted(state.halls, key=lambda hall: hall.first_table)
    if halls and not any(table in hall for hall in halls):
        tables = ", ".join(f"{hall.first_table}–{hall.last_table}" for hall in halls)
        raise Invalid("table", _TABLE_OF_HALLS, {"given": table, "tables": tables})


def _check_table(state: TournamentState, number: int, table: int) -> None:
    """Raise ``Refusal`` unless a round is paired and has a table."""
    if table not in {pairing.table for pairing in found_round(state, number).pairings}:
        params = {"round": number, "table": table}
        raise Refusal("NO_SUCH_TABLE", N_("Round {round} has no table {table}."), params)


def remove_slot(situation: Situation, request: pb.RemoveSlotRequest) -> list[Message]:
    """Remove a slot. Raises ``Refusal`` if the tournament does not have it."""
    check_not_removed(situation.state)
    if request.slot not in situation.state.slots:
        raise Refusal("NO_SUCH_SLOT", N_("The tournament has no slot {slot}."), {"slot": request.slot})
    return [situation.event(events.SlotRemoved, request)]


def claim_table(situation: Situation, request: pb.ClaimTableRequest) -> list[Message]:
    """Claim a table for an annotator, instead of the one claimed before.

    Raises ``Invalid`` for a table beyond the limits or in no hall and for a missing annotator, ``Refusal`` for a table
    that is claimed.
    """
    state = situation.state
    check_not_removed(state)
    check_range("table", request.table, 1, MAX_TABLES)
    _check_in_a_hall(state, request.table)
    _check_annotator(request.annotator_id)
    if request.table in state.claims:
        raise Refusal("TABLE_CLAIMED", N_("Table {table} is already claimed."), {"table": request.table})
    return [situation.event(events.TableClaimed, request)]


def set_broadcast_delay(situation: Situation, request: pb.SetBroadcastDelayRequest) -> list[Message]:
    """Set the delay of the broadcast. Raises ``Invalid`` beyond the limits, ``Refusal`` if it is in force already."""
    state = situation.state
    check_not_removed(state)
    check_range("minutes", request.minutes, 0, MAX_DELAY_MINUTES)
    if request.minutes == state.delay_minutes:
        text = N_("The delay is already {minutes} min.")
        raise Refusal("SAME_DELAY", text, {"minutes": request.minutes})
    return [situation.event(events.BroadcastDelaySet, request)]


def _check_annotator(given: str) -> None:
    if not given:
        raise Invalid("annotator_id", N_("is missing; expected the id of the annotator"))


def release_claim(situation: Situation, request: pb.ReleaseClaimRequest) -> list[Message]:
    """Release the claim of an annotator. Raises ``Refusal`` if the annotator does not hold the table."""
    state = situation.state
    check_not_removed(state)
    _check_annotator(request.annotator_id)
    if state.claims.get(request.table) != request.annotator_id:
        text = N_("The annotator {annotator_id} does not claim table {table}.")
        raise Refusal("TABLE_NOT_CLAIMED", text, {"annotator_id": request.annotator_id[:64], "table": request.table})
    return [situation.event(events.ClaimReleased, request)]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.PointSlotRequest: PairingCommand(point_slot, of_tables=True),
    pb.RemoveSlotRequest: PairingCommand(remove_slot),
    pb.ClaimTableRequest: PairingCommand(claim_table, of_tables=True, official="annotator_id"),
    pb.ReleaseClaimRequest: PairingCommand(release_claim, official="annotator_id"),
    pb.SetBroadcastDelayRequest: PairingCommand(set_broadcast_delay, of_tables=True),
}

_SLOT = Undo(
    set_as_before("slot", (events.SlotPointed, events.SlotRemoved), (pb.PointSlotRequest, pb.RemoveSlotRequest)),
    thing=("slot", "slot"),
)

UNDO: Mapping[type[Message], Undo] = {
    events.SlotPointed: _SLOT,
    events.SlotRemoved: _SLOT,
    events.BroadcastDelaySet: Undo(as_before(pb.SetBroadcastDelayRequest), thing=("delay",)),
    events.TableClaimed: Undo(pb.ReleaseClaimRequest, thing=("claim", "table")),
    events.ClaimReleased: Undo(pb.ClaimTableRequest, thing=("claim", "table")),
}
