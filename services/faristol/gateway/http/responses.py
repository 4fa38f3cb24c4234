"""Responses with tags, and the OpenAPI description of problems."""

from __future__ import annotations

import asyncio
import hashlib
import re
from typing import Any, Literal

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc
from pydantic import BaseModel, Field
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from faristol.gateway.api.contract_json import to_json, write_json
from faristol.gateway.api.openapi.document import ref, ref_to_answer
from faristol.gateway.cache.representation import is_known
from faristol.host.readiness import APPENDS, NEWS, READINESS_TIMEOUT_SECONDS, RECORD, Readiness


class FieldProblem(BaseModel):
    """Error of one field of a request."""

    field: str = Field(description="The parameter or header.", examples=["as_of"])
    problem: str = Field(description="The given and the expected value.")


class ProblemBody(BaseModel):
    """Error (RFC 9457), as `application/problem+json`. A problem may have more members than these."""

    type: str
    title: str
    status: int
    detail: str = Field(description="Text in the language of `lang` or `Accept-Language`.")
    instance: str
    reason: str = Field("", description="Reason for programs, such as `NOT_FOUND` or `RESULT_KNOWN`.")
    article: str = Field("", description="Article on which a refusal is based.")
    kind: str = Field("", description="Kind of the missing resource, for `NOT_FOUND`.", examples=["tournament"])
    id: str = Field("", description="Id of the resource.")
    instead: str = Field(
        "",
        description="Address to use instead, for `DUPLICATE_GAMES`, `DUPLICATE_GAME` and `NO_DUPLICATE_GAMES`.",
        examples=["/api/v1/tournaments/demo/duplicate-standings"],
    )
    field: str = Field("", description="Field that a service refused; also listed in `errors`.")
    errors: list[FieldProblem] = Field([], description="Invalid fields of a malformed request.")


class Health(BaseModel):
    """Liveness of the gateway."""

    status: str


class Ready(BaseModel):
    """Readiness of the gateway. It is ready while the record responds."""

    status: Literal["ready", "not ready"]
    record: bool = Field(description="The record is available.")
    appends: bool = Field(description="The record accepts events; false while its disk is full.")
    news: bool = Field(description="NATS is available. Without it, pages are refreshed with a short delay.")
    parked: bool = Field(
        description="Failed events are parked, so some answers stay at an older position. The gateway is still ready; "
        "`/api/v1/status` lists the tournaments.",
    )

    @classmethod
    def of(cls, readiness: Readiness) -> Ready:
        """Build the answer from the readiness of this process."""
        looked = {name: not readiness.fails(name) for name in (RECORD, APPENDS, NEWS)}
        status: Literal["ready", "not ready"] = "ready" if readiness.is_ready("gateway") else "not ready"
        return cls(status=status, **looked, parked=readiness.is_parked)

    @classmethod
    async def from_health(cls, results: grpc.aio.Channel) -> Ready:
        """Build the answer from the health of the results process, for a gateway without a record."""
        stub: Any = health_pb2_grpc.HealthStub(results)

        async def serves(name: str) -> bool:
            try:
                answer = await stub.Check(
                    health_pb2.HealthCheckRequest(service=name), timeout=READINESS_TIMEOUT_SECONDS
                )
            except grpc.aio.AioRpcError:
                return False
            return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

        names = ("results", RECORD, APPENDS, NEWS, "results.consumers")
        ready, record, appends, news, takes = await asyncio.gather(*map(serves, names))
        status: Literal["ready", "not ready"] = "ready" if ready else "not ready"
        return cls(status=status, record=record, appends=appends, news=news, parked=ready and not takes)


_PROBLEM = {"application/problem+json": {"schema": ref(ProblemBody)}}
ERRORS: dict[int | str, dict[str, Any]] = {
    304: {"description": "The answer is unchanged since `If-None-Match`."},
    400: {
        "description": "The request is malformed, or has an unknown or repeated parameter: `errors` names the fields.",
        "content": _PROBLEM,
    },
    404: {"description": "The resource does not exist; `detail` names its id.", "content": _PROBLEM},
    409: {
        "description": "The mode of the tournament or game has no such resource: `instead` names the address to "
        "use. Or its rules are not installed.",
        "content": _PROBLEM,
    },
    503: {"description": "The results are unavailable; retry after `Retry-After`.", "content": _PROBLEM},
    504: {
        "description": "`min_position` was not reached before the timeout, or the call timed out.",
        "content": _PROBLEM,
    },
}


def answers(kind: type[Message], *statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the responses of a route that answers with a message: 200 and errors, by default all of them."""
    errors = {status: ERRORS[status] for status in statuses or ERRORS}
    return {**errors, 200: {"content": {"application/json": {"schema": ref_to_answer(kind.DESCRIPTOR)}}}}


def inline(name: str) -> str:
    """Return the ``Content-Disposition`` of a file that is displayed, with a name for saving."""
    return f'inline; filename="{re.sub("[^A-Za-z0-9._-]", "_", name)}"'


class TaggedResponse(Response):
    """An answer that holds up to a position, with its ``ETag``; 304 if the client has it.

    The tag is the position with a digest, since a name can be erased without an event.
    """

    def __init__(self, content: str | bytes, position: int, media_type: str, name: str = "") -> None:
        """``name`` is the file name for saving."""
        body = content.encode() if isinstance(content, str) else content
        self._tag = f"{position}-{hashlib.sha256(body).hexdigest()[:16]}"
        headers = {"ETag": f'"{self._tag}"', "Cache-Control": "no-cache"}
        super().__init__(body, 200, headers | ({"Content-Disposition": inline(name)} if name else {}), media_type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer, or 304."""
        if is_known(Headers(scope=scope).get("if-none-match", ""), self._tag):
            headers = {"ETag": self.headers["ETag"], "Cache-Control": self.headers["Cache-Control"]}
            await Response(status_code=304, headers=headers)(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def to_tagged_response(answer: Any) -> Response:
    """Return a message of the contract as JSON with its ``ETag``."""
    return TaggedResponse(write_json(to_json(answer)), answer.position, "application/json")
