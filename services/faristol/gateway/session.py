"""Who is signed in on the pages: a cookie holds their token, and the server keeps nothing.

Calls are made with that token, and the services decide. Two gateways therefore serve one session.
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

from faristol.credentials.tokens import LONGEST_TOKEN
from faristol.gateway.calls import Calls, NotSignedIn
from faristol.gateway.language import language_of
from faristol.host.visitor import to_metadata
from faristol.kernel.refusal import N_
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import events_pb2 as events
from faristol.text import say

COOKIE = "faristol"
WHY = "faristol-why"
"""The cookie by which the entrance knows why somebody was led there: a message is never in an address."""
WHY_SECONDS = 20
DONE = "faristol-done"
"""The cookie by which a page knows what the form did that led to it, for ``WHY_SECONDS``."""
NAME = "faristol-name"
"""The cookie from which scripts of public pages show who is signed in: those are the same for all. It opens nothing."""
MARKS = "faristol-tables"
"""The cookie by which a device shows, with a PIN, at which tables it was before. It opens nothing."""
MARKS_SECONDS = 60 * 86_400
MOST_MARKS = 5
LONGEST = 3_900
"""Characters of a token in a cookie: browsers keep 4,096 bytes of one, with its name."""

LONG_TOKEN = N_("The credential is longer than any of Faristol's.")

_TOKEN = re.compile(rf"[\w.-]{{1,{LONGEST}}}", re.ASCII)
_DONE = re.compile(r"[\w.-]{1,80}", re.ASCII)
_MARK = re.compile("[a-z2-7]{52}")
_HELD = re.compile(r"[\w.-]+", re.ASCII)
"""What a program may send is not limited by what a browser keeps."""


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is signed in."""

    calls: Calls
    """The services, called by them."""
    credential: events.Credential
    name: str
    gives_until: datetime | None
    """Until when what they give may last; None where nothing limits it."""


async def session(request: Request) -> Session:
    """Who is signed in, as the access service says it. Raises ``NotSignedIn``."""
    token = token_of(request)
    if not token:
        raise NotSignedIn
    if not fits(token):
        raise NotSignedIn("CREDENTIAL_INVALID")
    own = calls(request, token)
    who: pb.GetCallerResponse = await own.ask(pb.GetCallerRequest())
    until = who.gives_until.ToDatetime(UTC) if who.HasField("gives_until") else None
    return Session(own, who.credential, who.name or who.credential.subject_id, until)


SignedIn = Annotated[Session, Depends(session)]
"""A parameter of a route that is for who is signed in."""


def calls(request: Request, token: str = "") -> Calls:
    """The services in the visitor's language, called by the holder of ``token``; by nobody where it is empty.

    The application keeps the way to them in ``app.state.channel``. Raises ``NotSignedIn`` for what is no token: it
    would break the headers of a call. Raises ``HTTPException`` for one that is longer than any token.
    """
    if len(token) > LONGEST_TOKEN:
        raise HTTPException(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, say(LONG_TOKEN, {}, language_of(request)))
    if token and not _HELD.fullmatch(token):
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
"""A parameter of a route that is for who is signed in: the services, called by them."""


def token_of(request: Request) -> str:
    """The token in the cookie; empty without one."""
    return request.cookies.get(cookie_name(request, COOKIE), "")


def bearer_of(request: Request) -> str:
    """The token that a program sends, in `Authorization: Bearer`; empty without one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.casefold() == "bearer" else ""


def holder_of(request: Request) -> str:
    """The token of who reads something, sent by a program or kept in the cookie. Raises ``NotSignedIn`` without one."""
    if token := bearer_of(request) or token_of(request):
        return token
    raise NotSignedIn


def done_in(request: Request) -> str:
    """Return what the form did that led to a page, as ``hold_done`` was given it; empty where none did."""
    done = request.cookies.get(cookie_name(request, DONE), "")
    return done if _DONE.fullmatch(done) else ""


def hold_done(request: Request, response: Response, done: str) -> None:
    """Have the browser bring what a form did, letters, digits and dots, to the page that ``response`` leads to."""
    hold(request, response, DONE, done, WHY_SECONDS)


def fits(token: str) -> bool:
    """Whether a browser keeps a token."""
    return bool(_TOKEN.fullmatch(token))


def keep(request: Request, response: Response, signed_in: pb.SignInResponse, name: str) -> None:
    """Let the browser be signed in by the cookie, for as long as the credential lasts; ``name`` is whose it is."""
    now: Callable[[], datetime] = request.app.state.now
    left = signed_in.credential.expires_at.ToDatetime(UTC) - now()
    seconds = max(0, int(left.total_seconds()))
    hold(request, response, COOKIE, signed_in.token, seconds)
    response.set_cookie(cookie_name(request, NAME), quote(name[:100]), seconds, secure=is_safe(request), samesite="lax")
    forget(request, response, WHY)


def marks_of(request: Request) -> list[str]:
    """The marks of the tables at which this browser was signed in, the latest first."""
    kept = request.cookies.get(cookie_name(request, MARKS), "")
    return [mark for mark in kept.split(".")[:MOST_MARKS] if _MARK.fullmatch(mark)]


def keep_mark(request: Request, response: Response, mark: str) -> None:
    """Have the browser keep the mark of the tables at which it is signed in now; nothing where there is none."""
    if mark:
        marks = [mark, *(other for other in marks_of(request) if other != mark)][:MOST_MARKS]
        hold(request, response, MARKS, ".".join(marks), MARKS_SECONDS)


def hold(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """Have the browser keep a cookie. It comes with a way here from elsewhere, but for a form of another site."""
    response.set_cookie(
        cookie_name(request, name), value, seconds, secure=is_safe(request), httponly=True, samesite="lax"
    )


def forget(request: Request, response: Response, name: str = COOKIE) -> None:
    """Take a cookie away."""
    response.delete_cookie(cookie_name(request, name), secure=is_safe(request), httponly=True, samesite="lax")


def cookie_name(request: Request, name: str) -> str:
    """A cookie as it is called here: browsers take one of this prefix from the host itself alone, over TLS."""
    return f"__Host-{name}" if is_safe(request) else name


def is_safe(request: Request) -> bool:
    """Whether the browser speaks TLS, with this process or with a trusted proxy before it (``http_proxies``)."""
    return request.url.scheme == "https"
