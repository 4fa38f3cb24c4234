"""The state of the fees of a tournament, folded from its events. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from google.protobuf.message import Message

from faristol.pb.pairing.v1 import fee_events_pb2 as events
from faristol.tournament.state.player import with_item, with_key, without_key


def fees_stream(tournament_id: str) -> str:
    """Return the name of the stream of a tournament's fees."""
    return f"fees-{tournament_id}"


@dataclass(frozen=True, slots=True)
class Payment:
    """A payment."""

    number: int
    player_id: str
    amount: int
    method: events.PaymentMethod.ValueType
    document: int
    """Number of its receipt."""
    reference: str = ""
    refunded: int = 0
    is_cancelled: bool = False

    @property
    def left(self) -> int:
        """The amount that was neither paid back nor cancelled."""
        return 0 if self.is_cancelled else self.amount - self.refunded


@dataclass(frozen=True, slots=True)
class FeeState:
    """The fees of a tournament. The default is a tournament without fees."""

    settings: events.FeesSet | None = None
    adjusted: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Fees that were set by hand, by player id."""
    payments: tuple[Payment, ...] = ()
    documents_count: int = 0
    """Number of receipts and credit notes so far."""

    def find(self, number: int) -> Payment | None:
        """Return the payment with a number, or None."""
        return self.payments[number - 1] if 1 <= number <= len(self.payments) else None

    def with_reference(self, reference: str) -> Payment | None:
        """Return the payment with a reference of the provider, or None."""
        return next((payment for payment in self.payments if payment.reference == reference), None)

    def paid_by(self, player_ids: frozenset[str]) -> int:
        """Return the amount paid for a person, who may have several ids."""
        return sum(payment.left for payment in self.payments if payment.player_id in player_ids)

    def change_payment(self, number: int, **values: object) -> FeeState:
        """Return the state with other values of a payment."""
        return replace(self, payments=with_item(self.payments, number, **values))


def evolve_fees(state: FeeState, event: Message) -> FeeState:
    """Return the state after an event. Raises ``TypeError`` for an event of another stream."""
    match event:
        case events.FeesSet():
            return replace(state, settings=event)
        case events.FeeAdjusted():
            if event.computed:
                return replace(state, adjusted=without_key(state.adjusted, event.player_id))
            return replace(state, adjusted=with_key(state.adjusted, event.player_id, event.amount))
        case events.PaymentRecorded():
            payment = Payment(
                event.payment, event.player_id, event.amount, event.method, event.document, event.reference
            )
            return replace(state, payments=(*state.payments, payment), documents_count=event.document)
        case events.PaymentCancelled():
            return replace(state.change_payment(event.payment, is_cancelled=True), documents_count=event.document)
        case events.PaymentRefunded():
            before = state.payments[event.payment - 1].refunded
            after = state.change_payment(event.payment, refunded=before + event.amount)
            return replace(after, documents_count=event.document)
        case _:
            raise TypeError(f"{event.DESCRIPTOR.full_name} is no event of fees")
