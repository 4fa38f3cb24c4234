"""The players of a tournament without the licence that it requires."""

from __future__ import annotations

from faristol.host.rpc.dispatch import Context
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.players.licences import has_licence, licence_day
from faristol.tournament.situation import Situation


async def list_missing_licences(
    office: PairingHandler, request: pb.ListMissingLicencesRequest, context: Context
) -> pb.ListMissingLicencesResponse:
    """Return the players without the licence who have not withdrawn, with the exceptions."""
    state = (await office.load(request.tournament_id)).state
    day = licence_day(Situation(state, now=office.runtime.now()))
    answer = pb.ListMissingLicencesResponse(required=state.licence.required, kind=state.licence.kind, day=day)
    persons, _ = await office.persons_register(state)
    for player in state.players:
        if player.withdrawn is not None or has_licence(state, persons, player.player_id, day):
            continue
        entry = persons.entries.get(player.player_id)
        answer.players.add(
            player_id=player.player_id,
            is_registered=entry is not None,
            valid_to=entry.last_day(state.licence.kind) if entry else "",
            has_exception=player.player_id in state.licence.exceptions,
        )
    return answer
