"""The check-in of players before their first round, and before a later one if the director opens it again. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_open, taking_part
from faristol.tournament.situation import PairingCommand, Situation, Undo
from faristol.tournament.state import PlayerState, TournamentState


def open_check_in(situation: Situation, request: pb.OpenCheckInRequest) -> list[Message]:
    """Open a check-in for the next round: all players count as absent until they are checked in again.

    Raises ``Refusal`` if the check-in of the next round is open, as it is before round 1, and after the last round.
    """
    state = situation.state
    check_open(state)
    number = len(state.played) + 1
    if state.check_in_round >= number:
        raise Refusal("CHECK_IN_OPEN", N_("The check-in for round {round} is open."), {"round": state.check_in_round})
    if number > state.rounds:
        raise Refusal("NO_ROUND_LEFT", N_("Round {round} was the last: no round is left."), {"round": state.rounds})
    at = situation.occurred_at
    return [
        events.CheckInOpened(round=number, occurred_at=at),
        *(
            events.PlayerCheckedOut(player_id=player.player_id, occurred_at=at)
            for player in state.players
            if player.checked_in
        ),
    ]


def check_in(situation: Situation, request: pb.CheckInPlayerRequest) -> list[Message]:
    """Check in a player, even a late one who has not been in a paired round since the check-in was opened.

    After the first check-in, round 1 waits until each player is checked in, has a bye or has withdrawn. A later round
    with a check-in of its own waits in any case.
    """
    player = _not_paired_yet(situation.state, request.player_id)
    if player.checked_in:
        raise Refusal("CHECKED_IN", N_("{player} is already checked in."), {"player": player.player_id})
    return [situation.event(events.PlayerCheckedIn, player_id=player.player_id)]


def confirm_presence(situation: Situation, request: pb.ConfirmPresenceRequest) -> list[Message]:
    """Check in a player from a phone. Raises ``Refusal`` unless the organiser allows it, and as ``check_in``."""
    new_events = check_in(situation, pb.CheckInPlayerRequest(player_id=request.player_id))
    if not situation.state.player_acts.check_in:
        raise Refusal("CHECK_IN_AT_DESK", N_("Players do not check in from their phones here: please go to the desk."))
    return new_events


def check_in_all(situation: Situation, request: pb.CheckInPlayersRequest) -> list[Message]:
    """Check in the named players, or all who take part, except those who are already checked in.

    Without names, it applies only to players who have not been in a round. Raises ``Refusal`` if a named player does
    not take part or has been in a round. It also does if all players have been in a round, or if all are checked in.
    """
    state = situation.state
    check_open(state)
    named = list(dict.fromkeys(request.player_ids))
    staying = [player for player in state.players if player.withdrawn is None]
    players = (
        [_not_paired_yet(state, player_id) for player_id in named]
        if named
        else [player for player in staying if not was_paired(state, player)]
    )
    if staying and not players:
        raise _build_closed_refusal(state)
    at = situation.occurred_at
    new_events: list[Message] = [
        events.PlayerCheckedIn(player_id=player.player_id, occurred_at=at)
        for player in players
        if not player.checked_in
    ]
    if not new_events:
        raise Refusal("CHECKED_IN", N_("All players are already checked in."))
    return new_events


def check_out(situation: Situation, request: pb.CheckOutPlayerRequest) -> list[Message]:
    """Undo the check-in of a player."""
    player = _not_paired_yet(situation.state, request.player_id)
    if not player.checked_in:
        raise Refusal("NOT_CHECKED_IN", N_("{player} is not checked in."), {"player": player.player_id})
    return [situation.event(events.PlayerCheckedOut, player_id=player.player_id)]


def _not_paired_yet(state: TournamentState, player_id: str) -> PlayerState:
    """Return a player who has not been in a round. Raises ``Refusal``."""
    player = taking_part(state, player_id)
    if was_paired(state, player):
        raise _build_closed_refusal(state)
    return player


def was_paired(state: TournamentState, player: PlayerState) -> bool:
    """Check whether a player was in a round since the check-in was opened.

    They were at a table, with the pairing's bye, or in a duplicate game.
    """
    return any(
        player.player_id in played.seated
        or (not played.seated and player.takes_part(played.number) and player.player_id not in played.requested)
        for played in state.played[state.check_in_round - 1 :]
    )


def _build_closed_refusal(state: TournamentState) -> Refusal:
    return Refusal(
        "CHECK_IN_CLOSED",
        N_("Round {round} has been paired: players must be checked in before that."),
        {"round": state.check_in_round},
    )


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.OpenCheckInRequest: PairingCommand(open_check_in, tells=events.CheckInOpened),
    pb.CheckInPlayerRequest: PairingCommand(check_in),
    pb.ConfirmPresenceRequest: PairingCommand(confirm_presence),
    pb.CheckInPlayersRequest: PairingCommand(
        check_in_all,
        more=lambda situation, request, new_events: {
            "player_ids": [event.player_id for event in new_events if isinstance(event, events.PlayerCheckedIn)]
        },
    ),
    pb.CheckOutPlayerRequest: PairingCommand(check_out),
}


def _rests(act: Message, later: Message) -> bool:
    return isinstance(later, events.RoundPaired)


UNDO: Mapping[type[Message], Undo] = {
    events.CheckInOpened: Undo(pb.CheckInPlayersRequest, thing=("check-in of a round",), rests=_rests),
    events.PlayerCheckedIn: Undo(pb.CheckOutPlayerRequest, thing=("check-in", "player_id"), rests=_rests),
    events.PlayerCheckedOut: Undo(pb.CheckInPlayerRequest, thing=("check-in", "player_id"), rests=_rests),
}
