"""Links to the pages of a hall's own cell, for the tables on which it decides."""

from __future__ import annotations

import grpc

from faristol.client.links import sign_in_link
from faristol.gateway.rpc.calls import Calls
from faristol.pb.access.v1.access_pb2 import GetHallCodeRequest, GetHallCodeResponse
from faristol.pb.results.v1 import results_pb2 as pb


def address_of_hall(tournament: pb.Tournament, hall: str) -> str:
    """Return the address of the cell of a hall, without a slash at the end; empty without a cell or its address."""
    found = next((cell.address for cell in tournament.hall_cells if cell.hall == hall), "")
    return found.rstrip("/")


def link_to_hall(tournament: pb.Tournament, hall: str, path: str, code: str = "") -> str:
    """Return the link to a path of a hall's cell; empty if its address is unknown. A ``code`` signs in there."""
    address = address_of_hall(tournament, hall)
    if not address:
        return ""
    return sign_in_link(address, code, path) if code else f"{address}{path}"


async def find_hall_code(calls: Calls, tournament_id: str, cell_hall: str, own_hall: str) -> str:
    """Return the code by which the user signs in at the cell of a hall; empty for a table of this cell.

    It is empty too for a user whom the hall does not know, and while the access service is unavailable: the link then
    leads to the page without signing in.
    """
    if cell_hall in {"", own_hall}:
        return ""
    try:
        answer: GetHallCodeResponse = await calls.ask(GetHallCodeRequest(tournament_id=tournament_id, hall=cell_hall))
    except grpc.aio.AioRpcError:
        return ""
    return answer.code.code
