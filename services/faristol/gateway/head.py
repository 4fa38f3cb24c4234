"""HEAD wherever there is GET: the same status and headers, and no body."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ASKED = "faristol.head"


def is_head(scope: Scope) -> bool:
    """Whether a request that is answered as GET was HEAD: what makes a body without end needs not begin it."""
    return bool(scope.get(_ASKED))


class Head:
    """Answers HEAD as GET is answered, without the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            if message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self._app({**scope, "method": "GET", _ASKED: True}, receive, without_body)
