"""The registration service over gRPC. The contract documents its methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from google.protobuf.message import Message

from faristol.host.rpc.dispatch import Answer, Context, Dispatcher
from faristol.kernel.event_types import methods_of
from faristol.pb.pairing.v1 import registration_events_pb2 as events
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.tournament.fees.handler import FeeHandler
from faristol.tournament.registration.acceptance import accept_entries, accept_entry
from faristol.tournament.registration.decide import (
    RegistrationInput,
    ask,
    move_up,
    reinstate,
    reject,
    set_registration,
    withdraw,
)
from faristol.tournament.registration.entrants import Entrants
from faristol.tournament.registration.handler import RegistrationHandler
from faristol.tournament.registration.queries import get_mail_status, get_registration, list_entries


def _withdraw(current: RegistrationInput, request: pb.WithdrawEntryRequest) -> list[Message]:
    return withdraw(current, request.entry, by_entrant=False)


REGISTRATION_COMMANDS: Mapping[type[Message], Callable[[RegistrationInput, Any], list[Message]]] = {
    pb.SetRegistrationRequest: set_registration,
    pb.AskEntrantRequest: ask,
    pb.RejectEntryRequest: reject,
    pb.WithdrawEntryRequest: _withdraw,
    pb.ReinstateEntryRequest: reinstate,
    pb.MoveEntryUpRequest: move_up,
}
"""The director's commands that write to the registration only."""


def registration_service(handler: RegistrationHandler, fees: FeeHandler) -> Dispatcher:
    """Build the dispatcher of the registration service."""

    async def carry_out(request: Any, context: Context, response: type[Any]) -> Message:
        tells = "moved_up" in response.DESCRIPTOR.fields_by_name

        def answer(new_events: Sequence[Message]) -> Message:
            moved = [event.entry for event in new_events if isinstance(event, events.EntryMovedUp)]
            built: Message = response(moved_up=moved) if tells else response()
            return built

        return await handler.carry_out(request, context, REGISTRATION_COMMANDS[type(request)], response, answer)

    entrants = Entrants(handler, fees)
    questions: Mapping[type[Message], Answer] = {
        pb.GetRegistrationRequest: partial(get_registration, handler),
        pb.ListEntriesRequest: partial(list_entries, handler),
        pb.GetMailStatusRequest: partial(get_mail_status, handler),
        pb.AcceptEntryRequest: partial(accept_entry, handler),
        pb.AcceptEntriesRequest: partial(accept_entries, handler),
        **methods_of(entrants),
    }
    descriptor = pb.DESCRIPTOR.services_by_name["RegistrationService"]
    return Dispatcher(descriptor, REGISTRATION_COMMANDS, carry_out, questions)
