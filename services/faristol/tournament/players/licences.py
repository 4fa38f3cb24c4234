"""The licence that a tournament requires of its players, and exceptions from it. Pure.

The federation's register has the licences. A licence must be valid on the first day of the tournament, or on the day
of the command if the tournament has no date. Players that were registered before a requirement are listed, and stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.names import check_name
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.register.model import Register
from faristol.tournament.conditions import check_open, find_registered_player
from faristol.tournament.situation import PairingCommand, Situation, Undo
from faristol.tournament.state import TournamentState, evolve

MAX_LICENCE_KIND_CHARACTERS = 40
"""Characters of the kind of a licence."""


def require(situation: Situation, request: pb.RequireLicenceRequest) -> list[Message]:
    """Require a licence, or none. Raises ``Invalid``, and ``Refusal`` if the requirement does not change."""
    state = situation.state
    check_open(state)
    kind = check_name("kind", request.kind, empty=True, longest=MAX_LICENCE_KIND_CHARACTERS)
    if kind and not request.required:
        raise Invalid("kind", N_("is the kind of a licence, and none is required; expected an empty field"))
    if (request.required, kind) == (state.licence.required, state.licence.kind):
        raise Refusal(
            "SAME_LICENCE_REQUIREMENT", N_("No change for {name}: specify a new value."), {"name": state.name}
        )
    return [situation.event(events.LicenceRequirementSet, request, kind=kind)]


def grant_exception(situation: Situation, request: pb.GrantLicenceExceptionRequest) -> list[Message]:
    """Allow a registered player to take part without the licence.

    Raises ``Invalid`` without a reason. Raises ``Refusal`` for a person who is not registered, if no licence is
    required, or if the player has an exception.
    """
    state = situation.state
    find_registered_player(state, request.player_id)
    _check_reason("note", request.note)
    if not state.licence.required:
        raise Refusal("NO_LICENCE_REQUIRED", N_("{name} requires no licence."), {"name": state.name})
    if request.player_id in state.licence.exceptions:
        raise Refusal("LICENCE_EXCEPTED", N_("{player} has an exception already."), {"player": request.player_id})
    return [situation.event(events.LicenceExceptionGranted, request)]


def revoke_exception(situation: Situation, request: pb.RevokeLicenceExceptionRequest) -> list[Message]:
    """Revoke an exception. Raises ``Refusal`` if the player has none."""
    state = situation.state
    find_registered_player(state, request.player_id)
    if request.player_id not in state.licence.exceptions:
        raise Refusal("NO_LICENCE_EXCEPTION", N_("{player} has no exception."), {"player": request.player_id})
    return [situation.event(events.LicenceExceptionRevoked, request)]


def licence_day(situation: Situation) -> str:
    """Return the day on which a licence must be valid, such as ``2026-11-28``."""
    return situation.state.starts_on or (situation.at or situation.now).date().isoformat()


def has_licence(state: TournamentState, register: Register, player_id: str, day: str) -> bool:
    """Check whether a player has the licence that a tournament requires; True if it requires none."""
    if not state.licence.required:
        return True
    entry = register.entries.get(player_id)
    return entry is not None and entry.valid_licence(day, state.licence.kind) is not None


def check_licence(situation: Situation, player_id: str, reason: str) -> bool:
    """Check whether a player may enter with the licence, and return whether an exception has to be granted for it.

    Raises ``Refusal`` without a valid licence, an exception, or a ``reason`` for one.
    """
    state, day = situation.state, licence_day(situation)
    if has_licence(state, situation.persons, player_id, day) or player_id in state.licence.exceptions:
        return False
    if reason:
        _check_reason("licence_exception", reason)
        return True
    entry = situation.persons.entries.get(player_id)
    last = entry.last_day(state.licence.kind) if entry else ""
    if last and last < day:
        raise Refusal(
            "LICENCE_EXPIRED",
            N_("The licence of {player} expired on {last}: it must be valid on {day}. An exception needs a reason."),
            {"player": player_id, "last": last, "day": day},
        )
    raise Refusal(
        "LICENCE_MISSING",
        N_("{player} has no licence in the register that is valid on {day}. An exception needs a reason."),
        {"player": player_id, "day": day},
    )


def _check_reason(field: str, reason: str) -> None:
    if not reason.strip():
        raise Invalid(field, N_("is missing; expected the reason of the exception"))


def _before(act: events.LicenceRequirementSet, before: Sequence[Message]) -> Message:
    """Build the command that restores the requirement before an event."""
    terms = reduce(evolve, before, TournamentState()).licence
    return pb.RequireLicenceRequest(required=terms.required, kind=terms.kind)


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.RequireLicenceRequest: PairingCommand(require),
    pb.GrantLicenceExceptionRequest: PairingCommand(grant_exception),
    pb.RevokeLicenceExceptionRequest: PairingCommand(revoke_exception),
}

UNDO: Mapping[type[Message], Undo] = {
    events.LicenceRequirementSet: Undo(_before, thing=("licence",)),
    events.LicenceExceptionGranted: Undo(pb.RevokeLicenceExceptionRequest, thing=("licence", "player_id")),
    events.LicenceExceptionRevoked: Undo(thing=("licence", "player_id")),
}
