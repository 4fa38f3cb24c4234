"""State of the cell of a hall, which a bar on each of its pages shows: its line, and events that are not sent yet."""

from __future__ import annotations

from contextlib import suppress
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
from faristol.kernel.topics import place_of
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.results.v1 import results_pb2 as results_pb
from faristol.text import say, when

NOT_JOINED = N_("not connected to a championship yet")
BEHIND = N_("without the championship since {moment}")
RELEASED = N_("released by the director: its tables are decided in the championship")
CANNOT_JOIN = N_("cannot join the championship: see its status")
REFUSED = N_("the championship refuses this laptop: see its status")
LOST_TABLES = N_("tables decided in the championship: {tables}")
UNSENT = N_("{count} {count:event|events} not sent yet")

UNSENT_SHOWN_AFTER = timedelta(seconds=15)
"""Age from which unsent events are shown while the line is up: a shorter one is their usual way."""

routes = APIRouter(include_in_schema=False)


@routes.get("/hall-state")
async def get_hall_state(request: Request, results: Reader) -> Response:
    """Return the state of this cell as texts. Raises ``HTTPException`` (404) in a championship."""
    if not request.app.state.hall:
        raise HTTPException(HTTPStatus.NOT_FOUND)
    found = await calls(request).ask(pb.GetHallCellRequest())
    tournament = await _load_tournament(results, found.tournament_id)
    state, line = describe_line(found, tournament.time_zone, language_of(request))
    body = {
        "state": state,
        "line": line,
        "unsent": describe_unsent(found, language_of(request)),
        "lost": describe_lost(found, tournament, language_of(request)),
        "championship": found.pages_address,
    }
    return JSONResponse(body, headers={"Cache-Control": "no-store"})


def describe_line(found: pb.GetHallCellResponse, time_zone: str, language: str) -> tuple[str, str]:
    """Return the state of the line as a word for scripts, and as a text."""
    if found.released:
        return "released", say(RELEASED, {}, language)
    if found.HasField("behind_since"):
        return "behind", say(BEHIND, {"moment": when(to_datetime(found.behind_since), time_zone, language)}, language)
    if found.problem:
        return "refused", say(REFUSED if found.tournament_id else CANNOT_JOIN, {}, language)
    if not found.tournament_id:
        return "new", say(NOT_JOINED, {}, language)
    return "connected", say(N_("connected to the championship"), {}, language)


def describe_unsent(found: pb.GetHallCellResponse, language: str) -> str:
    """Return the number of events that wait for the line, as a text; empty if none waits longer than usual."""
    if not found.unsent:
        return ""
    now: datetime = to_datetime(found.now)
    if not found.HasField("behind_since") and now - to_datetime(found.unsent_since) < UNSENT_SHOWN_AFTER:
        return ""
    return say(UNSENT, {"count": found.unsent}, language)


def describe_lost(found: pb.GetHallCellResponse, tournament: results_pb.Tournament, language: str) -> str:
    """Return the tables that the hall has lost in the last round, as a text; empty without one, and after a release."""
    places = map(place_of, found.lost_game_ids)
    last = tournament.played[-1].round if tournament.played else 0
    tables = sorted(table for of, number, table in places if (of, number) == (tournament.tournament_id, last))
    if found.released or not tables:
        return ""
    return say(LOST_TABLES, {"tables": ", ".join(map(str, tables))}, language)


async def _load_tournament(results: Reader, tournament_id: str) -> results_pb.Tournament:
    """Return the tournament; an empty one, with UTC as its time zone, before the cell has it."""
    if tournament_id:
        with suppress(grpc.aio.AioRpcError):
            return (await results.tournament(tournament_id)).tournament
    return results_pb.Tournament()
