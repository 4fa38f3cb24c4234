"""Headers that every answer carries."""

from __future__ import annotations

import re

from starlette.datastructures import MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

EMBEDDABLE = re.compile(r"/games/[^/]+/embed")
"""The one page that other sites may show in a frame: it has nothing that is done by a click, and no cookie opens it."""

EMBEDDED_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")


PRIVATE = ("/sign-in", "/sign-out", "/account", "/new", "/tournaments/", "/api/v1/judges/", "/api/v1/officials/")
"""Where pages and streams are of who is signed in: no other site reads there."""

PRIVATE_PARTS = ("/keep", "/clock", "/slip")
"""The same beside public pages of a game: how their addresses end."""


class PublicCors(CORSMiddleware):
    """Lets programs of other sites read what is public, and nothing that a cookie opens."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "http" and (scope["path"].startswith(PRIVATE) or scope["path"].endswith(PRIVATE_PARTS)):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


class SafeHeaders:
    """Tells browsers to load nothing from elsewhere and to guess nothing."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        policy = EMBEDDED_POLICY if EMBEDDABLE.fullmatch(scope["path"]) else CONTENT_SECURITY_POLICY

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = policy
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
            await send(message)

        await self._app(scope, receive, with_headers)
