"""Errors in HTTP: ``application/problem+json`` (RFC 9457) for programs, a page for browsers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple, cast
from urllib.parse import quote

import grpc
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faristol.gateway.http import bad_requests
from faristol.gateway.http.language import language_of
from faristol.gateway.pages.alternatives import REASONS, address_instead, find_open_address, refusal_of_duplicate
from faristol.host.security.visitor import to_count_key
from faristol.kernel.errors import NotFound
from faristol.kernel.refusal import N_, Refusal
from faristol.text import render, say

STATUSES: Mapping[grpc.StatusCode, HTTPStatus] = {
    grpc.StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    grpc.StatusCode.UNAUTHENTICATED: HTTPStatus.UNAUTHORIZED,
    grpc.StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    grpc.StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.OUT_OF_RANGE: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.FAILED_PRECONDITION: HTTPStatus.CONFLICT,
    grpc.StatusCode.ALREADY_EXISTS: HTTPStatus.CONFLICT,
    grpc.StatusCode.ABORTED: HTTPStatus.CONFLICT,
    grpc.StatusCode.RESOURCE_EXHAUSTED: HTTPStatus.TOO_MANY_REQUESTS,
    grpc.StatusCode.DEADLINE_EXCEEDED: HTTPStatus.GATEWAY_TIMEOUT,
    grpc.StatusCode.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
    grpc.StatusCode.CANCELLED: HTTPStatus.SERVICE_UNAVAILABLE,
    grpc.StatusCode.UNIMPLEMENTED: HTTPStatus.SERVICE_UNAVAILABLE,  # another service answers at this address
}
"""HTTP status of a gRPC status; any other is a defect behind the gateway (502)."""

RETRY_AFTER = {HTTPStatus.SERVICE_UNAVAILABLE: "2", HTTPStatus.GATEWAY_TIMEOUT: "5", HTTPStatus.TOO_MANY_REQUESTS: "5"}
"""``Retry-After`` in seconds, by status."""

SIGN_IN = N_("Sign in, or send a token in the header Authorization: Bearer …")
NO_TOKENS = N_("This platform requires no credentials: omit the header Authorization.")
SESSION_ENDED = N_("You are signed out. Please sign in again.")
RESULTS_UNAVAILABLE = N_("The results are unavailable at the moment. Please retry in a few seconds.")
CALL_TIMED_OUT = N_("The results did not answer in time. Please retry in a few seconds.")
FAULT = N_("An internal error has occurred.")

NOTHING_AT_PATH = N_("the path {path} does not exist")
FINAL_SLASH = N_("the path {path} does not exist; omit the final slash")
NOTHING_IN_API = N_("the path {path} does not exist; see /docs for all paths")
WRONG_METHOD = N_("expected {allowed}, got {method}")

TIME_EXPECTED = N_("expected a time with its offset, such as 2026-03-07T11:30:00Z, got {given}")
PLUS_EXPECTED = N_("expected %2B instead of + in the address, such as 2026-03-07T12:30:00%2B01:00, got {given}")
"""Text for a time whose ``+`` was not encoded, which is decoded to a space."""
TOO_LONG = N_("has {length} {length:character|characters}; the limit is {most}")
ERROR_TEXTS: Mapping[str, str] = {
    "bool": N_("expected true or false, got {given}"),
    "datetime": TIME_EXPECTED,
    "greater_than_equal": N_("expected {ge} or more, got {given}"),
    "int": N_("expected a whole number, got {given}"),
    "int_parsing_size": N_("expected a number with fewer digits, got {given}"),
    "less_than": N_("expected less than {lt}, got {given}"),
    "less_than_equal": N_("expected {le} or less, got {given}"),
    "literal_error": N_("expected one of {expected}, got {given}"),
    "missing": N_("is missing"),
    "repeated_parameter": N_("is specified more than once"),
    "string_pattern_mismatch": N_("expected a value that matches {pattern}, got {given}"),
    "timezone": TIME_EXPECTED,
    "unknown_type_like": N_("unknown type {type}; did you mean {like}?"),
    "unknown_parameter": N_("unknown parameter; expected {known}"),
    "unknown_parameter_like": N_("unknown parameter; did you mean {like}?"),
}
"""Texts by the type of Pydantic's error, or by the first part of the type."""

