"""Players' requests for byes and withdrawals, and the actions open to a player."""

from __future__ import annotations

from faristol.host.rpc.dispatch import Context
from faristol.kernel.likeness import like
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.conditions import build_not_registered_refusal
from faristol.tournament.players.check_in import was_paired
from faristol.tournament.players.requests import list_open_rounds
from faristol.tournament.state import PlayerRequest


async def list_player_requests(
    office: PairingHandler, request: pb.ListPlayerRequestsRequest, context: Context
) -> pb.ListPlayerRequestsResponse:
    """List the requests of all players or of one, and the actions open to that one.

    Raises ``Refusal`` for a person who is not a player.
    """
    state = (await office.load(request.tournament_id)).state
    wanted = request.player_id
    answer = like(
        pb.ListPlayerRequestsResponse,
        state.player_acts,
        requests=[
            _to_message(number, asked)
            for number, asked in enumerate(state.player_requests, start=1)
            if wanted in {"", asked.player_id}
        ],
    )
    if not wanted:
        return answer
    player = state.player(wanted)
    if player is None:
        raise build_not_registered_refusal(state, wanted)
    answer.checked_in = player.checked_in
    answer.awaited = player.withdrawn is None and not state.over and not was_paired(state, player)
    answer.sanctioned = wanted in state.sanctioned
    answer.withdrawn_round = player.withdrawn or 0
    answer.bye_rounds.extend(sorted(player.byes))
    answer.open_rounds.extend(list_open_rounds(state, wanted))
    return answer


def _to_message(number: int, asked: PlayerRequest) -> pb.PlayerRequest:
    if asked.waits:
        state = pb.PLAYER_REQUEST_STATE_WAITING
    elif asked.taken_back:
        state = pb.PLAYER_REQUEST_STATE_TAKEN_BACK
    else:
        state = pb.PLAYER_REQUEST_STATE_GRANTED if asked.granted else pb.PLAYER_REQUEST_STATE_REFUSED
    return pb.PlayerRequest(request=number, player_id=asked.player_id, kind=asked.kind, round=asked.round, state=state)
