"""News for officials as server-sent events: all that the public hears, and what their role and scope let them know."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AfterValidator, Field
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.consoles.own_stream import OwnStream, begun, over_restarts
from faristol.gateway.frames import News, heartbeat
from faristol.gateway.parameters import DIGITS, KNOWN, LAST_POSITION
from faristol.gateway.session import calls, holder_of
from faristol.gateway.topics import LONGEST, NAMES, NUMBERS, PUBLIC, TYPE_NAMES, LastPosition, Tournaments, known_type
from faristol.kernel import facts
from faristol.pb.access.v1.access_pb2 import GetCallerRequest
from faristol.pb.event.v1.event_pb2 import AUDIENCE_OFFICIALS
from faristol.pb.results.v1 import results_pb2 as pb

AGAIN = 0.5
"""Seconds until the news is asked for again that broke off."""

AWAY = "the news cannot be reached at the moment"

TOLD = PUBLIC | frozenset(kind.DESCRIPTOR.name for kind in facts.told_to(AUDIENCE_OFFICIALS))
"""The types of news for officials."""


class OfficialNews(News):
    """One piece of news for officials, as the stream's `data`."""

    case_id: str = Field(description="The case that it is of; empty for none.")


def _known(types: str) -> str:
    return known_type(types, TOLD)


routes = APIRouter(prefix="/api/v1", include_in_schema=False, dependencies=[KNOWN])


@routes.get("/officials/stream")
async def follow_as_official(
    request: Request,
    tournaments: Tournaments = "",
    games: Annotated[str, Query(max_length=LONGEST, pattern=NAMES)] = "",
    rounds: Annotated[str, Query(max_length=LONGEST, pattern=NUMBERS)] = "",
    tables: Annotated[str, Query(max_length=LONGEST, pattern=NUMBERS)] = "",
    types: Annotated[str, Query(max_length=LONGEST, pattern=TYPE_NAMES), AfterValidator(_known)] = "",
    after: Annotated[int, Query(ge=0, le=LAST_POSITION), DIGITS] = 0,
    last_event_id: LastPosition = None,
) -> Response:
    """News from a position on, then live, without gaps; `Last-Event-ID` and the filters as of the public stream.

    Without `tournaments` it is of those in the holder's scope. What they may not know comes not, and moves the `id` on.
    Needs a token, or the cookie of signing in, of a scorer, an arbiter, a judge, a director or the federation. An event
    `ended` comes last where the credential has ended.
    """
    own = calls(request, holder_of(request))
    who = await own.ask(GetCallerRequest())
    named = [*filter(None, tournaments.split(","))] or sorted(who.credential.scope.tournament_ids)
    wanted = pb.FollowRequest(
        tournament_id=named[0] if named else "",
        tournament_ids=named,
        after_position=after if last_event_id is None else last_event_id,
        game_ids=filter(None, games.split(",")),
        rounds=map(int, filter(None, rounds.split(","))),
        tables=map(int, filter(None, tables.split(","))),
        types=filter(None, types.split(",")),
        marks=True,
        for_officials=True,
    )

    def told(news: pb.FollowResponse) -> bytes:
        wanted.after_position = news.position
        return _frame(news) if news.type else heartbeat(news.position).frames

    return OwnStream(await begun(over_restarts(own, wanted, told, AWAY, AGAIN)))


def _frame(news: pb.FollowResponse) -> bytes:
    data = OfficialNews.of(news).model_dump_json()
    return f"id: {news.position}\nevent: {news.type}\ndata: {data}\n\n".encode()
