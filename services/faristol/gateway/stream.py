"""Streams of news: begun as any answer is, then handed over to the fan-out."""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from faristol.gateway.connections import HAND_OVER, Line
from faristol.gateway.head import is_head
from faristol.gateway.rates import held_stream
from faristol.gateway.topics import plainly
from faristol.gateway.viewers import Fanout, Viewer
from faristol.kernel.topics import Topic


class StreamAnswer(Response):
    """News of a topic after a position, and what comes, until one of both ends leaves.

    The headers go the way of every answer; then the connection is the fan-out's.
    """

    media_type = "text/event-stream"

    def __init__(self, fanout: Fanout, topic: Topic, after: int, given: str = "") -> None:
        """``given`` is the fingerprint that came with ``after``, where one did."""
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})
        self._fanout = fanout
        self._topic = topic
        self._after = after
        self._given = given

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if is_head(scope):
            await send({"type": "http.response.body", "body": b""})
            return

        def viewer(line: Line) -> Viewer:
            left = held_stream(scope)
            chunked = scope["http_version"] != "1.0"
            return self._fanout.join(self._topic, self._after, line, left, chunked=chunked, given=self._given)

        scope["extensions"][HAND_OVER](viewer)


class Streams:
    """Answers who plainly asks for the stream of a tournament that is known, at a tenth of what the framework takes.

    A crowd comes back all at once. Everything else is the route's: what is described, checked or refused.
    """

    def __init__(self, app: ASGIApp, fanout: Fanout) -> None:
        self._app = app
        self._fanout = fanout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        answer = self._app
        is_stream = scope["type"] == "http" and scope["path"].endswith("/stream")
        if is_stream and (asked := self._plainly(scope)):
            answer = StreamAnswer(self._fanout, *asked)
        await answer(scope, receive, send)

    def _plainly(self, scope: Scope) -> tuple[Topic, int, str] | None:
        return plainly(scope, self._fanout.known, self._fanout.checked, self._fanout.last_position)
