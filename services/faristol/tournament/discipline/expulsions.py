"""Expulsion: the red card of FISE, the disqualification of UF 28 and the total exclusion of PES Ζ. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.conditions import check_arbiter, find_registered_player
from faristol.tournament.discipline.checks import (
    article_of,
    check_deciders,
    check_no_tribunal,
    sanctionable,
)
from faristol.tournament.players.withdrawal import reinstate, withdraw
from faristol.tournament.situation import PairingCommand, Situation, of_player


def expel(situation: Situation, request: pb.ExpelPlayerRequest) -> list[Message]:
    """Expel a player on the proposal of an arbiter, by those who decide on it (FISE 49, PES Ζ).

    A running game is lost, and the player is withdrawn. Raises ``Invalid`` without deciders.
    """
    state, player_id = situation.state, request.player_id
    check_arbiter(request.arbiter_id, [player_id])
    check_deciders(request.decided_by, [player_id])
    player = sanctionable(state, player_id)
    expelled = situation.event(
        events.PlayerExpelled,
        request,
        player_id=player_id,
        round=max(len(state.played), 1),
        article=article_of(situation.ruleset.law.sanctions),
    )
    if player.withdrawn is None:
        leaving = pb.WithdrawPlayerRequest(player_id=player_id, running_game=pb.RUNNING_GAME_GIVEN_UP)
        return [expelled, *withdraw(situation, leaving)]
    game = state.open_round.running_game(player_id) if state.open_round is not None else ""
    if not game:
        return [expelled]
    gave_up = situation.event(events.PlayerWithdrawn, player_id=player_id, round=player.withdrawn, game_id=game)
    return [expelled, gave_up]


def lift_expulsion(situation: Situation, request: pb.LiftExpulsionRequest) -> list[Message]:
    """Lift an expulsion, by those who decided on it, and reinstate the player.

    Lost games stay lost, and an earlier withdrawal stays in force. Raises ``Invalid`` without deciders. Raises
    ``Refusal`` if a tribunal was appointed (FISE 49), or if the player is in another division.
    """
    check_deciders(request.decided_by, [request.player_id])
    check_no_tribunal(situation)
    return readmit(situation, request.player_id, request.decided_by, request.note)


def readmit(situation: Situation, player_id: str, decided_by: Sequence[str], note: str) -> list[Message]:
    """Lift an expulsion on appeal or after a mistake, which needs no deciders."""
    player = find_registered_player(situation.state, player_id)
    if not player.expelled:
        raise Refusal("NOT_EXPELLED", N_("{player} has not been expelled."), {"player": player_id})
    lifted = situation.event(
        events.ExpulsionLifted,
        player_id=player_id,
        round=max(len(situation.state.played), 1),
        decided_by=decided_by,
        note=note,
    )
    if player.left_before:
        return [lifted]
    return [lifted, *reinstate(situation, pb.ReinstatePlayerRequest(player_id=player_id), lifted=True)]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.ExpelPlayerRequest: PairingCommand(expel, concerned=of_player),
    pb.LiftExpulsionRequest: PairingCommand(lift_expulsion, divisions=True),
}
