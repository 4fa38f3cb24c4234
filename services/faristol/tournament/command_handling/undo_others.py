"""The undo of an action by its position: those on entries and fees are not on the stream of the tournament."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.event_store import Recorded
from faristol.host.rpc.dispatch import Context
from faristol.kernel.errors import Invalid, NotFound
from faristol.kernel.likeness import like
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.pb.pairing.v1 import registration_events_pb2 as entry_events
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.fees.decide import FeeInput, undo_of_fee
from faristol.tournament.fees.handler import FeeHandler
from faristol.tournament.fees.service import FEE_COMMANDS
from faristol.tournament.fees.state import fees_stream
from faristol.tournament.registration.decide import RegistrationInput, undo_of_entry
from faristol.tournament.registration.handler import RegistrationHandler
from faristol.tournament.registration.service import REGISTRATION_COMMANDS
from faristol.tournament.registration.state import registration_stream
from faristol.tournament.state import stream


async def undo_act(
    registration: RegistrationHandler, fees: FeeHandler, request: pb.UndoActRequest, context: Context
) -> pb.UndoActResponse:
    """Undo an action by its version, or one on an entry or on fees by its position.

    An accepted entry is undone by the withdrawal of its player. Raises ``Invalid`` with both a version and a position,
    ``NotFound`` for an unknown action, ``Refusal`` for one that cannot be undone.
    """
    pairing, tournament_id = registration.pairing, request.tournament_id
    if not request.position:
        return await _undo_version(pairing, request, context)
    if request.version:
        raise Invalid("position", N_("conflicts with the given version; expected only one of the two"))
    entries = await pairing.record.read_stream(registration_stream(tournament_id))
    payments = await pairing.record.read_stream(fees_stream(tournament_id))
    act = next((each for each in (*entries, *payments) if each.position == request.position), None)
    if act is None:
        raise NotFound("act", f"{tournament_id}/{request.position}")
    undone = ""

    def answer(new_events: Sequence[Message]) -> pb.UndoActResponse:
        return pb.UndoActResponse(undone_by=undone)

    def note_command(command: Any, note: str = "") -> Any:
        nonlocal undone
        if command is None:
            raise Refusal("NOT_UNDONE", N_("The command cannot be undone, or a later one came after it."))
        undone = command.DESCRIPTOR.name.removesuffix("Request")
        if "note" in command.DESCRIPTOR.fields_by_name:
            command.note = note
        return command

    def decide_entry(current: RegistrationInput, asked: pb.UndoActRequest) -> list[Message]:
        found = undo_of_entry(_messages(entries), act.version, current.state, current.tournament)
        command = note_command(found, asked.note)
        return REGISTRATION_COMMANDS[type(command)](current, command)

    def decide_fee(current: FeeInput, asked: pb.UndoActRequest) -> list[Message]:
        command = note_command(undo_of_fee(_messages(payments), act.version, current.state), asked.note)
        return FEE_COMMANDS[type(command)](current, command)

    if act in payments:
        return await fees.carry_out(request, context, decide_fee, pb.UndoActResponse, answer)
    if isinstance(act.message, entry_events.EntryAccepted):
        recorded = await pairing.record.read_whole_stream(stream(tournament_id))
        version = registrations_by_command(recorded).get((act.metadata.command_id, act.message.player_id), 0)
        if not version:
            note_command(None)
        asked = like(pb.UndoActRequest, request, version=version, position=0)
        return await _undo_version(pairing, asked, context)
    return await registration.carry_out(request, context, decide_entry, pb.UndoActResponse, answer)


def registrations_by_command(recorded: Sequence[Recorded]) -> Mapping[tuple[str, str], int]:
    """Return the versions at which players were registered, by the command and the player.

    ``recorded`` are the events of the tournament.
    """
    found: dict[tuple[str, str], int] = {}
    for event in recorded:
        if isinstance(event.message, events.PlayerRegistered | events.LateEntryAdmitted):
            found.setdefault((event.metadata.command_id, event.message.player_id), event.version)
    return found


async def _undo_version(pairing: PairingHandler, request: pb.UndoActRequest, context: Context) -> pb.UndoActResponse:
    answer = await pairing.carry_out(request, context, pb.UndoActResponse)
    assert isinstance(answer, pb.UndoActResponse)
    return answer


def _messages(recorded: Sequence[Recorded]) -> list[Message]:
    return [event.message for event in recorded]
