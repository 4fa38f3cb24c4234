"""The undo of an action on a registration by a compensating command. Pure.

An acceptance is not in this module: its player is withdrawn from the tournament.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.likeness import like
from faristol.pb.pairing.v1 import registration_events_pb2 as events
from faristol.pb.pairing.v1 import registration_pb2 as pb
from faristol.tournament.registration.decide import RegistrationInput, reinstate, reject, set_registration, withdraw
from faristol.tournament.registration.state import ENDED, RegistrationState
from faristol.tournament.situation import latest
from faristol.tournament.state import TournamentState

_Decided = (
    events.EntryAccepted | events.EntryRejected | events.EntryWithdrawn | events.EntryReinstated | events.EntrantCleared
)
"""Events after which an earlier one on the same entry cannot be undone."""


def undo_of_entry(
    past_events: Sequence[Message], version: int, state: RegistrationState, tournament: TournamentState
) -> Message | None:
    """Return the command that undoes a version of a registration, from 1, or None.

    ``past_events`` are all events of the registration, and ``state`` is the state after them.
    """
    act: Any = past_events[version - 1]
    before, later = past_events[: version - 1], past_events[version:]
    match act:
        case events.RegistrationSet():
            if any(isinstance(each, events.RegistrationSet) for each in later):
                return None
            # The form as it was before; closed if it had never been set.
            return like(pb.SetRegistrationRequest, latest(events.RegistrationSet, before), occurred_at=None)
        case events.EntryRejected() | events.EntryWithdrawn() | events.EntryReinstated():
            if any(isinstance(each, _Decided) and each.entry == act.entry for each in later):
                return None
            entry = state.find(act.entry)
            if entry is None or tournament.player(entry.player_id) is not None:
                return None
            if entry.phase in ENDED:
                return pb.ReinstateEntryRequest(entry=act.entry)
            of_entry = [each for each in before if isinstance(each, _Decided) and each.entry == act.entry]
            if of_entry and isinstance(of_entry[-1], events.EntryRejected):
                return pb.RejectEntryRequest(entry=act.entry)
            return pb.WithdrawEntryRequest(entry=act.entry)
        case _:
            return None


def decide_undo(current: RegistrationInput, command: Message, note: str) -> list[Message]:
    """Decide the command that undoes an action. Raises as the decision of that command."""
    match command:
        case pb.SetRegistrationRequest():
            return set_registration(current, command)
        case pb.ReinstateEntryRequest():
            return reinstate(current, command)
        case pb.RejectEntryRequest():
            return reject(current, pb.RejectEntryRequest(entry=command.entry, note=note))
        case pb.WithdrawEntryRequest():
            return withdraw(current, command.entry, by_entrant=False)
        case _:
            raise TypeError(f"{command.DESCRIPTOR.full_name} undoes no action on a registration")