DAY = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
NUMBERS = r"^([0-9]{1,5}(,[0-9]{1,5})*)?$"
PATTERN_TEXTS: Mapping[str, str] = {
    DAY: N_("expected a day, such as 2026-03-07, got {given}"),
    NUMBERS: N_("expected whole numbers separated by commas, such as 1,2, got {given}"),
}
"""Texts by the pattern of a text, where people read it more easily than the pattern."""
COMMA_SEPARATED = N_("expected names separated by commas, without spaces, got {given}")
LIST_PART = "(,"
"""Part of each pattern of a list."""

MAX_SHOWN_CHARACTERS = 100
"""Limit of the characters that are repeated from the input."""

REASONS_PATH = "/docs/problems"
"""Page that describes each reason."""

_NUMBERS = frozenset(("position", "last", "wanted", "here"))
"""Members of a problem that are numbers."""

MEDIA_TYPE = "application/problem+json"


class Problem(NamedTuple):
    """Error of a request. ``detail`` is in the visitor's language.

    ``more`` are further members for programs: ``kind``, ``id``, ``reason``, ``errors``. By default, ``reason`` is the
    name of the status, such as ``BAD_GATEWAY``.
    """

    status: HTTPStatus
    detail: str
    more: Mapping[str, Any] = {}
    headers: Mapping[str, str] = {}


class Malformed(Exception):
    """Invalid fields in a body: ``errors`` has the ``field`` and ``problem`` of each, in the visitor's language."""

    def __init__(self, errors: Sequence[Mapping[str, str]]) -> None:
        super().__init__(errors)
        self.errors = errors


Page = Callable[[Request, Problem], Response]
"""Renders a problem as a page."""


def of_rpc(error: grpc.aio.AioRpcError, language: str) -> Problem:
    """Return the problem of a gRPC error. Its text is in ``language`` if the call was made in it."""
    status = STATUSES.get(error.code(), HTTPStatus.BAD_GATEWAY)
    if status is HTTPStatus.BAD_GATEWAY:
        return Problem(status, say(FAULT, {}, language))
    detail = error.details() or status.phrase
    if status is HTTPStatus.SERVICE_UNAVAILABLE:
        detail = say(RESULTS_UNAVAILABLE, {}, language)
    headers = {"Retry-After": RETRY_AFTER[status]} if status in RETRY_AFTER else {}
    more = _error_info(error)
    if status is HTTPStatus.GATEWAY_TIMEOUT and not more:  # the channel's own timeout, whose text is gRPC's
        detail = say(CALL_TIMED_OUT, {}, language)
    if status is HTTPStatus.BAD_REQUEST and (field := more.get("field")):
        more["errors"] = [{"field": field, "problem": detail.removeprefix(f"{field}: ")}]
    return Problem(status, detail, more, headers)


def _error_info(error: grpc.aio.AioRpcError) -> dict[str, Any]:
    rich = rpc_status.from_call(cast("grpc.Call", error))  # it has the methods of a call that are needed here
    for packed in rich.details if rich else ():
        info = error_details_pb2.ErrorInfo()
        if packed.Unpack(info):
            params = {key: value for key, value in info.metadata.items() if key != "message"}
            numbers = {
                key: int(params[key]) for key in _NUMBERS & params.keys() if params[key].removeprefix("-").isdecimal()
            }
            return {**params, **numbers, "reason": info.reason}
    return {}


def of_missing(missing: NotFound, language: str) -> Problem:
    """Return the problem of an item that the gateway itself did not find."""
    detail = missing.format_message(partial(say, language=language))
    return Problem(HTTPStatus.NOT_FOUND, detail, {"reason": "NOT_FOUND", "kind": missing.kind, "id": missing.wanted})


