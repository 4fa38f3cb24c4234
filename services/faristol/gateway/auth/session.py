"""Sessions of the pages: a cookie has the token, and the server stores no state.

Calls are made with that token, and the services authorise them. Any gateway can therefore serve a session.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated
from urllib.parse import quote

from fastapi import Depends
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.access_control.tokens import MAX_SIGNED_TOKEN_CHARACTERS
from faristol.gateway.http.language import language_of
from faristol.gateway.rpc.calls import Calls, NotSignedIn
from faristol.host.security.visitor import to_metadata
from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import events_pb2 as events
from faristol.text import say

COOKIE = "faristol"
WHY = "faristol-why"
"""Cookie with the reason for a redirect to the sign-in page, so that addresses contain no message."""
WHY_SECONDS = 20
DONE_COOKIE = "faristol-done"
"""Cookie with the action of a form for the next page, for ``WHY_SECONDS``."""
NAME_COOKIE = "faristol-name"
"""Cookie with the user's name for scripts of public pages, which are equal for all. It grants no access."""
MARKS = "faristol-tables"
"""Cookie with the marks of tables at which a device signed in by PIN before. It grants no access."""
MARKS_SECONDS = 60 * 86_400
MAX_COOKIE_MARKS = 5
MAX_TOKEN_CHARACTERS = 3_900
"""Limit of a token in a cookie in characters: browsers store 4,096 bytes, including the name."""

LONG_TOKEN = N_("The credential exceeds the maximum length.")

_TOKEN = re.compile(rf"[\w.-]{{1,{MAX_TOKEN_CHARACTERS}}}", re.ASCII)
_DONE_PATTERN = re.compile(r"[\w.-]{1,80}", re.ASCII)
_MARK = re.compile("[a-z2-7]{52}")
_PROGRAM_TOKEN_PATTERN = re.compile(r"[\w.-]+", re.ASCII)
"""Token of a program, which has no limit by the size of a cookie."""


@dataclass(frozen=True, slots=True)
class Session:
    """Signed-in user."""

    calls: Calls
    """Services, called by the user."""
    credential: events.Credential
    name: str
    gives_until: datetime | None
    """Latest expiry of credentials that the user grants; None without a limit."""
    signed_in_at: datetime
    """Time at which a person signed in to get the credential."""


async def session(request: Request) -> Session:
    """Return the session, verified by the access service. Raises ``NotSignedIn``."""
    token = token_of(request)
    if not token:
        raise NotSignedIn
    if not fits(token):
        raise NotSignedIn("CREDENTIAL_INVALID")
    own = calls(request, token)
    who = await own.ask(pb.GetCallerRequest())
    until = who.gives_until.ToDatetime(UTC) if who.HasField("gives_until") else None
    return Session(own, who.credential, who.name or who.credential.subject_id, until, who.signed_in_at.ToDatetime(UTC))


SignedIn = Annotated[Session, Depends(session)]
"""Route parameter that requires a session."""


def calls(request: Request, token: str = "") -> Calls:
    """Return the services in the visitor's language, called with ``token``; anonymously if it is empty.

    Raises ``NotSignedIn`` for an invalid token, which would corrupt the headers of a call. Raises ``HTTPException`` if
    it is too long. ``app.state.channel`` returns the channels.
    """
    if len(token) > MAX_SIGNED_TOKEN_CHARACTERS:
        raise HTTPException(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, say(LONG_TOKEN, {}, language_of(request)))
    if token and not _PROGRAM_TOKEN_PATTERN.fullmatch(token):
        raise NotSignedIn("CREDENTIAL_INVALID")
    address = request.client.host if request.client else ""
    visitor = to_metadata(address, request.headers.get("user-agent", ""))
    return Calls(request.app.state.channel, language_of(request), token, visitor)


async def _own_calls(request: Request) -> Calls:
    token = token_of(request)
    if not token:
        raise NotSignedIn
    return calls(request, token)


OwnCalls = Annotated[Calls, Depends(_own_calls)]
"""Route parameter that requires a session: the services, called by the user."""


def token_of(request: Request) -> str:
    """Return the token in the cookie; empty without one."""
    return request.cookies.get(cookie_name(request, COOKIE), "")


def bearer_of(request: Request) -> str:
    """Return the token in `Authorization: Bearer`; empty without one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.casefold() == "bearer" else ""


def holder_of(request: Request) -> str:
    """Return the token of a program or of the cookie. Raises ``NotSignedIn`` without one."""
    if token := bearer_of(request) or token_of(request):
        return token
    raise NotSignedIn


def read_done(request: Request) -> str:
    """Return the action that ``set_done`` stored for this page; empty without one."""
    done = request.cookies.get(cookie_name(request, DONE_COOKIE), "")
    return done if _DONE_PATTERN.fullmatch(done) else ""


def set_done(request: Request, response: Response, done: str) -> None:
    """Store the action of a form, in letters, digits and dots, for the page that ``response`` redirects to."""
    set_cookie(request, response, DONE_COOKIE, done, WHY_SECONDS)


def fits(token: str) -> bool:
    """Check whether a token fits a cookie."""
    return bool(_TOKEN.fullmatch(token))


def set_session(request: Request, response: Response, signed_in: pb.SignInResponse, name: str) -> None:
    """Set the session cookies until the credential expires. ``name`` is the user's name."""
    now: Callable[[], datetime] = request.app.state.now
    left = signed_in.credential.expires_at.ToDatetime(UTC) - now()
    seconds = max(0, int(left.total_seconds()))
    set_cookie(request, response, COOKIE, signed_in.token, seconds)
    response.set_cookie(
        cookie_name(request, NAME_COOKIE), quote(name[:100]), seconds, secure=is_safe(request), samesite="lax"
    )
    delete_cookie(request, response, WHY)


def marks_of(request: Request) -> list[str]:
    """Return the marks of the tables at which this browser was signed in, the latest first."""
    kept = request.cookies.get(cookie_name(request, MARKS), "")
    return [mark for mark in kept.split(".")[:MAX_COOKIE_MARKS] if _MARK.fullmatch(mark)]


def add_mark(request: Request, response: Response, mark: str) -> None:
    """Add the mark of the present tables to the cookie; ignored if it is empty."""
    if mark:
        marks = [mark, *(other for other in marks_of(request) if other != mark)][:MAX_COOKIE_MARKS]
        set_cookie(request, response, MARKS, ".".join(marks), MARKS_SECONDS)


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """Set a cookie. Browsers send it with links from other sites, but not with their forms."""
    response.set_cookie(
        cookie_name(request, name), value, seconds, secure=is_safe(request), httponly=True, samesite="lax"
    )


def delete_cookie(request: Request, response: Response, name: str = COOKIE) -> None:
    """Delete a cookie."""
    response.delete_cookie(cookie_name(request, name), secure=is_safe(request), httponly=True, samesite="lax")


def cookie_name(request: Request, name: str) -> str:
    """Return the name of a cookie, under TLS with the prefix that binds it to this host."""
    return f"__Host-{name}" if is_safe(request) else name


def is_safe(request: Request) -> bool:
    """Check whether the browser uses TLS, with this process or with a trusted proxy (``http_proxies``)."""
    return request.url.scheme == "https"
