"""Pages of a table: the scorer's and that of the clock."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

import grpc
from fastapi import APIRouter, Path
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.access_control.needs import CALLERS
from faristol.gateway.auth.session import OwnCalls, SignedIn
from faristol.gateway.consoles.commands import hide_errors
from faristol.gateway.consoles.navigation import list_console_links
from faristol.gateway.consoles.scorer.about import about, as_data
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.hall_links import find_hall_code
from faristol.gateway.pages.render import private_page
from faristol.gateway.rpc.results import OwnReader
from faristol.pb.access.v1 import needs_pb2
from faristol.pb.game.v1 import game_pb2

SCORER_ROLES = CALLERS[needs_pb2.CALLERS_KEEPERS]
"""Roles that may record a table."""

GameId = Annotated[str, Path(max_length=80)]

routes = APIRouter(include_in_schema=False)


@routes.get("/games/{game_id}/keep")
@routes.get("/games/{game_id}/clock")
async def keep_table(
    request: Request, results: OwnReader, calls: OwnCalls, session: SignedIn, game_id: GameId
) -> Response:
    """Show the scorer's page or that of the clock; 404 if the user may not record the table."""
    if session.credential.role not in SCORER_ROLES:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    with hide_errors(grpc.StatusCode.PERMISSION_DENIED):
        await calls.ask(game_pb2.ListOffersRequest(game_id=game_id))
    game = await results.game(game_id)
    described = about(game, session, language_of(request))
    head = await results.tournament(game.tournament_id)
    cell_hall = "" if game.final else game.cell_hall
    hall_code = await find_hall_code(calls, game.tournament_id, cell_hall, request.app.state.hall)
    ways = list(list_console_links(session, head.tournament))
    template = "keep.html" if request.url.path.endswith("/keep") else "clock.html"
    return private_page(
        request,
        template,
        session=session,
        game=game,
        tournament=head.tournament,
        hall_code=hall_code,
        about=as_data(described),
        console_links=ways,
    )
