"""Page that the code on the wall opens: a player signs in with the code given before, and checks in.

A phone without a network keeps the check-in and sends it later (``static/here.js``). The service gives it the time of
its arrival.
"""

from __future__ import annotations

from http import HTTPStatus

import grpc
from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.access_control.roles import PLAYER
from faristol.gateway.auth.session import Session, SignedIn, calls, session
from faristol.gateway.auth.sign_in import redirect_to
from faristol.gateway.consoles.commands import command_id, to_problem
from faristol.gateway.consoles.frame import TournamentId
from faristol.gateway.http.forms import Fields
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.render import private_page
from faristol.gateway.rpc.calls import NotSignedIn
from faristol.gateway.rpc.results import Reader
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.presentation.page_addresses import tournament_path

routes = APIRouter(include_in_schema=False)


def is_player_of(signed_in: Session | None, tournament_id: str) -> bool:
    """Check whether a session is of a player whose scope has a tournament."""
    if signed_in is None or signed_in.credential.role != PLAYER:
        return False
    scope = signed_in.credential.scope.tournament_ids
    return not scope or tournament_id in scope


@routes.get("/tournaments/{tournament_id}/here")
async def show_check_in(request: Request, results: Reader, tournament_id: TournamentId) -> Response:
    """Show the check-in: a button for a signed-in player, the form of the code for other visitors."""
    try:
        found: Session | None = await session(request)
    except NotSignedIn:
        found = None
    return await _show(request, results, tournament_id, found)


@routes.post("/tournaments/{tournament_id}/here")
async def check_in(
    request: Request, results: Reader, signed_in: SignedIn, given: Fields, tournament_id: TournamentId
) -> Response:
    """Check in the signed-in player. Raises ``HTTPException`` for other users."""
    if not is_player_of(signed_in, tournament_id):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    command = pairing.ConfirmPresenceRequest(
        command_id=command_id(given, "ConfirmPresence"),
        tournament_id=tournament_id,
        player_id=signed_in.credential.player_id,
    )
    try:
        await signed_in.calls.ask(command)
    except grpc.aio.AioRpcError as error:
        said = to_problem(error, language_of(request)).detail
        return await _show(request, results, tournament_id, signed_in, said)
    return redirect_to(tournament_path(tournament_id, "here"))


async def _show(
    request: Request, results: Reader, tournament_id: str, found: Session | None, said: str = ""
) -> Response:
    head = await results.tournament(tournament_id)
    state = pairing.ListPlayerRequestsResponse()
    is_player = is_player_of(found, tournament_id)
    pages_address = ""
    if request.app.state.hall:  # the championship assigns seats by the check-in
        cell = await calls(request).ask(hall_pb2.GetHallCellRequest())
        pages_address = cell.pages_address.rstrip("/")
    if found is not None and is_player:
        asked = pairing.ListPlayerRequestsRequest(tournament_id=tournament_id, player_id=found.credential.player_id)
        try:
            state = await found.calls.ask(asked)
        except grpc.aio.AioRpcError as error:
            said = said or to_problem(error, language_of(request)).detail
    return private_page(
        request,
        "here.html",
        status=HTTPStatus.CONFLICT if said else HTTPStatus.OK,
        session=found,
        tournament=head.tournament,
        is_player=is_player,
        player_id=found.credential.player_id if found and is_player else "",
        state=state,
        pages_address=pages_address,
        said=said,
    )
