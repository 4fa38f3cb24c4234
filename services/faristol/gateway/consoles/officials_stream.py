"""Notifications for officials as server-sent events: public ones, and those that the user's role and scope permit."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AfterValidator
from starlette.requests import Request
from starlette.responses import Response

from faristol.fanout import UNREADABLE, heartbeat, parse_id
from faristol.gateway.api.event_types import RESET
from faristol.gateway.api.parameters import DIGITS, KNOWN, LAST_POSITION
from faristol.gateway.auth.session import calls, holder_of
from faristol.gateway.consoles.own_stream import OwnStream, StreamReset, follow_over_restarts, wait_for_first
from faristol.gateway.http.errors import NUMBERS
from faristol.gateway.live.notifications import frame
from faristol.gateway.live.subscriptions import (
    MAX_LIST_CHARACTERS,
    NAMES_PATTERN,
    PUBLIC,
    TYPE_NAMES,
    LastEventId,
    LastEventIdQuery,
    Tournaments,
    known_type,
)
from faristol.kernel import event_types
from faristol.pb.access.v1.access_pb2 import GetCallerRequest
from faristol.pb.event.v1.event_pb2 import AUDIENCE_OFFICIALS
from faristol.pb.results.v1 import results_pb2 as pb

RESUBSCRIBE_SECONDS = 0.5
"""Delay in seconds before an interrupted subscription is renewed."""

NEWS_UNAVAILABLE = "the news cannot be reached at the moment"

OFFICIALS_EVENTS = PUBLIC | frozenset(
    kind.DESCRIPTOR.name for kind in event_types.types_for_audience(AUDIENCE_OFFICIALS)
)
"""Types of notifications for officials."""


def _check_types(types: str) -> str:
    return known_type(types, OFFICIALS_EVENTS)


routes = APIRouter(prefix="/api/v1", include_in_schema=False, dependencies=[KNOWN])


@routes.get("/officials/stream")
async def follow_as_official(
    request: Request,
    tournaments: Tournaments = "",
    games: Annotated[str, Query(max_length=MAX_LIST_CHARACTERS, pattern=NAMES_PATTERN)] = "",
    rounds: Annotated[str, Query(max_length=MAX_LIST_CHARACTERS, pattern=NUMBERS)] = "",
    tables: Annotated[str, Query(max_length=MAX_LIST_CHARACTERS, pattern=NUMBERS)] = "",
    types: Annotated[str, Query(max_length=MAX_LIST_CHARACTERS, pattern=TYPE_NAMES), AfterValidator(_check_types)] = "",
    after: Annotated[int, Query(ge=0, le=LAST_POSITION), DIGITS] = 0,
    last_event_id: LastEventId = None,
    last_event_id_query: LastEventIdQuery = None,
) -> Response:
    """Stream notifications from a position on, then live, without gaps.

    `Last-Event-ID` and the filters work as in the public stream. Without `tournaments`, those in the scope of the
    credential are streamed. Hidden notifications only advance the `id`. Needs a token, or the cookie of a session, of a
    scorer, an arbiter, a judge, a director or the federation. An event `ended` comes last if the credential has ended.
    """
    last_id = last_event_id or last_event_id_query
    after, fingerprint = parse_id(last_id) if last_id else (after, "")
    own = calls(request, holder_of(request))
    who = await own.ask(GetCallerRequest())
    named = [*filter(None, tournaments.split(","))] or sorted(who.credential.scope.tournament_ids)
    wanted = pb.FollowRequest(
        tournament_id=named[0] if named else "",
        tournament_ids=named,
        after_position=after,
        game_ids=filter(None, games.split(",")),
        rounds=map(int, filter(None, rounds.split(","))),
        tables=map(int, filter(None, tables.split(","))),
        types=filter(None, types.split(",")),
        marks=True,
        for_officials=True,
    )

    past = _Past(wanted, fingerprint)
    return OwnStream(
        await wait_for_first(follow_over_restarts(own, wanted, past.frame, NEWS_UNAVAILABLE, RESUBSCRIBE_SECONDS))
    )


class _Past:
    """Last notification that a client received, compared with the record whenever the subscription is renewed."""

    def __init__(self, wanted: pb.FollowRequest, fingerprint: str) -> None:
        """Start after a position. ``fingerprint`` is that of the event there; empty if unknown."""
        self._wanted = wanted
        self._fingerprint = fingerprint

    def frame(self, news: pb.FollowResponse) -> bytes:
        """Encode a notification or a bare position. Raises ``StreamReset`` if the record has a different past."""
        if not news.type and self._is_other(news):
            self._wanted.after_position, self._fingerprint = 0, ""
            reset = pb.FollowResponse(type=RESET)
            reset.recorded_at.GetCurrentTime()
            raise StreamReset(_frame(reset))
        self._wanted.after_position, self._fingerprint = news.position, news.fingerprint
        return _frame(news) if news.type else heartbeat(news.position, news.fingerprint).frames

    def _is_other(self, mark: pb.FollowResponse) -> bool:
        last, known = self._wanted.after_position, self._fingerprint
        if mark.position > last or not known:
            return False
        return known == UNREADABLE or mark.position < last or mark.fingerprint not in {"", known}


def _frame(news: pb.FollowResponse) -> bytes:
    return frame(news, case_id=news.case_id)
