"""The pages of a table for who keeps it, the scorer's and that of the clock."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

import grpc
from fastapi import APIRouter, Path
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.credentials.needs import CALLERS
from faristol.gateway.calls import Calls
from faristol.gateway.consoles.commands import hidden
from faristol.gateway.consoles.doors import doors
from faristol.gateway.consoles.scorer.about import about, as_data
from faristol.gateway.language import language_of
from faristol.gateway.page import private_page
from faristol.gateway.results import Reader, Results
from faristol.gateway.session import OwnCalls, Session, SignedIn
from faristol.pb.access.v1 import needs_pb2
from faristol.pb.game.v1 import game_pb2

KEEPERS = CALLERS[needs_pb2.CALLERS_KEEPERS]
"""Who may keep a table."""

GameId = Annotated[str, Path(max_length=80)]

routes = APIRouter(include_in_schema=False)


@routes.get("/games/{game_id}/keep")
async def keep_table(
    request: Request, results: Reader, calls: OwnCalls, signed_in: SignedIn, game_id: GameId
) -> Response:
    """The scorer's page."""
    return await _table_page(request, results, calls, signed_in, game_id, "keep.html")


@routes.get("/games/{game_id}/clock")
async def keep_clock(
    request: Request, results: Reader, calls: OwnCalls, signed_in: SignedIn, game_id: GameId
) -> Response:
    """The clock page."""
    return await _table_page(request, results, calls, signed_in, game_id, "clock.html")


async def _table_page(
    request: Request, results: Results, calls: Calls, session: Session, game_id: str, template: str
) -> Response:
    """A page of a table; for who may not keep it there is none."""
    if session.credential.role not in KEEPERS:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    with hidden(grpc.StatusCode.PERMISSION_DENIED, grpc.StatusCode.NOT_FOUND):
        await calls.ask(game_pb2.ListOffersRequest(game_id=game_id))
    game = await results.game(game_id)
    told = about(game, session, language_of(request))
    head = await results.tournament(game.tournament_id)
    ways = list(doors(session, head.tournament))
    return private_page(request, template, session=session, game=game, about=as_data(told), doors=ways)
