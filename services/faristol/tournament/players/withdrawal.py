"""The withdrawal and reinstatement of players. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from faristol.kernel.mentions import players_of
from faristol.kernel.refusal import N_, Refusal
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.administration.divisions import check_in_no_other, check_not_moved
from faristol.tournament.conditions import build_expelled_refusal, find_registered_player
from faristol.tournament.situation import PairingCommand, Situation, Undo
from faristol.tournament.state import Phase


def withdraw(situation: Situation, request: pb.WithdrawPlayerRequest, *, since: int | None = None) -> list[Message]:
    """Withdraw a player. A paired round that is not started must be paired again, or starts without the player.

    ``running_game`` states whether a running game is given up. If so, the event names it, and its table ends it by the
    book (FISC I.8.E). ``since`` is the first round without the player, if there are missed rounds. Raises ``Refusal``
    if a game is running and ``running_game`` is unspecified.
    """
    state, player_id = situation.state, request.player_id
    player = find_registered_player(state, player_id)
    if player.withdrawn is not None:
        raise Refusal(
            "WITHDRAWN",
            N_("{player} has already withdrawn, from round {round} on."),
            {"player": player_id, "round": player.withdrawn},
        )
    current = state.open_round
    number, game = len(state.played) + 1, ""
    if current is not None and player.takes_part(current.number):
        if current.phase is Phase.PAIRED:
            number = current.number
        else:
            game = current.running_game(player_id)
    if game and request.running_game == pb.RUNNING_GAME_UNSPECIFIED:
        raise Refusal(
            "GAME_RUNNING",
            N_(
                "{player} is playing {game}: specify with running_game whether the game is given up or played to "
                "its end."
            ),
            {"player": player_id, "game": game},
            subject=f"games/{game}",
        )
    return [
        situation.event(
            events.PlayerWithdrawn,
            player_id=player_id,
            round=number if since is None else min(since, number),
            game_id=game if request.running_game == pb.RUNNING_GAME_GIVEN_UP else "",
            note=request.note,
        )
    ]


def reinstate(situation: Situation, request: pb.ReinstatePlayerRequest, *, lifted: bool = False) -> list[Message]:
    """Reinstate a withdrawn player. Rounds paired since the withdrawal stay missed.

    Raises ``Refusal`` for an expelled player, unless ``lifted``, and for a player who takes part in another division.
    """
    state, player_id = situation.state, request.player_id
    player = find_registered_player(state, player_id)
    if player.expelled and not lifted:
        raise build_expelled_refusal(player)
    if player.withdrawn is None:
        raise Refusal("NOT_WITHDRAWN", N_("{player} has not withdrawn."), {"player": player_id})
    check_in_no_other(player_id, situation.divisions)
    current = state.open_round
    paired = current is not None and player_id in current.player_ids
    number = current.number if current is not None and paired else len(state.played) + 1
    back = max(number, player.withdrawn)
    return [situation.event(events.PlayerReinstated, player_id=player_id, round=back, note=request.note)]


COMMANDS: Mapping[type[Message], PairingCommand] = {
    pb.WithdrawPlayerRequest: PairingCommand(withdraw, tells=events.PlayerWithdrawn),
    pb.ReinstatePlayerRequest: PairingCommand(reinstate, tells=events.PlayerReinstated, divisions=True),
}


def withdrawal_of(
    act: events.PlayerRegistered | events.LateEntryAdmitted | events.PlayerReinstated, before: Sequence[Message]
) -> Message:
    """Build the command that undoes a registration or a reinstatement."""
    return pb.WithdrawPlayerRequest(player_id=act.player_id, running_game=pb.RUNNING_GAME_PLAYED_OUT)


def _withdraw_again(situation: Situation, version: int, note: str) -> list[Message]:
    back = situation.act(version)
    since = next(
        event.round
        for event in reversed(situation.past_events[:version])
        if isinstance(event, events.PlayerWithdrawn) and event.player_id == back.player_id
    )
    request = pb.WithdrawPlayerRequest(player_id=back.player_id, note=note, running_game=pb.RUNNING_GAME_PLAYED_OUT)
    return withdraw(situation, request, since=since)


_TAKING_PART = ("taking part", "player_id")


def _withdrawal_rests(act: events.PlayerWithdrawn, later: Message) -> bool:
    lost = isinstance(later, events.ResultRecorded) and later.game_id == act.game_id
    return lost or (isinstance(later, events.RoundPaired) and later.round >= act.round)


def _return_rests(act: events.PlayerReinstated, later: Message) -> bool:
    return isinstance(later, events.RoundPaired) and act.player_id in players_of(later)


UNDO: Mapping[type[Message], Undo] = {
    events.PlayerWithdrawn: Undo(pb.ReinstatePlayerRequest, thing=_TAKING_PART, rests=_withdrawal_rests),
    events.PlayerReinstated: Undo(
        withdrawal_of, _withdraw_again, thing=_TAKING_PART, rests=_return_rests, check=check_not_moved
    ),
}
