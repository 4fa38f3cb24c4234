"""Who is signed in on the pages: a cookie holds their token, and the server keeps nothing.

Calls are made with that token, and the services decide. Two gateways therefore serve one session.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

import grpc
from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from faristol.client.problems import reason_of
from faristol.gateway.language import language_of
from faristol.gateway.results import DEADLINE
from faristol.pb.access.v1 import access_pb2 as pb
from faristol.pb.access.v1 import access_pb2_grpc as pb_grpc
from faristol.pb.access.v1 import events_pb2 as events

COOKIE = "faristol"
LONGEST = 3_900
"""Characters of a token in a cookie: browsers keep 4,096 bytes of one, with its name."""

_TOKEN = re.compile(rf"[\w.-]{{1,{LONGEST}}}", re.ASCII)
_HELD = re.compile(r"[\w.-]+", re.ASCII)
"""What a program may send is not limited by what a browser keeps."""

Q = TypeVar("Q")
A = TypeVar("A")


class NotSignedIn(Exception):
    """A page is for who is signed in. ``why`` is the reason why a session has ended; empty where there was none."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.why = why


class AccessCalls:
    """The access service, with words in ``language``, called by the holder of ``token``; by nobody where it is empty.

    Every method raises ``grpc.aio.AioRpcError``, and ``NotSignedIn`` where the token is not good any more.
    """

    def __init__(self, stub: pb_grpc.AccessServiceAsyncStub, language: str, token: str = "") -> None:
        self._stub = stub
        self._metadata = [("accept-language", language)]
        self._is_held = bool(token)
        if token:
            self._metadata.append(("authorization", f"Bearer {token}"))

    async def _asked(self, method: grpc.aio.UnaryUnaryMultiCallable[Q, A], request: Q) -> A:
        try:
            return await method(request, timeout=DEADLINE, metadata=tuple(self._metadata))
        except grpc.aio.AioRpcError as problem:
            if not self._is_held or problem.code() is not grpc.StatusCode.UNAUTHENTICATED:
                raise
            raise NotSignedIn(reason_of(problem)) from problem

    async def caller(self) -> pb.GetCallerResponse:
        """Who the holder is."""
        return await self._asked(self._stub.GetCaller, pb.GetCallerRequest())

    async def sign_in(self, **by: Any) -> pb.SignInResponse:
        """Get a token by a ``code``, a ``pin`` or an ``open_id``."""
        return await self._asked(self._stub.SignIn, pb.SignInRequest(command_id=_new_id(), **by))

    async def provider(self) -> str:
        """The name of the provider of OpenID Connect; empty where there is none."""
        return (await self._asked(self._stub.GetProvider, pb.GetProviderRequest())).name

    async def start_sign_in(self, redirect_uri: str) -> pb.StartSignInResponse:
        """Begin to sign in by the provider."""
        return await self._asked(self._stub.StartSignIn, pb.StartSignInRequest(redirect_uri=redirect_uri))

    async def sign_out(self, *, this_device_alone: bool) -> None:
        """End the token, or all that the holder has."""
        request = pb.SignOutRequest(command_id=_new_id(), this_device_alone=this_device_alone)
        await self._asked(self._stub.SignOut, request)

    async def credentials(self, tournament_id: str) -> pb.ListCredentialsResponse:
        """What of a tournament the holder may end."""
        return await self._asked(self._stub.ListCredentials, pb.ListCredentialsRequest(tournament_id=tournament_id))

    async def grant(self, request: pb.GrantCredentialRequest) -> pb.GrantCredentialResponse:
        """Give somebody a credential."""
        return await self._asked(self._stub.GrantCredential, request)

    async def revoke(self, command_id: str, credential_id: str) -> None:
        """End a credential."""
        request = pb.RevokeCredentialRequest(command_id=command_id, credential_id=credential_id)
        await self._asked(self._stub.RevokeCredential, request)


def _new_id() -> str:
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is signed in."""

    access: AccessCalls
    credential: events.Credential
    name: str
    gives_until: datetime | None
    """Until when what they give may last; None where nothing limits it."""


async def session(request: Request) -> Session:
    """Who is signed in, as the access service says it. Raises ``NotSignedIn``."""
    token = token_of(request)
    if not token:
        raise NotSignedIn
    if not _TOKEN.fullmatch(token):
        raise NotSignedIn("CREDENTIAL_INVALID")
    access = calls(request, token)
    who = await access.caller()
    until = who.gives_until.ToDatetime(UTC) if who.HasField("gives_until") else None
    return Session(access, who.credential, who.name or who.credential.subject_id, until)


SignedIn = Annotated[Session, Depends(session)]
"""A parameter of a route that is for who is signed in."""


def calls(request: Request, token: str = "") -> AccessCalls:
    """The access service in the visitor's language. The application keeps the stub in ``app.state.access``."""
    return AccessCalls(request.app.state.access, language_of(request), token)


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
        return checked(token)
    raise NotSignedIn


def checked(token: str) -> str:
    """A token, if it looks like one: anything else would break the headers of a call. Raises ``NotSignedIn``."""
    if not _HELD.fullmatch(token):
        raise NotSignedIn("CREDENTIAL_INVALID")
    return token


def fits(token: str) -> bool:
    """Whether a browser keeps a token."""
    return bool(_TOKEN.fullmatch(token))


def keep(request: Request, response: Response, signed_in: pb.SignInResponse) -> None:
    """Let the browser be signed in by the cookie, for as long as the credential lasts."""
    now: Callable[[], datetime] = request.app.state.now
    left = signed_in.credential.expires_at.ToDatetime(UTC) - now()
    response.set_cookie(
        cookie_name(request, COOKIE),
        signed_in.token,
        max_age=max(0, int(left.total_seconds())),
        secure=is_safe(request),
        httponly=True,
        samesite="lax",
    )


def forget(request: Request, response: Response) -> None:
    """Take the cookie away."""
    response.delete_cookie(cookie_name(request, COOKIE), secure=is_safe(request), httponly=True, samesite="lax")


def cookie_name(request: Request, name: str) -> str:
    """A cookie as it is called here: browsers take one of this prefix from the host itself alone, over TLS."""
    return f"__Host-{name}" if is_safe(request) else name


def is_safe(request: Request) -> bool:
    """Whether the browser speaks TLS, with this process or with a trusted proxy before it (``http_proxies``)."""
    return request.url.scheme == "https"
