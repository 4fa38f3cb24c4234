"""Headers of every response."""

from __future__ import annotations

import re
from collections.abc import Iterable

from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faristol.gateway.pages.embedding import is_embeddable

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "frame-src 'self'",  # a hall screen shows a game
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
"""Policy without external or inline content."""


EMBEDDED_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")


PRIVATE = (
    "/sign-in",
    "/sign-out",
    "/account",
    "/my-data",
    "/data-requests",
    "/new",
    "/start",
    "/lexicons",
    "/federation/",
    "/tournaments/",
)
"""Path prefixes of pages for signed-in users, closed to other sites. The public routes below them are open."""

PRIVATE_PARTS = ("/keep", "/clock", "/slip")
"""Path suffixes of private pages below public pages of a game."""


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
"""Response headers that scripts of other sites may read."""

READABLE_ELSEWHERE = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": ", ".join(EXPOSED)}


class PublicCors(CORSMiddleware):
    """CORS for public content and for calls with a token, but not for content behind a cookie.

    Since the origin is ``*``, browsers hide responses to requests with cookies from other sites.
    """

    def __init__(self, app: ASGIApp, public: Iterable[re.Pattern[str]] = ()) -> None:
        """Wrap an application. ``public`` are the patterns of its public paths."""
        unnamed = (re.sub(r"\?P<\w+>", "?:", pattern.pattern) for pattern in public)
        self._public = re.compile("|".join(unnamed) or "(?!)")
        super().__init__(
            app,
            allow_origins=["*"],
            allow_methods=["GET", "HEAD", "POST"],
            allow_headers=["Authorization", "If-None-Match", "Last-Event-ID"],
            expose_headers=EXPOSED,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add CORS headers unless the page is private."""
        if self._is_private(scope["path"]):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    def _is_private(self, path: str) -> bool:
        return path.endswith(PRIVATE_PARTS) or (path.startswith(PRIVATE) and not self._public.match(path))


STRICT_TRANSPORT = "max-age=31536000"
"""HSTS for a year, without subdomains."""


class SafeHeaders:
    """ASGI middleware that sets the content policy, disables sniffing and, under TLS, sets HSTS."""

    def __init__(self, app: ASGIApp, *, is_indexed: bool = False) -> None:
        """Wrap an application. ``is_indexed`` allows search engines."""
        self._app = app
        self._is_indexed = is_indexed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to a response."""
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
