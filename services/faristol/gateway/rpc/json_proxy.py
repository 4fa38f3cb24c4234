"""JSON endpoint for every method of the contract, for scripts of consoles and for programs with a token.

A script authenticates by cookie, and only from a page of this site. Any other program sends a token. Both are the same
kind of credential, which the services check.
"""

from __future__ import annotations

import json
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Path
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from faristol.access_control.needs import needs_of
from faristol.gateway.auth.session import bearer_of, calls, token_of
from faristol.gateway.http.bodies import list_mistakes
from faristol.gateway.http.errors import Malformed
from faristol.gateway.http.forms import FROM_ELSEWHERE, body_of, is_from_here, is_program
from faristol.gateway.http.language import language_of
from faristol.gateway.rpc.calls import NAMED, Method, NotSignedIn
from faristol.kernel.refusal import N_
from faristol.text import say

MAX_BODY_BYTES = 1_048_576
"""Limit of a request body in bytes: a list of 500 players has some 100 kB."""

MAX_PUBLIC_BODY_BYTES = 65_536
"""Limit of a request body without a token in bytes: no public method needs more."""

NOT_JSON = N_("expected a JSON object with the fields of {message}")
NO_METHOD = N_("the service {service} has no method {method}")
IS_STREAM = N_("{method} returns a stream; call it over gRPC")


class _Services(StringConvertor):
    """Path converter for service names. Paths below other names have their own routes."""

    regex = "|".join(sorted({service for service, _ in NAMED}))


register_url_convertor("service", _Services())

routes = APIRouter(prefix="/api/v1", include_in_schema=False)


@routes.post("/{service:service}/{method}")
async def call_method(
    request: Request,
    service: str,
    method: Annotated[str, Path(max_length=60, pattern="^[A-Za-z]+$")],
) -> Response:
    """Call any unary method of the contract.

    A repeated `command_id` returns the first answer and has no further effect. A method that docs/access.md does not
    list as public needs credentials: a token with one of its roles, or the cookie of a page of this site.
    """
    language = language_of(request)
    found = NAMED.get((service, method))
    if found is None or found.is_stream:
        reason = NO_METHOD if found is None else IS_STREAM
        raise HTTPException(HTTPStatus.NOT_FOUND, say(reason, {"service": service, "method": method}, language))
    token = _token(request, found)
    most = MAX_BODY_BYTES if token or request.app.state.is_open else MAX_PUBLIC_BODY_BYTES
    wanted = parse_request(found, await body_of(request, "application/json", most), language)
    answer = await calls(request, token).ask(wanted)
    headers = {"Cache-Control": "no-store, private", "Content-Language": language}
    return JSONResponse(in_json(answer), headers=headers)


def in_json(message: Message) -> dict[str, Any]:
    """Convert a message to JSON with the field names of the contract and 64-bit integers as strings."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def _token(request: Request, method: Method) -> str:
    """Return the token of a call; empty if the method is public and there is no token.

    Raises ``NotSignedIn`` without a token for another method, and ``HTTPException`` for a page of another site. If the
    services require no credentials, a token is refused: a page of another site could send one.
    """
    if request.app.state.is_open:
        if "authorization" in request.headers:
            raise NotSignedIn("NOT_ASKED")
        if not is_program(request) and not is_from_here(request):
            raise HTTPException(HTTPStatus.FORBIDDEN, say(FROM_ELSEWHERE, {}, language_of(request)))
        return ""
    if token := bearer_of(request):
        return token
    if (token := token_of(request)) and is_from_here(request):
        return token
    if needs_of(method.descriptor).is_public:
        return ""
    if token:
        raise HTTPException(HTTPStatus.FORBIDDEN, say(FROM_ELSEWHERE, {}, language_of(request)))
    raise NotSignedIn


def parse_request(method: Method, body: bytes, language: str) -> Message:
    """Parse the request in a body. Raises ``Malformed``, with translated errors, if it is invalid."""
    message: Any = method.request.DESCRIPTOR
    expected = say(NOT_JSON, {"message": message.name}, language)
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):  # invalid JSON or UTF-8
        given = None
    if not isinstance(given, dict):
        raise Malformed([{"field": "body", "problem": expected}])
    if wrong := list_mistakes(message, given):
        raise Malformed([{"field": field, "problem": say(text, params, language)} for field, text, params in wrong])
    try:
        return ParseDict(given, method.request())
    except ParseError as error:
        raise Malformed([{"field": "body", "problem": expected}]) from error
