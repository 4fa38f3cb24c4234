"""Sign-in by OpenID Connect: redirect to the provider, and callback.

The access service exchanges and verifies the code. In the meantime a cookie binds the callback to this browser.
"""

from __future__ import annotations

import hmac
import json
import uuid
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from typing import Annotated

import grpc
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from faristol.client.problems import reason_of
from faristol.gateway.auth.session import calls, cookie_name, delete_cookie, set_cookie
from faristol.gateway.auth.sign_in import HOME, start_session, to_entrance
from faristol.gateway.http.forms import local, public_address
from faristol.gateway.rpc.results import Reader
from faristol.pb.access.v1 import access_pb2 as pb

COOKIE = "faristol-openid"
SIGN_IN_TIMEOUT_SECONDS = 600
"""Limit of the time at the provider in seconds."""

BACK = "/sign-in/openid/callback"

routes = APIRouter(include_in_schema=False)


@routes.get("/sign-in/openid")
async def leave_for_provider(request: Request, next: Annotated[str, Query(max_length=500)] = "") -> Response:
    """Redirect to the provider."""
    try:
        started = await calls(request).ask(pb.StartSignInRequest(redirect_uri=f"{public_address(request)}{BACK}"))
    except grpc.aio.AioRpcError as error:
        return to_entrance(request, _why(error))
    kept = {name: getattr(started, name) for name in ("state", "nonce", "code_verifier")} | {"next": local(next, HOME)}
    response = RedirectResponse(started.authorization_url, 302, headers={"Cache-Control": "no-store"})
    set_cookie(
        request, response, COOKIE, urlsafe_b64encode(json.dumps(kept).encode()).decode(), SIGN_IN_TIMEOUT_SECONDS
    )
    return response


@routes.get(BACK)
async def come_back(
    request: Request,
    results: Reader,
    code: Annotated[str, Query(max_length=4_000)] = "",
    state: Annotated[str, Query(max_length=200)] = "",
) -> Response:
    """Sign the browser in at the callback."""
    response = await _signed_in(request, results, code, state)
    delete_cookie(request, response, COOKIE)
    return response


async def _signed_in(request: Request, results: Reader, code: str, state: str) -> Response:
    kept = _load_state(request)
    if not state or not hmac.compare_digest(_bytes(kept.get("state", "")), _bytes(state)):
        return to_entrance(request, "OPENID_ELSEWHERE")
    if not code:  # denied by the user or the provider
        return to_entrance(request, "OPENID_REFUSED")
    brought = pb.OpenIdCode(
        code=code.encode(),
        code_verifier=kept.get("code_verifier", ""),
        nonce=kept.get("nonce", ""),
        redirect_uri=f"{public_address(request)}{BACK}",
    )
    try:
        signed_in = await calls(request).ask(pb.SignInRequest(command_id=str(uuid.uuid4()), open_id=brought))
    except grpc.aio.AioRpcError as error:
        return to_entrance(request, _why(error))
    return await start_session(request, results, kept, signed_in)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _load_state(request: Request) -> Mapping[str, str]:
    try:
        kept = json.loads(urlsafe_b64decode(request.cookies.get(cookie_name(request, COOKIE), "")))
    except (ValueError, RecursionError):  # not our cookie
        return {}
    return {name: str(value) for name, value in kept.items()} if isinstance(kept, dict) else {}


def _why(error: grpc.aio.AioRpcError) -> str:
    """Return the reason shown on the sign-in page. Raises ``grpc.aio.AioRpcError`` unless it is a refusal."""
    if error.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        return "OPENID_AWAY"
    if error.code() in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED):
        return reason_of(error)
    raise error
