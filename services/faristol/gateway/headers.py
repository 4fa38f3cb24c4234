"""Headers that every answer carries."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faristol.gateway.embedding import is_embeddable

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""Nothing from elsewhere, nothing inline."""


EMBEDDED_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")


PRIVATE = ("/sign-in", "/sign-out", "/account", "/my-data", "/data-requests", "/new", "/lexicons", "/tournaments/")
"""Where pages are of who is signed in: no other site reads there."""

PUBLIC_ENDS = ("/feed.atom", "/rounds.ics")
"""How addresses end below these that are for everybody, and for programs."""

PRIVATE_PARTS = ("/keep", "/clock", "/slip")
"""The same beside public pages of a game: how their addresses end."""


EXPOSED = (
    "Allow",
    "Content-Disposition",
    "Content-Language",
    "ETag",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "WWW-Authenticate",
)
"""Headers of answers that a program on a page of another site may read."""

READABLE_ELSEWHERE = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": ", ".join(EXPOSED)}


class PublicCors(CORSMiddleware):
    """Let programs of other sites read what is public or opened by a token, and nothing that a cookie opens.

    Browsers give no page of another site what came with a cookie, since the origin is ``*``.
    """

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(
            app,
            allow_origins=["*"],
            allow_methods=["GET", "HEAD", "POST"],
            allow_headers=["Authorization", "If-None-Match", "Last-Event-ID"],
            expose_headers=EXPOSED,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "http" and _is_private(scope["path"]):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def _is_private(path: str) -> bool:
    return path.endswith(PRIVATE_PARTS) or (path.startswith(PRIVATE) and not path.endswith(PUBLIC_ENDS))


STRICT_TRANSPORT = "max-age=31536000"
"""For a year a browser asks this host by TLS alone; it says nothing of the hosts beside."""


class SafeHeaders:
    """Tells browsers to load nothing from elsewhere, to guess nothing, and where TLS is, to come by TLS again."""

    def __init__(self, app: ASGIApp, *, is_indexed: bool = False) -> None:
        """``is_indexed`` lets search engines list what is sent."""
        self._app = app
        self._is_indexed = is_indexed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        policy = EMBEDDED_POLICY if is_embeddable(scope["path"]) else CONTENT_SECURITY_POLICY

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = policy
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
                if scope["scheme"] == "https":
                    headers["Strict-Transport-Security"] = STRICT_TRANSPORT
                if not self._is_indexed:
                    headers["X-Robots-Tag"] = "noindex"
            await send(message)

        await self._app(scope, receive, with_headers)
