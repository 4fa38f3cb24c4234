"""The decisions on fees, payments and receipts. Pure.

Receipts and credit notes have one series of numbers without gaps. A receipt is never changed: a credit note cancels a
payment that was recorded wrongly, and it is recorded again with a new receipt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid, NotFound, check_range
from faristol.kernel.likeness import like
from faristol.kernel.names import MAX_CATEGORY_CHARACTERS, check_name
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import moment_of, to_datetime, to_timestamp
from faristol.pb.pairing.v1 import fee_events_pb2 as events
from faristol.pb.pairing.v1 import fees_pb2 as pb
from faristol.pb.pairing.v1 import registration_pb2 as registration
from faristol.tournament.fees.currencies import check_currency
from faristol.tournament.fees.state import FeeState, Payment
from faristol.tournament.situation import latest

MAX_AMOUNT_LIMIT = 1_000_000_000_000
"""Limit of an amount, in the smallest unit of the currency."""

MAX_PAGE_CHARACTERS = 500
"""Limit of the address of the payment page."""

_PAGE = re.compile(r"https://[!-~]+")

METHODS = frozenset({events.PAYMENT_METHOD_CASH, events.PAYMENT_METHOD_TRANSFER, events.PAYMENT_METHOD_PROVIDER})


@dataclass(frozen=True, slots=True)
class Payer:
    """A person who can owe a fee."""

    player_id: str
    """Current id."""
    ids: frozenset[str]
    """All ids under which payments were recorded: the entrant's, and that of the known player after a merge."""
    category: str = ""
    entry: int = 0
    """Number of the entry; 0 for a player without one."""
    since: datetime | None = None
    """Time of the entry or registration, for the discount of early ones."""
    stands: bool = True
    """Whether the person takes part or waits for a decision."""
    entry_state: registration.EntryState.ValueType = registration.ENTRY_STATE_UNSPECIFIED
    """State of the entry; unspecified without one."""


@dataclass(frozen=True, slots=True)
class FeeInput:
    """The input of a decision."""

    state: FeeState
    tournament_id: str
    now: datetime
    at: datetime | None = None
    payers: Mapping[str, Payer] = field(default_factory=dict)
    """Persons by each of their ids."""

    @property
    def moment(self) -> datetime:
        """The time of the command."""
        return self.at or self.now

    @property
    def settings(self) -> events.FeesSet:
        """The settings. Raises ``Refusal`` if no fees are set."""
        if self.state.settings is None:
            raise Refusal("NO_FEES", N_("No fees are set for this tournament."))
        return self.state.settings


def compute_owed(state: FeeState, payer: Payer) -> int:
    """Return what a person owes in total: by hand, or by category, less the discount of an early entry."""
    settings = state.settings
    if settings is None or not payer.stands:
        return 0
    by_hand = next((state.adjusted[each] for each in payer.ids if each in state.adjusted), None)
    if by_hand is not None:
        return by_hand
    of_category = {each.category: each.amount for each in settings.categories}
    amount = of_category.get(payer.category, settings.amount)
    until = to_datetime(settings.early_until) if settings.HasField("early_until") else None
    is_early = until is not None and payer.since is not None and payer.since <= until
    return max(0, amount - settings.early_discount) if is_early else amount


def set_fees(current: FeeInput, request: pb.SetFeesRequest) -> list[Message]:
    """Set the fees. Raises ``Invalid``; ``Refusal`` for another currency after a payment."""
    currency = check_currency("currency", request.currency.strip().upper())
    before = current.state.settings
    if before is not None and current.state.payments and before.currency != currency:
        raise Refusal(
            "CURRENCY_IN_USE",
            N_("Payments in {currency} are recorded: the currency can no longer change."),
            {"currency": before.currency},
        )
    _check_amount("amount", request.amount)
    _check_amount("early_discount", request.early_discount)
    if bool(request.early_discount) != request.HasField("early_until"):
        raise Invalid("early_until", N_("expected a time together with a discount, or neither"))
    if request.HasField("early_until"):
        moment_of("early_until", request.early_until)
    categories: dict[str, int] = {}
    for each in request.categories:
        _check_amount("categories", each.amount)
        categories[check_name("categories", each.category, longest=MAX_CATEGORY_CHARACTERS)] = each.amount
    page = request.payment_page.strip()
    if page and (len(page) > MAX_PAGE_CHARACTERS or not _PAGE.fullmatch(page)):
        raise Invalid("payment_page", N_("expected an address that begins with https://"))
    return [
        like(
            events.FeesSet,
            request,
            currency=currency,
            categories=[events.CategoryFee(category=name, amount=amount) for name, amount in categories.items()],
            payment_page=page,
            occurred_at=to_timestamp(current.moment),
        )
    ]


def adjust(current: FeeInput, request: pb.AdjustFeeRequest) -> list[Message]:
    """Set the fee of a person by hand, or return to the computed one."""
    _ = current.settings
    payer = _found_payer(current, request.player_id)
    _check_amount("amount", request.amount)
    return [
        events.FeeAdjusted(
            player_id=payer.player_id,
            amount=0 if request.computed else request.amount,
            computed=request.computed,
            note=request.note,
            occurred_at=to_timestamp(current.moment),
        )
    ]


def record(current: FeeInput, request: pb.RecordPaymentRequest) -> list[Message]:
    """Record a payment. Raises ``Refusal`` if no amount is given and none is owed."""
    payer = _found_payer(current, request.player_id)
    amount = request.amount or compute_owed(current.state, payer) - current.state.paid_by(payer.ids)
    if not request.amount and amount <= 0:
        raise Refusal("NOTHING_OWED", N_("{player} owes no fee: specify the amount."), {"player": payer.player_id})
    return [_build_payment(current, payer.player_id, amount, request.method, note=request.note)]


