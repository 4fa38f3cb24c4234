"""State of the cell of a hall, which a bar on each of its pages shows: its line, and events that are not sent yet."""

from __future__ import annotations

from datetime import datetime, timedelta
from http import HTTPStatus

import grpc
from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from faristol.gateway.auth.session import calls
from faristol.gateway.http.language import language_of
from faristol.gateway.rpc.results import Reader
from faristol.kernel.refusal import N_
from faristol.kernel.times import to_datetime
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.text import say, when

NOT_JOINED = N_("not connected to a championship yet")
CONNECTED = N_("connected to the championship")
BEHIND = N_("without the championship since {moment}")
REFUSED = N_("the championship refuses this laptop: see its status")
UNSENT = N_("{count} {count:event|events} not sent yet")

UNSENT_SHOWN_AFTER = timedelta(seconds=15)
"""Age from which unsent events are shown while the line is up: a shorter one is their usual way."""

routes = APIRouter(include_in_schema=False)


@routes.get("/hall-state")
async def get_hall_state(request: Request, results: Reader) -> Response:
    """Return the state of this cell as texts. Raises ``HTTPException`` (404) in a championship."""
    if not request.app.state.hall:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    found: pb.GetHallCellResponse = await calls(request).ask(pb.GetHallCellRequest())
    state, line = describe_line(found, await _time_zone(results, found.tournament_id), language_of(request))
    body = {
        "state": state,
        "line": line,
        "unsent": describe_unsent(found, language_of(request)),
        "championship": found.pages_address,
    }
    return JSONResponse(body, headers={"Cache-Control": "no-store"})


def describe_line(found: pb.GetHallCellResponse, time_zone: str, language: str) -> tuple[str, str]:
    """Return the state of the line as a word for scripts, and as a text."""
    if found.HasField("behind_since"):
        return "behind", say(BEHIND, {"moment": when(to_datetime(found.behind_since), time_zone, language)}, language)
    if found.problem:
        return "refused", say(REFUSED, {}, language)
    if not found.tournament_id:
        return "new", say(NOT_JOINED, {}, language)
    return "connected", say(CONNECTED, {}, language)


def describe_unsent(found: pb.GetHallCellResponse, language: str) -> str:
    """Return the number of events that wait for the line, as a text; empty if none waits longer than usual."""
    if not found.unsent:
        return ""
    now: datetime = to_datetime(found.now)
    if not found.HasField("behind_since") and now - to_datetime(found.unsent_since) < UNSENT_SHOWN_AFTER:
        return ""
    return say(UNSENT, {"count": found.unsent}, language)


async def _time_zone(results: Reader, tournament_id: str) -> str:
    """Return the time zone of the tournament; empty, for UTC, before the cell has it."""
    if not tournament_id:
        return ""
    try:
        return (await results.tournament(tournament_id)).tournament.time_zone
    except grpc.aio.AioRpcError:
        return ""
