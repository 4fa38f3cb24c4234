"""Answers with their tags, and what the document says of those that tell a problem."""

from __future__ import annotations

import hashlib
from typing import Any

from pydantic import BaseModel, Field
from starlette.responses import Response

from faristol.gateway.answers import Answer
from faristol.gateway.openapi import ref


class FieldProblem(BaseModel):
    """What is wrong with one field of a request."""

    field: str = Field(description="The parameter or header.", examples=["as_of"])
    problem: str = Field(description="What it was and what was expected.")


class ProblemBody(BaseModel):
    """What went wrong (RFC 9457), as `application/problem+json`. A problem may have more members than these."""

    type: str
    title: str
    status: int
    detail: str = Field(description="In the language of `lang` or `Accept-Language`.")
    instance: str
    reason: str = Field("", description="A word for programs: `NOT_FOUND`.")
    kind: str = Field("", description="Of what there is none, for `NOT_FOUND`.", examples=["tournament"])
    id: str = Field("", description="Its id.")
    field: str = Field("", description="The field that a service refused; it is in `errors` too.")
    errors: list[FieldProblem] = Field([], description="The fields of a request that is malformed.")


class Health(BaseModel):
    """The gateway lives."""

    status: str


_PROBLEM = {"application/problem+json": {"schema": ref(ProblemBody)}}
ERRORS: dict[int | str, dict[str, Any]] = {
    304: {"description": "Nothing has changed since `If-None-Match`."},
    400: {
        "description": "Malformed, or with a parameter that there is not, or one twice: `errors` names the fields.",
        "content": _PROBLEM,
    },
    404: {"description": "There is no such thing; `detail` names its id.", "content": _PROBLEM},
    503: {"description": "The results cannot be reached; try again after `Retry-After`.", "content": _PROBLEM},
    504: {"description": "`min_position` was not reached in time, or no answer came.", "content": _PROBLEM},
}


def tagged(model: Answer, if_none_match: str | None) -> Response:
    """The model as JSON with its ``ETag``, or 304 when the caller has it already."""
    return tagged_body(model.model_dump_json(), model.position, if_none_match, "application/json")


def tagged_body(text: str, position: int, if_none_match: str | None, media_type: str) -> Response:
    """An answer that holds up to ``position`` with its ``ETag``, or 304 when the caller has it already.

    The tag begins with the position. A digest follows, because a name can be erased without an event.
    """
    body = text.encode()
    tag = f'"{position}-{hashlib.sha256(body).hexdigest()[:16]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    known = {given.strip().removeprefix("W/") for given in (if_none_match or "").split(",")}
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)