def take_from_provider(current: FeeInput, player_id: str, amount: int, currency: str, reference: str) -> list[Message]:
    """Record the payment that a provider reports; an empty list if it is recorded already.

    Raises ``Refusal`` for another currency than that of the tournament.
    """
    if current.state.with_reference(reference) is not None:
        return []
    payer = _found_payer(current, player_id)
    if currency != current.settings.currency:
        raise Refusal(
            "OTHER_CURRENCY",
            N_("The payment is in {given}, the fees are in {currency}."),
            {"given": currency, "currency": current.settings.currency},
        )
    return [_build_payment(current, payer.player_id, amount, events.PAYMENT_METHOD_PROVIDER, reference=reference)]


def cancel(current: FeeInput, request: pb.CancelPaymentRequest) -> list[Message]:
    """Cancel a payment. Raises ``Refusal`` if it is cancelled, or a part was paid back."""
    return [_build_cancellation(current, _standing(current, request.payment), request.note)]


def correct(current: FeeInput, request: pb.CorrectPaymentRequest) -> list[Message]:
    """Cancel a payment and record it again."""
    payment = _standing(current, request.payment)
    player_id = _found_payer(current, request.player_id or payment.player_id).player_id
    method = request.method or payment.method
    if (player_id, request.amount, method) == (payment.player_id, payment.amount, payment.method):
        raise Invalid("amount", N_("is as before; expected a change"))
    cancelled = _build_cancellation(current, payment, request.note)
    again = _build_payment(
        current,
        player_id,
        request.amount,
        method,
        reference=payment.reference,
        corrects=payment.number,
        after=cancelled.document,
    )
    return [cancelled, again]


def refund(current: FeeInput, request: pb.RefundPaymentRequest) -> list[Message]:
    """Pay back a payment, or a part. Raises ``Refusal`` if less is left."""
    payment = _found_payment(current, request.payment)
    amount = request.amount or payment.left
    _check_amount("amount", amount)
    if not 0 < amount <= payment.left:
        raise Refusal(
            "NOT_SO_MUCH_LEFT",
            N_("Payment {payment} cannot be paid back so far: all of it, or more than is left, was returned."),
            {"payment": payment.number},
        )
    return [
        events.PaymentRefunded(
            payment=payment.number,
            player_id=payment.player_id,
            amount=amount,
            method=_check_method(request.method or payment.method),
            document=current.state.documents_count + 1,
            note=request.note,
            occurred_at=to_timestamp(current.moment),
        )
    ]


def _build_payment(
    current: FeeInput,
    player_id: str,
    amount: int,
    method: events.PaymentMethod.ValueType,
    *,
    note: str = "",
    reference: str = "",
    corrects: int = 0,
    after: int = 0,
) -> events.PaymentRecorded:
    _check_amount("amount", amount)
    if amount == 0:
        raise Invalid("amount", N_("is missing; expected the amount"))
    return events.PaymentRecorded(
        payment=len(current.state.payments) + 1,
        player_id=player_id,
        amount=amount,
        currency=current.settings.currency,
        method=_check_method(method),
        document=(after or current.state.documents_count) + 1,
        reference=reference,
        corrects=corrects,
        note=note,
        occurred_at=to_timestamp(current.moment),
    )


def _build_cancellation(current: FeeInput, payment: Payment, note: str) -> events.PaymentCancelled:
    if not note:
        raise Invalid("note", N_("is missing; expected the reason"))
    return events.PaymentCancelled(
        payment=payment.number,
        player_id=payment.player_id,
        document=current.state.documents_count + 1,
        note=note,
        occurred_at=to_timestamp(current.moment),
    )


def _standing(current: FeeInput, number: int) -> Payment:
    """Return a payment of which no part was returned. Raises ``Refusal``."""
    payment = _found_payment(current, number)
    if payment.is_cancelled or payment.refunded:
        raise Refusal(
            "PAYMENT_RETURNED", N_("Payment {payment} was cancelled or paid back."), {"payment": payment.number}
        )
    return payment


def _found_payment(current: FeeInput, number: int) -> Payment:
    if not number:
        raise Invalid("payment", N_("is missing; expected the number of the payment"))
    payment = current.state.find(number)
    if payment is None:
        raise NotFound("payment", f"{current.tournament_id}/{number}")
    return payment


def _found_payer(current: FeeInput, player_id: str) -> Payer:
    payer = current.payers.get(player_id)
    if payer is None:
        raise Refusal(
            "NOT_REGISTERED",
            N_("{player} is not registered in {tournament}."),
            {"player": player_id, "tournament": current.tournament_id},
        )
    return payer


def _check_amount(name: str, amount: int) -> None:
    check_range(name, amount, 0, MAX_AMOUNT_LIMIT)


def _check_method(method: events.PaymentMethod.ValueType) -> events.PaymentMethod.ValueType:
    if method not in METHODS:
        raise Invalid("method", N_("is missing; expected the way of the payment"))
    return method


def undo_of_fee(past_events: Sequence[Message], version: int, state: FeeState) -> Message | None:
    """Return the command that undoes a version of the fees, from 1, or None.

    ``past_events`` are all events of the fees, and ``state`` is the state after them. A cancelled or refunded payment
    is recorded again instead: its money changes hands again.
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


def _adjusts(event: Message, player_id: str) -> bool:
    return isinstance(event, events.FeeAdjusted) and event.player_id == player_id
