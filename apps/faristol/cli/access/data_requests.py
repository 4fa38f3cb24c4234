"""`faristol data-request list`: requests of players for correction or erasure, and their answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from faristol.cli.completion import tournaments
from faristol.cli.options import Address, AsJson
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.pairing.v1 import pairing_pb2 as pb
from faristol.presentation.labels import DATA_REQUEST_STATES, DATA_REQUESTS
from faristol.table_terminal.shared.common import localize, print_answer
from faristol.table_terminal.shared.names import tournament_meant
from faristol.table_terminal.shared.services import ask_service

NO_REQUESTS = N_("There are no requests.")

InTournament = Annotated[
    str,
    typer.Argument(
        metavar="[TOURNAMENT]",
        help="The tournament: its id or the beginning of its name; default: all.",
        autocompletion=tournaments,
        show_default=False,
    ),
]


def list_requests(tournament: InTournament = "", address: Address = None, json_output: AsJson = False) -> None:
    """List the requests of players for correction or erasure of their data, the oldest first, with their answers."""

    async def fetch_requests(stub: Any) -> pb.ListDataRequestsResponse:
        meant = await tournament_meant(tournament, address) if tournament else ""
        answer: pb.ListDataRequestsResponse = await stub.ListDataRequests(
            pb.ListDataRequestsRequest(tournament_id=meant)
        )
        return answer

    answer = ask_service("pairing", address, fetch_requests)
    print_answer(answer, list(_lines(answer)) or localize(NO_REQUESTS), json_output=json_output)


def _lines(answer: pb.ListDataRequestsResponse) -> Iterator[str]:
    for each in answer.requests:
        day = to_datetime(each.lodged_at).date()
        who = f"{each.name} ({each.player_id})" if each.name else each.player_id
        kind, state = localize(DATA_REQUESTS[each.kind]), localize(DATA_REQUEST_STATES[each.state])
        yield f"{each.tournament_id} {each.request}  {day}  {who}  {kind}: {state}"
        yield from (f"    {words}" for words in (each.note, each.answer) if words)
