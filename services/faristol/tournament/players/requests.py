"""Players' requests from their own phones: a bye in a round, or to leave. Pure.

The organiser sets the actions that are open to players. A granted request writes the bye or the withdrawal with its
answer, so that the director's one action suffices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from faristol.kernel.errors import Invalid, check_range
from faristol.kernel.likeness import like
from faristol.kernel.pairings import REQUESTED_BYES
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.byes.requested import grant
from faristol.tournament.conditions import (
    build_no_request_refusal,
    check_open,
    check_to_come,
    find_registered_player,
    find_waiting,
    taking_part,
)
from faristol.tournament.players.withdrawal import withdraw
from faristol.tournament.rounds.systems import CYCLES
from faristol.tournament.situation import PairingCommand, Situation, Undo, latest
from faristol.tournament.state import PlayerRequest, TournamentState

BYE, WITHDRAWAL = events.PLAYER_REQUEST_KIND_BYE, events.PLAYER_REQUEST_KIND_WITHDRAWAL

MAX_REQUESTED_BYES_COUNT = 20
"""Limit of the byes that the organiser may let a player request."""


def set_player_acts(situation: Situation, request: pb.SetPlayerActsRequest) -> list[Message]:
    """Set the actions open to players from their own phones.

    Raises ``Invalid`` for an unknown kind of bye or way of leaving. Raises ``Refusal`` for byes with points in a round
    robin, whose opponent wins without a game.
    """
    check_open(situation.state)
    check_range("most_byes", request.most_byes, 0, MAX_REQUESTED_BYES_COUNT)
    if request.bye_kind and request.bye_kind not in REQUESTED_BYES:
        raise Invalid("bye_kind", N_("expected a half-point, a full-point or a zero-point bye"))
    if request.leaving not in events.LeavingOption.values():
        raise Invalid("leaving", N_("is unknown; expected how players leave"))
    return [
        situation.event(
            events.PlayerActsSet,
            request,
            bye_kind=request.bye_kind or default_bye(situation),
            leaving=request.leaving or events.LEAVING_OPTION_REQUEST,
        )
    ]


def default_bye(situation: Situation) -> events.ByeKind.ValueType:
    """Return the kind of bye that a player requests by default: without points in a round robin."""
    cycles = situation.ruleset.championship.system in CYCLES
    return events.BYE_KIND_ZERO_POINT if cycles else events.BYE_KIND_HALF_POINT


def lodge(situation: Situation, request: pb.LodgePlayerRequestRequest) -> list[Message]:
    """Ask for a bye or a withdrawal. The withdrawal is immediate if the organiser lets players withdraw themselves.

    Raises ``Invalid`` for an unknown kind. Raises ``Refusal`` if the organiser or the rules do not allow the request,
    or if the same one is pending.
    """
    state = situation.state
    player = taking_part(state, request.player_id)
    if request.kind not in (BYE, WITHDRAWAL):
        raise Invalid("kind", N_("expected a bye or a withdrawal"))
    number = request.round if request.kind == BYE else 0
    asked = PlayerRequest(player.player_id, request.kind, number)
    if asked in state.player_requests:
        waiting = state.player_requests.index(asked) + 1
        raise Refusal("REQUEST_WAITS", N_("The same request, {request}, is already pending."), {"request": waiting})
    if request.kind == BYE:
        _check_bye(situation, request)
    elif state.player_acts.leaving == events.LEAVING_OPTION_DESK:
        raise Refusal("LEAVE_AT_DESK", N_("Players leave at the desk here: please go there."))
    lodged = situation.event(
        events.PlayerRequestLodged,
        request=len(state.player_requests) + 1,
        player_id=player.player_id,
        kind=request.kind,
        round=number,
    )
    if request.kind == WITHDRAWAL and state.player_acts.leaving == events.LEAVING_OPTION_DIRECT:
        answered = _build_answer(lodged.request, asked, granted=True, situation=situation)
        return [lodged, answered, *_leave(situation, player.player_id)]
    return [lodged]


def _check_bye(situation: Situation, request: pb.LodgePlayerRequestRequest) -> None:
    """Raise ``Refusal`` if a player may not request a bye in a round."""
    state, acts = situation.state, situation.state.player_acts
    if not acts.most_byes:
        raise Refusal("BYES_AT_DESK", N_("Players do not request byes from their phones here."))
    used = count_byes(state, request.player_id)
    if used >= acts.most_byes:
        raise Refusal(
            "BYES_USED",
            N_("{player} has already {used} requested {used:bye|byes}, and may have {most}."),
            {"player": request.player_id, "used": used, "most": acts.most_byes},
        )
    # The decision of a bye refuses a paired round, and a bye that the system does not allow.
    kind = acts.bye_kind if situation.ruleset.championship.system not in CYCLES else events.BYE_KIND_ZERO_POINT
    grant(situation, pb.GrantByeRequest(player_id=request.player_id, round=request.round, kind=kind))


def count_byes(state: TournamentState, player_id: str) -> int:
    """Return the number of granted byes of a player, with those of pending requests."""
    player = state.player(player_id)
    granted = set(player.byes) if player else set()
    waiting = {
        asked.round
        for asked in state.player_requests
        if asked.player_id == player_id and asked.kind == BYE and asked.waits
    }
    return len(granted | waiting)


def list_open_rounds(state: TournamentState, player_id: str) -> list[int]:
    """Return the rounds in which a player may request a bye now."""
    player = state.player(player_id)
    if player is None or state.over or player.withdrawn is not None:
        return []
    if count_byes(state, player_id) >= state.player_acts.most_byes:
        return []
    asked = {each.round for each in state.player_requests if each.player_id == player_id and each.waits}
    coming = range(len(state.played) + 1, state.rounds + 1)
    return [number for number in coming if number not in asked and number not in player.byes]


def take_back(situation: Situation, request: pb.TakeBackPlayerRequestRequest) -> list[Message]:
    """Take back a pending request. Raises ``Refusal`` if it is unknown, answered, or of another player."""
    find_registered_player(situation.state, request.player_id)
    asked = find_waiting(situation.state.player_requests, request.request)
    if asked.player_id != request.player_id:
        raise build_no_request_refusal(request.request)
    return [_build_answer(request.request, asked, granted=False, situation=situation, taken_back=True)]


def answer(situation: Situation, request: pb.AnswerPlayerRequestRequest) -> list[Message]:
    """Grant or refuse a request; the bye or the withdrawal of a granted one follows, unless the bye stands already.

    Raises ``Invalid`` unless there is exactly one answer. Raises ``Refusal`` if the request is unknown or answered, or
    if the bye is no longer possible.
    """
    check_open(situation.state)
    if request.granted == request.refused:
        raise Invalid("refused", N_("expected one of granted=true and refused=true"))
    asked = find_waiting(situation.state.player_requests, request.request)
    answered = _build_answer(request.request, asked, granted=request.granted, situation=situation)
    if not request.granted:
        return [answered]
    if asked.kind == WITHDRAWAL:
        return [answered, *_leave(situation, asked.player_id)]
    check_to_come(situation.state, asked.round)
    if asked.round in taking_part(situation.state, asked.player_id).byes:
        return [answered]  # the director has granted the bye without the request
    cycles = situation.ruleset.championship.system in CYCLES
    kind = events.BYE_KIND_ZERO_POINT if cycles else situation.state.player_acts.bye_kind
    return [answered, *grant(situation, pb.GrantByeRequest(player_id=asked.player_id, round=asked.round, kind=kind))]


def _leave(situation: Situation, player_id: str) -> list[Message]:
    """Withdraw a player; a running game is played to its end."""
    request = pb.WithdrawPlayerRequest(player_id=player_id, running_game=pb.RUNNING_GAME_PLAYED_OUT)
    return withdraw(situation, request)


def _build_answer(
    number: int, asked: PlayerRequest, *, granted: bool, situation: Situation, taken_back: bool = False
) -> events.PlayerRequestAnswered:
    return situation.event(
        events.PlayerRequestAnswered,
        request=number,
        player_id=asked.player_id,
        kind=asked.kind,
        round=asked.round,
        granted=granted,
        taken_back=taken_back,
    )


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.SetPlayerActsRequest: PairingCommand(set_player_acts, rests_on=(events.PlayerActsSet,)),
    pb.LodgePlayerRequestRequest: PairingCommand(lodge, tells=events.PlayerRequestLodged),
    pb.TakeBackPlayerRequestRequest: PairingCommand(take_back),
    pb.AnswerPlayerRequestRequest: PairingCommand(answer, tells=events.PlayerRequestAnswered),
}


def _acts_before(act: events.PlayerActsSet, before: Sequence[Message]) -> Message:
    earlier = latest(events.PlayerActsSet, before)
    if not earlier.leaving:  # never set: the defaults
        return pb.SetPlayerActsRequest(most_byes=1)
    return like(pb.SetPlayerActsRequest, earlier, occurred_at=None)


UNDO: Mapping[type[Message], Undo] = {events.PlayerActsSet: Undo(_acts_before, thing=("player acts",))}
