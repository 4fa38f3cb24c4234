"""The service of fees over gRPC. The contract documents its methods."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from google.protobuf.message import Message

from faristol.access_control.errors import Unauthenticated
from faristol.host.rpc.dispatch import Answer, Context, Dispatcher
from faristol.kernel.errors import NotFound
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import fee_events_pb2 as events
from faristol.pb.pairing.v1 import fees_pb2 as pb
from faristol.tournament.fees.decide import (
    MAX_AMOUNT_LIMIT,
    FeeInput,
    adjust,
    cancel,
    correct,
    record,
    refund,
    set_fees,
    take_from_provider,
)
from faristol.tournament.fees.handler import FeeHandler
from faristol.tournament.fees.provider import MAX_EVENT_BODY_BYTES, SignatureInvalid, read_event
from faristol.tournament.fees.queries import list_fees

FEE_COMMANDS: Mapping[type[Message], Callable[[FeeInput, Any], list[Message]]] = {
    pb.SetFeesRequest: set_fees,
    pb.AdjustFeeRequest: adjust,
    pb.RecordPaymentRequest: record,
    pb.CancelPaymentRequest: cancel,
    pb.CorrectPaymentRequest: correct,
    pb.RefundPaymentRequest: refund,
}
"""The commands on fees."""

_PROVIDER_NAMESPACE = uuid.UUID("3e9f1c52-7f4b-4b61-9f0e-6a1d2c3b4e5f")

NOT_SIGNED = N_("the call is not signed by the payment provider")


def fee_service(handler: FeeHandler) -> Dispatcher:
    """Build the dispatcher of the service of fees."""

    async def carry_out(request: Any, context: Context, response: type[Any]) -> Message:
        decide = FEE_COMMANDS[type(request)]
        return await handler.carry_out(request, context, decide, response, lambda events: like(response, events[-1]))

    questions: Mapping[type[Message], Answer] = {
        pb.ListFeesRequest: partial(list_fees, handler),
        pb.TakeProviderEventRequest: partial(take_provider_event, handler),
    }
    descriptor = pb.DESCRIPTOR.services_by_name["FeeService"]
    return Dispatcher(descriptor, FEE_COMMANDS, carry_out, questions)


async def take_provider_event(
    handler: FeeHandler, request: pb.TakeProviderEventRequest, context: Context
) -> pb.TakeProviderEventResponse:
    """Record the payment of a signed call, once for each payment.

    A call about an unknown tournament or payer, or in another currency, is accepted and logged by its refusal, because
    the provider would repeat it for days. Raises ``Unauthenticated`` without the signature.
    """
    secret = await asyncio.to_thread(_read_secret, handler)
    if len(request.body) > MAX_EVENT_BODY_BYTES:
        raise Unauthenticated("CREDENTIAL_INVALID", NOT_SIGNED)
    try:
        paid = read_event(request.body, request.signature, secret, handler.runtime.now())
    except SignatureInvalid:
        raise Unauthenticated("CREDENTIAL_INVALID", NOT_SIGNED) from None
    if paid is None or not 0 < paid.amount <= MAX_AMOUNT_LIMIT:
        return pb.TakeProviderEventResponse()
    command = pb.RecordPaymentRequest(
        command_id=str(uuid.uuid5(_PROVIDER_NAMESPACE, paid.reference)), tournament_id=paid.tournament_id
    )

    def decide(current: FeeInput, asked: pb.RecordPaymentRequest) -> list[Message]:
        return take_from_provider(current, paid.player_id, paid.amount, paid.currency, paid.reference)

    def answer(new_events: Sequence[Message]) -> pb.TakeProviderEventResponse:
        recorded = any(isinstance(event, events.PaymentRecorded) for event in new_events)
        return pb.TakeProviderEventResponse(recorded=recorded)

    try:
        await handler.carry_out(command, context, decide, pb.TakeProviderEventResponse, answer)
    except (NotFound, Refusal):
        return pb.TakeProviderEventResponse()
    return pb.TakeProviderEventResponse(recorded=True)


def _read_secret(handler: FeeHandler) -> str:
    path = handler.runtime.settings.payment_secret_file
    return path.read_text(encoding="utf-8").strip() if path else ""
