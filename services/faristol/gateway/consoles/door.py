"""Every method of the contract over HTTP, as JSON: for the scripts of consoles, and for programs with a token.

A console's script sends what its person does by the cookie, from a page of this site alone; any other program sends a
token. Which of both it was, the services decide by the same credential whether the call may be made.
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

from faristol.credentials.needs import needs_of
from faristol.gateway.bodies import mistakes_in
from faristol.gateway.calls import NAMED, Method, NotSignedIn
from faristol.gateway.form import FROM_ELSEWHERE, body_of, is_from_here, is_program
from faristol.gateway.language import language_of
from faristol.gateway.problems import Malformed
from faristol.gateway.session import bearer_of, calls, token_of
from faristol.kernel.refusal import N_
from faristol.text import say

LARGEST = 1_048_576
"""Bytes of a request: a list of 500 players has some 100 kB."""

NOT_JSON = N_("expected a JSON object with the fields of {message}")
NO_METHOD = N_("the service {service} has no method {method}")
IS_STREAM = N_("{method} answers by a stream; call it by gRPC")


class _Services(StringConvertor):
    """The names of services in a path: what is below other names is not of the door, and says itself what it takes."""

    regex = "|".join(sorted({service for service, _ in NAMED}))


register_url_convertor("service", _Services())

routes = APIRouter(prefix="/api/v1", include_in_schema=False)


@routes.post("/{service:service}/{method}")
async def call_method(
    request: Request,
    service: str,
    method: Annotated[str, Path(max_length=60, pattern="^[A-Za-z]+$")],
) -> Response:
    """Carry a command out, or answer a question: any method of the contract that answers once.

    A command with the `command_id` of one that was carried out gets the same answer and does nothing again. Where
    docs/access.md does not say that everybody may call it, it needs a token with a role that stands there, or the
    cookie of a page of this site.
    """
    language = language_of(request)
    found = NAMED.get((service, method))
    if found is None or found.is_stream:
        reason = NO_METHOD if found is None else IS_STREAM
        raise HTTPException(HTTPStatus.NOT_FOUND, say(reason, {"service": service, "method": method}, language))
    wanted = _read(found, await body_of(request, "application/json", LARGEST), language)
    answer = await calls(request, _token(request, found)).ask(wanted)
    headers = {"Cache-Control": "no-store, private", "Content-Language": language}
    return JSONResponse(in_json(answer), headers=headers)


def in_json(message: Message) -> dict[str, Any]:
    """A message as JSON: names of fields as in the contract, whole numbers of 64 bits as text."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def _token(request: Request, method: Method) -> str:
    """The token of a call; empty without one, where everybody may call the method.

    Raises ``NotSignedIn`` without one for another method, ``HTTPException`` for a page of another site. Where services
    ask for no credentials, none is taken: a page of another site can send a token, but not as a page of this one.
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


def _read(method: Method, body: bytes, language: str) -> Message:
    """The request in a body. Raises ``Malformed`` with words for its sender where there is none."""
    message: Any = method.request.DESCRIPTOR
    expected = say(NOT_JSON, {"message": message.name}, language)
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):  # no JSON, or no UTF-8
        given = None
    if not isinstance(given, dict):
        raise Malformed([{"field": "body", "problem": expected}])
    if wrong := list(mistakes_in(message, given)):
        raise Malformed([{"field": field, "problem": say(text, params, language)} for field, text, params in wrong])
    try:
        return ParseDict(given, method.request())
    except ParseError as problem:
        raise Malformed([{"field": "body", "problem": expected}]) from problem