def of_refusal(refusal: Refusal, language: str) -> Problem:
    """Return the problem of a refusal by the gateway itself."""
    more = {"reason": refusal.reason, **({"article": refusal.article} if refusal.article else {})}
    return Problem(HTTPStatus.CONFLICT, render(refusal, language), more)


def of_fields(errors: Sequence[Mapping[str, str]]) -> Problem:
    """Return the problem of invalid fields: ``errors`` has the ``field`` and ``problem`` of each."""
    detail = "; ".join(f"{found['field']}: {found['problem']}" for found in errors)
    return Problem(HTTPStatus.BAD_REQUEST, detail, {"reason": "INVALID", "errors": [*errors]})


def of_interruption(language: str) -> Problem:
    """Return the problem of an interrupted request: the process is stopping, or a channel was closed."""
    status = HTTPStatus.SERVICE_UNAVAILABLE
    return Problem(status, say(RESULTS_UNAVAILABLE, {}, language), {}, {"Retry-After": RETRY_AFTER[status]})


def of_validation(error: RequestValidationError, language: str) -> Problem:
    """Return the problem of an invalid request: ``errors`` names each field, its value and the expected one."""
    return of_fields(
        [{"field": str(found["loc"][-1]), "problem": _format_error(found, language)} for found in error.errors()]
    )


def _format_error(error: Mapping[str, Any], language: str) -> str:
    """Return the text of a Pydantic error in ``language``."""
    context = error.get("ctx", {})
    given, kind = repr(str(error["input"])[:MAX_SHOWN_CHARACTERS]), str(error["type"])
    if kind == "value_error":
        return say(str(context["error"]), {"given": given}, language)
    if kind == "filter":
        return say(str(context["error"]), context, language)
    pattern = str(context.get("pattern", ""))
    if text := PATTERN_TEXTS.get(pattern, COMMA_SEPARATED if LIST_PART in pattern else ""):
        return say(text, {"given": given}, language)
    if kind == "string_too_long":
        return say(TOO_LONG, {"length": len(error["input"]), "most": context["max_length"]}, language)
    expected = ERROR_TEXTS.get(kind, ERROR_TEXTS.get(kind.partition("_")[0], ""))
    if not expected:
        return str(error["msg"])
    limits = {key: str(value).replace(" or ", ", ") for key, value in context.items()}
    return say(expected, {**limits, "given": given}, language)


def of_http(error: HTTPException, method: str, path: str, language: str) -> Problem:
    """Return the problem of an HTTP exception, such as an unknown page or a method that is not allowed."""
    status = HTTPStatus(error.status_code)
    detail = str(error.detail)
    headers = dict(error.headers or {})
    if headers.get("Allow") == "GET":
        headers["Allow"] = "GET, HEAD"
    if status is HTTPStatus.NOT_FOUND and detail == status.phrase:
        in_api = FINAL_SLASH if path.endswith("/") else NOTHING_IN_API
        detail = say(in_api if path.startswith("/api") else NOTHING_AT_PATH, {"path": path}, language)
    if status is HTTPStatus.METHOD_NOT_ALLOWED and (allowed := headers.get("Allow")):
        detail = say(WRONG_METHOD, {"method": method, "allowed": allowed}, language)
    return Problem(status, detail, {"reason": "NO_SUCH_ADDRESS"} if status is HTTPStatus.NOT_FOUND else {}, headers)


def of_session(why: str, language: str) -> Problem:
    """Return the problem of a missing session, or of one that ended; ``why`` is the reason of the end."""
    detail = say(NO_TOKENS if why == "NOT_ASKED" else SESSION_ENDED if why else SIGN_IN, {}, language)
    return Problem(HTTPStatus.UNAUTHORIZED, detail, {"reason": why or "NO_CREDENTIAL"}, {"WWW-Authenticate": "Bearer"})


