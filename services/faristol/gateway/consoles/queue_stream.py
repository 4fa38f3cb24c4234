"""Queue of a judge as server-sent events, sent at the start and after every change."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from faristol.gateway.auth.session import calls, holder_of
from faristol.gateway.consoles.own_stream import OwnStream, event, follow_over_restarts, wait_for_first
from faristol.gateway.rpc.json_proxy import in_json
from faristol.pb.access.v1.access_pb2 import GetCallerRequest
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb

QUEUE_RETRY_SECONDS = 1.0
"""Delay in seconds before an unavailable service is called again."""

QUEUE_UNAVAILABLE = "the queue cannot be reached at the moment"

routes = APIRouter(prefix="/api/v1", include_in_schema=False)


@routes.get("/judges/queue")
async def follow_queue(
    request: Request,
    language: Annotated[str, Query(max_length=20, pattern="^[A-Za-z-]*$")] = "",
) -> Response:
    """Stream the cases that the judge may claim, as events `queue` with the fields of `WatchQueueResponse`.

    Each event replaces the one before, so there is no resumption. `language` selects the cases of one language. Needs a
    token, or the cookie of a session, of a judge, an arbiter or a director. An event `ended` comes last if the
    credential has ended.
    """
    own = calls(request, holder_of(request))
    who = await own.ask(GetCallerRequest())
    wanted = pb.WatchQueueRequest(judge_id=who.credential.subject_id, language=language)
    return OwnStream(
        await wait_for_first(follow_over_restarts(own, wanted, _event, QUEUE_UNAVAILABLE, QUEUE_RETRY_SECONDS))
    )


def _event(queue: pb.WatchQueueResponse) -> bytes:
    return event("queue", in_json(queue))
