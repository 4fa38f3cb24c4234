"""The undo of an action on fees by a compensating command. Pure.

A cancelled or refunded payment is recorded again instead: its money changes hands again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.likeness import like
from faristol.pb.pairing.v1 import fee_events_pb2 as events
from faristol.pb.pairing.v1 import fees_pb2 as pb
from faristol.tournament.fees.decide import FeeInput, adjust, cancel, set_fees
from faristol.tournament.fees.state import FeeState
from faristol.tournament.situation import latest


def undo_of_fee(past_events: Sequence[Message], version: int, state: FeeState) -> Message | None:
    """Return the command that undoes a version of the fees, from 1, or None.

    ``past_events`` are all events of the fees, and ``state`` is the state after them.
    """
    act: Any = past_events[version - 1]
    before, later = past_events[: version - 1], past_events[version:]
    match act:
        case events.FeesSet():
            is_first = not any(isinstance(each, events.FeesSet) for each in before)
            if is_first or any(isinstance(each, events.FeesSet) for each in later):
                return None
            return like(pb.SetFeesRequest, latest(events.FeesSet, before), occurred_at=None)
        case events.FeeAdjusted():
            if any(_adjusts(each, act.player_id) for each in later):
                return None
            adjusted = next((each for each in reversed(before) if _adjusts(each, act.player_id)), None)
            if not isinstance(adjusted, events.FeeAdjusted) or adjusted.computed:
                return pb.AdjustFeeRequest(player_id=act.player_id, computed=True)
            return pb.AdjustFeeRequest(player_id=act.player_id, amount=adjusted.amount)
        case events.PaymentRecorded():
            payment = state.find(act.payment)
            is_returned = payment is None or payment.is_cancelled or payment.refunded
            return None if is_returned else pb.CancelPaymentRequest(payment=act.payment)
        case _:
            return None


def decide_undo(current: FeeInput, command: Any, note: str) -> list[Message]:
    """Decide the command that undoes an action. Raises as the decision of that command."""
    match command:
        case pb.SetFeesRequest():
            return set_fees(current, command)
        case pb.AdjustFeeRequest():
            return adjust(
                current,
                pb.AdjustFeeRequest(
                    player_id=command.player_id, amount=command.amount, computed=command.computed, note=note
                ),
            )
        case pb.CancelPaymentRequest():
            return cancel(current, pb.CancelPaymentRequest(payment=command.payment, note=note))
        case _:
            raise TypeError(f"{command.DESCRIPTOR.full_name} undoes no action on fees")


def _adjusts(event: Message, player_id: str) -> bool:
    return isinstance(event, events.FeeAdjusted) and event.player_id == player_id