def as_json(problem: Problem, request: Request) -> JSONResponse:
    """Return a problem as JSON for a program."""
    reason = problem.more.get("reason") or problem.status.name
    body = {
        "type": f"{REASONS_PATH}#{reason}",  # no host: a cached answer is also sent to clients under another host name
        "title": problem.status.phrase,
        "status": problem.status.value,
        "detail": problem.detail,
        "instance": request.url.path,
        **{key: value for key, value in problem.more.items() if key not in {"type", "title", "status", "detail"}},
        "reason": reason,
    }
    headers = {**problem.headers, "Cache-Control": "no-store", "Content-Language": language_of(request)}
    return JSONResponse(body, problem.status.value, headers, MEDIA_TYPE)


def build_response(page: Page, request: Request, problem: Problem) -> Response:
    """Return a problem as JSON under ``/api`` and similar paths, as a page elsewhere."""
    if request.url.path.startswith(("/api", "/openapi", "/healthz", "/readyz", "/static", "/oembed")):
        return as_json(problem, request)
    return page(request, problem)


class Interrupted:
    """ASGI middleware that answers an interrupted request with 503 and ``Retry-After``.

    A stopping process cancels requests beyond its grace period, and a closed channel cancels its calls. Both raise
    ``CancelledError``, which Starlette does not handle and uvicorn turns into a 500.
    """

    def __init__(self, app: ASGIApp, page: Page) -> None:
        self._app = app
        self._page = page

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Replace an interrupted response unless it has started: then it is cut off, which the client detects."""
        begun = False

        async def send_begun(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, send_begun)
        except asyncio.CancelledError:
            if begun:
                raise
            request = Request(scope)
            await build_response(self._page, request, of_interruption(language_of(request)))(scope, receive, send)


def install(app: FastAPI, page: Page) -> None:
    """Install handlers for every error: JSON under ``/api``, pages elsewhere."""

    async def answer(request: Request, error: Exception) -> Response:
        if isinstance(error, grpc.aio.AioRpcError) and (refusal := await refusal_of_duplicate(request, error)):
            error = refusal
        problem = with_address(_of(error, request), request)
        if address := problem.more.get("instead"):
            problem = _lead_to(problem, await find_open_address(request, address))
        return build_response(page, request, problem)

    app.add_exception_handler(ClientDisconnect, _handle_aborted)
    for kind in (
        grpc.aio.AioRpcError,
        grpc.aio.UsageError,
        RequestValidationError,
        Malformed,
        NotFound,
        Refusal,
        HTTPException,
        Exception,
    ):
        app.add_exception_handler(kind, answer)


async def _handle_aborted(request: Request, error: Exception) -> Response:
    """Count an aborted request, which is not a fault of this process. No client receives the response."""
    bad_requests.count_bad_request(
        "a request was broken off", to_count_key(request.client.host) if request.client else ""
    )
    return Response(status_code=HTTPStatus.BAD_REQUEST)


def with_address(problem: Problem, request: Request) -> Problem:
    """Add the alternative address to a problem that depends on the mode of a tournament."""
    reason = str(problem.more.get("reason", ""))
    if reason not in REASONS or not (address := address_instead(request, reason)):
        return problem
    return _lead_to(problem, address)


def _lead_to(problem: Problem, address: str) -> Problem:
    headers = {**problem.headers, "Link": f'<{quote(address)}>; rel="related"'}
    return problem._replace(more={**problem.more, "instead": address}, headers=headers)


def _of(error: Exception, request: Request) -> Problem:
    language = language_of(request)
    match error:
        case grpc.aio.AioRpcError():
            return of_rpc(error, language)
        case grpc.aio.UsageError():  # gRPC raises it for a closed channel
            return of_interruption(language)
        case RequestValidationError():
            return of_validation(error, language)
        case Malformed():
            return of_fields(error.errors)
        case NotFound():
            return of_missing(error, language)
        case Refusal():
            return of_refusal(error, language)
        case HTTPException():
            return of_http(error, request.method, request.url.path, language)
        case _:
            return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, say(FAULT, {}, language))
