"""Players' requests: for correction and erasure of their data, for byes and withdrawals, with the answers."""

from __future__ import annotations

from collections.abc import Mapping

from faristol.event_store import Record, Recorded
from faristol.host.rpc.dispatch import Context
from faristol.kernel import event_types
from faristol.kernel.likeness import like
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.personal_data import people
from faristol.tournament.command_handling.handler import PairingHandler
from faristol.tournament.conditions import build_not_registered_refusal, check_registered
from faristol.tournament.players.check_in import was_paired
from faristol.tournament.players.requests import list_open_rounds
from faristol.tournament.state import PlayerRequest, TournamentState, stream

_DATA_REQUEST_TYPES = event_types.types_of([events.DataRequestLodged, events.DataRequestAnswered])

_READ_COUNT = 1_000
"""Events per query."""


async def list_data_requests(
    handler: PairingHandler, request: pb.ListDataRequestsRequest, context: Context
) -> pb.ListDataRequestsResponse:
    """Return the requests of one tournament or all, and of one player or all, oldest first."""
    record = handler.record
    if request.tournament_id:
        await handler.load(request.tournament_id)
    recorded = await _load_events(record, request.tournament_id or None)
    notes = {
        tournament: await record.notes_of(stream(tournament)) for tournament in {each.tournament for each in recorded}
    }
    found: dict[tuple[str, int], pb.DataRequest] = {}
    for event in recorded:
        message, words = event.message, notes[event.tournament].get(event.version, "")
        if isinstance(message, events.DataRequestLodged):
            found[event.tournament, message.request] = pb.DataRequest(
                tournament_id=event.tournament,
                request=message.request,
                player_id=message.player_id,
                kind=message.kind,
                state=pb.DATA_REQUEST_STATE_WAITING,
                note=words,
                lodged_at=message.occurred_at,
            )
        elif isinstance(message, events.DataRequestAnswered):
            answered = found[event.tournament, message.request]
            answered.state = pb.DATA_REQUEST_STATE_GRANTED if message.granted else pb.DATA_REQUEST_STATE_REFUSED
            answered.answer = words
            answered.answered_at.CopyFrom(message.occurred_at)
    wanted = [each for each in found.values() if request.player_id in ("", each.player_id)]
    await _name(handler, wanted)
    return pb.ListDataRequestsResponse(requests=wanted)


async def get_personal_details(
    handler: PairingHandler, request: pb.GetPersonalDetailsRequest, context: Context
) -> pb.GetPersonalDetailsResponse:
    """Return the details of a player. Raises ``Refusal`` if the player is not registered in the tournament."""
    state = (await handler.load(request.tournament_id)).state
    check_registered(state, request.player_id)
    known = await people.names(handler.record, [request.player_id])
    return pb.GetPersonalDetailsResponse(
        details=known[request.player_id].details if request.player_id in known else None
    )


async def _load_events(record: Record, tournament: str | None) -> list[Recorded]:
    """Return all events of data requests, in order."""
    found: list[Recorded] = []
    while True:
        page = await record.read(
            found[-1].position if found else 0, tournament=tournament, types=_DATA_REQUEST_TYPES, limit=_READ_COUNT
        )
        found += page
        if len(page) < _READ_COUNT:
            return found


async def _name(handler: PairingHandler, requests: list[pb.DataRequest]) -> None:
    """Set the names of persons and tournaments, and the state of requests of erased persons."""
    ids = {each.player_id for each in requests}
    known = await people.names(handler.record, ids)
    async with handler.record.reading() as connection:
        erased = await people.all_erased(connection, ids)
    states: Mapping[str, TournamentState] = {
        tournament: (await handler.load(tournament)).state for tournament in {each.tournament_id for each in requests}
    }
    for each in requests:
        each.tournament_name = states[each.tournament_id].name
        if person := known.get(each.player_id):
            each.MergeFrom(pb.DataRequest(**person.known))
        if each.player_id in erased:
            each.state = pb.DATA_REQUEST_STATE_ERASED


async def list_player_requests(
    handler: PairingHandler, request: pb.ListPlayerRequestsRequest, context: Context
) -> pb.ListPlayerRequestsResponse:
    """List the requests of all players or of one, and the actions open to that one.

    Raises ``Refusal`` for a person who is not a player.
    """
    state = (await handler.load(request.tournament_id)).state
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
