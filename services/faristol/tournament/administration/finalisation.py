"""The end of a tournament: its checks, each without open matters or excused with a reason. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_, Param, Refusal, check_none
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.identity import checked_note
from faristol.tournament.conditions import check_not_removed
from faristol.tournament.situation import OpenMatters, PairingCommand, Situation

OPEN_SENTENCES: Mapping[events.FinalCheck.ValueType, str] = {
    events.FINAL_CHECK_CASES: N_("{open} {open:challenge waits|challenges wait} for a ruling: {subjects}."),
    events.FINAL_CHECK_RESULTS: N_("{open} {open:result is|results are} unconfirmed: {subjects}."),
    events.FINAL_CHECK_REQUESTS: N_("{open} {open:request has|requests have} no answer: {subjects}."),
    events.FINAL_CHECK_UNSENT: N_("{open} {open:event is|events are} not sent by the halls {subjects}."),
    events.FINAL_CHECK_HALLS: N_("{open} {open:hall has|halls have} no connection: {subjects}."),
    events.FINAL_CHECK_KEPT_ASIDE: N_("{open} {open:event was|events were} kept aside without a verdict: {subjects}."),
    events.FINAL_CHECK_PARKED: N_("{open} {open:event|events} could not be processed: {subjects}."),
    events.FINAL_CHECK_SEALS: N_("The last events are not sealed and stored by: {subjects}."),
    events.FINAL_CHECK_SHADOW: N_("{open} {open:difference|differences} from another program: {subjects}."),
}
"""What each check says of open matters."""


def finalise(situation: Situation, request: pb.FinaliseTournamentRequest) -> list[Message]:
    """Finalise a tournament whose final standings are published.

    Each check finds no open matter, or the request has a reason for it. A reason for a check without one is ignored:
    the matter may have been settled since the caller looked. Raises ``Refusal`` with all checks that lack a reason, and
    if the standings are not published or the tournament is finalised already. Raises ``Invalid`` for a reason without a
    check or without a text, and for two reasons for one check.
    """
    state = situation.state
    check_not_removed(state)
    if not state.over:
        raise Refusal(
            "NOT_PUBLISHED",
            N_("The final standings of {tournament} are not published: publish them first, `standings publish`."),
            {"tournament": state.tournament_id},
        )
    if state.finalised:
        raise Refusal("FINALISED", N_("{tournament} is finalised already."), {"tournament": state.tournament_id})
    reasons = _read_reasons(request.reasons)
    found = [each for each in situation.open_matters if each.open]
    check_none([_refuse_open(each) for each in found if each.check not in reasons])
    at = situation.occurred_at
    excused = [
        events.FinalCheckExcused(check=each.check, open=each.open, note=reasons[each.check], occurred_at=at)
        for each in found
    ]
    done = [each.check for each in situation.open_matters if not each.open]
    return [*excused, events.TournamentFinalised(round=len(state.played), checks=done, occurred_at=at)]


def _read_reasons(given: Sequence[pb.FinalReason]) -> Mapping[events.FinalCheck.ValueType, str]:
    """Return the reasons by their checks. Raises ``Invalid``."""
    reasons: dict[events.FinalCheck.ValueType, str] = {}
    for each in given:
        if each.check not in OPEN_SENTENCES:
            raise Invalid("reasons", N_("has a reason without a check"))
        if each.check in reasons:
            raise Invalid("reasons", N_("has two reasons for one check"))
        reasons[each.check] = checked_note("reasons", each.reason)
        if not reasons[each.check]:
            raise Invalid("reasons", N_("has an empty reason; expected the director's words"))
    return reasons


def _refuse_open(found: OpenMatters) -> Refusal:
    """Return the refusal of an end with open matters and without a reason."""
    params: dict[str, Param] = {"open": found.open, "subjects": ", ".join(found.subjects)}
    return Refusal("FINAL_CHECK_OPEN", OPEN_SENTENCES[found.check], params)


def _list_excused(situation: Situation, request: Any, new_events: Sequence[Message]) -> Mapping[str, Any]:
    """Return the checks of the answer that found something and were excused."""
    return {"excused": [event.check for event in new_events if isinstance(event, events.FinalCheckExcused)]}


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.FinaliseTournamentRequest: PairingCommand(finalise, open_matters=True, more=_list_excused),
}
