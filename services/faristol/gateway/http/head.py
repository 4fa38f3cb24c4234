"""HEAD for every GET route: the same status and headers without a body."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ASKED = "faristol.head"


def is_head(scope: Scope) -> bool:
    """Check whether the request was HEAD, so that an endless body need not start."""
    return bool(scope.get(_ASKED))


class Head:
    """ASGI middleware that answers HEAD like GET, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer HEAD without the body."""
        if scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET", _ASKED: True}, receive, without_body)
