"""The state of a hall's cell, for its own pages and commands."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from datetime import datetime

from google.protobuf.message import Message

from faristol.event_store.event import moment
from faristol.hall.credentials import CredentialFollower
from faristol.hall.follower import Follower
from faristol.hall.joining import PROGRAM_VERSION, Cell
from faristol.hall.sender import Sender
from faristol.host.rpc.dispatch import Answer, Context, Dispatcher, no_commands
from faristol.kernel.refusal import N_, Refusal
from faristol.kernel.times import to_timestamp
from faristol.pb.hall.v1 import hall_pb2 as pb

FOR_OTHER_HALL = N_("The file is for the hall {other} of {tournament}, and this laptop is that of {hall}.")
FOR_NO_HALL = N_("The file does not state its hall and its tournament: export it again at the championship.")


def service(
    cell: Cell, follower: Follower, sender: Sender, credentials: CredentialFollower, now: Callable[[], datetime]
) -> Dispatcher:
    """Return the service that shows the state of a hall's cell, and exports and imports its events."""

    async def get_hall_cell(request: pb.GetHallCellRequest, context: Context) -> pb.GetHallCellResponse:
        unsent, first = await sender.unsent()
        line, known = cell.line, cell.known
        behind = line.behind_since
        return pb.GetHallCellResponse(
            hall=cell.hall,
            championship=cell.of,
            tournament_id=known.tournament_id if known else "",
            heard_at=to_timestamp(line.heard_at) if line.heard_at else None,
            behind_since=to_timestamp(behind) if behind else None,
            position=follower.position,
            unsent=unsent,
            unsent_since=to_timestamp(moment(first)) if unsent else None,
            lost_game_ids=sorted(cell.lost),
            problem=line.problem,
            now=to_timestamp(now()),
            pages_address=known.pages_address if known else "",
            released=cell.is_released,
            version=PROGRAM_VERSION,
            championship_version=cell.championship_version,
        )

    async def export_events(
        request: pb.ExportEventsRequest, context: Context
    ) -> AsyncIterator[pb.ExportEventsResponse]:
        async for push in sender.export():
            yield pb.ExportEventsResponse(push=push)

    async def import_events(request: pb.ImportEventsRequest, context: Context) -> pb.ImportEventsResponse:
        if not (request.hall and request.tournament_id):
            raise Refusal("FILE_OF_NO_HALL", FOR_NO_HALL)
        here = cell.known.tournament_id if cell.known else request.tournament_id
        if (request.hall, request.tournament_id) != (cell.hall, here):
            params = {"other": request.hall, "tournament": request.tournament_id, "hall": cell.hall}
            raise Refusal("FILE_OF_OTHER_HALL", FOR_OTHER_HALL, params)
        position = await follower.take(request.after_position, request.response)
        if request.HasField("credentials"):
            await credentials.take(here, request.credentials)
        return pb.ImportEventsResponse(position=position)

    answers: Mapping[type[Message], Answer] = {
        pb.GetHallCellRequest: get_hall_cell,
        pb.ExportEventsRequest: export_events,
        pb.ImportEventsRequest: import_events,
    }
    return Dispatcher(pb.DESCRIPTOR.services_by_name["HallCellService"], (), no_commands, answers)
