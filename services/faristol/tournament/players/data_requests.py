"""Players' requests for correction or erasure of their data. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.details import read_details
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_registered, find_waiting
from faristol.tournament.situation import PairingCommand, Situation
from faristol.tournament.state import DataRequest

CORRECTION, ERASURE = events.DATA_REQUEST_KIND_CORRECTION, events.DATA_REQUEST_KIND_ERASURE


def lodge(situation: Situation, request: pb.LodgeDataRequestRequest) -> list[Message]:
    """Lodge a request for correction or erasure, at any time, even after the final standings.

    Raises ``Invalid`` without a kind, and for a correction without a note. Raises ``Refusal`` if the person is not a
    player, or if a request of the same kind is unanswered.
    """
    state = situation.state
    if request.kind not in (CORRECTION, ERASURE):
        raise Invalid("kind", N_("expected a correction or an erasure"))
    check_registered(state, request.player_id)
    if request.kind == CORRECTION and not request.note:
        raise Invalid("note", N_("is missing; expected the error and the correct data"))
    for number, asked in enumerate(state.data_requests, start=1):
        if asked == DataRequest(request.player_id, request.kind):
            raise Refusal(
                "REQUEST_WAITS", N_("Request {request} for the same data is already pending."), {"request": number}
            )
    return [situation.event(events.DataRequestLodged, request, request=len(state.data_requests) + 1)]


def answer(situation: Situation, request: pb.AnswerDataRequestRequest) -> list[Message]:
    """Grant or refuse a request.

    Raises ``Invalid`` unless there is exactly one answer, of the kind of the request. Raises ``Invalid`` for a refusal
    without a note, and for a personal detail without a granted correction. Raises ``Refusal`` if the request is
    unknown or already answered.
    """
    if request.corrected + request.erased + request.refused != 1:
        raise Invalid("refused", N_("expected one of corrected=true, erased=true and refused=true"))
    asked = find_waiting(situation.state.data_requests, request.request)
    if (asked.kind == ERASURE and request.corrected) or (asked.kind == CORRECTION and request.erased):
        done = "corrected" if request.corrected else "erased"
        raise Invalid(done, N_("answers another kind of request"))
    if request.refused and not request.note:
        raise Invalid("note", N_("is missing; expected the reason for the refusal"))
    if not request.corrected:
        for field in read_details(request):
            raise Invalid(field, N_("is given, but no correction is granted"))
    return [
        situation.event(
            events.DataRequestAnswered, request, player_id=asked.player_id, kind=asked.kind, granted=not request.refused
        )
    ]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.LodgeDataRequestRequest: PairingCommand(lodge, tells=events.DataRequestLodged),
}
