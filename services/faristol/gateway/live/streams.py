"""Streams of notifications: they begin as normal responses, then are handed over to the fan-out.

A stream that is opened often is known: its tournament exists, and its request was validated.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from faristol.fanout import Fanout, Viewer
from faristol.gateway.http.head import is_head
from faristol.gateway.http.limits import HAND_OVER, HandedOverConnection
from faristol.gateway.http.rate_limit import keep_stream_counted
from faristol.gateway.live.feed import NewsSubscription
from faristol.gateway.live.subscriptions import MAX_LIST_CHARACTERS, StreamKey, parse_position, split_request
from faristol.kernel.bounded import store_bounded
from faristol.kernel.topics import Topic

MAX_KNOWN_TOURNAMENTS = 4_096
"""Limit of cached tournaments that exist."""

MAX_KNOWN_TOPICS = 4_096
"""Limit of cached topics of requests."""


class StreamAnswer(Response):
    """Notifications of a topic after a position, then live, until either side closes the connection.

    The headers are sent like those of any response; then the fan-out takes over the connection.
    """

    media_type = "text/event-stream"

    def __init__(self, fanout: Fanout, topic: Topic, after: int, given: str = "") -> None:
        """Prepare a stream. ``given`` is the fingerprint for ``after``, if the client sent one."""
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})
        self._fanout = fanout
        self._topic = topic
        self._after = after
        self._given = given

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the headers and hand the connection over."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        if is_head(scope):
            await send({"type": "http.response.body", "body": b""})
            return

        def viewer(line: HandedOverConnection) -> Viewer:
            left = keep_stream_counted(scope)
            chunked = scope["http_version"] != "1.0"
            return self._fanout.join(self._topic, self._after, line, left, chunked=chunked, given=self._given)

        scope["extensions"][HAND_OVER](viewer)


class KnownStreams:
    """A cache of tournaments that exist and of validated requests. It is invalidated when the subscription restarts."""

    def __init__(self) -> None:
        self._divisions: OrderedDict[str, str] = OrderedDict()
        """Existing tournaments with the first division of their championship or empty."""
        self._asking: dict[tuple[str, str], asyncio.Future[str]] = {}
        self.topics: OrderedDict[StreamKey, Topic] = OrderedDict()
        """Topics of validated requests."""

    async def find_division(self, tournament_id: str, language: str, ask: Callable[[str], Awaitable[str]]) -> str:
        """Return the first division of a tournament's championship or empty. Raises the errors of ``ask``.

        ``ask`` is called once in a language for all concurrent requests.
        """
        if tournament_id not in self._divisions:
            key = (tournament_id, language)
            if (task := self._asking.get(key)) is None:
                task = self._asking[key] = asyncio.ensure_future(ask(tournament_id))
                task.add_done_callback(lambda _: self._asking.pop(key))
            store_bounded(self._divisions, tournament_id, await asyncio.shield(task), MAX_KNOWN_TOURNAMENTS)
        return self._divisions[tournament_id]

    def add_topic(self, key: StreamKey, topic: Topic) -> None:
        """Store the topic of a validated request, unless it is long."""
        if len(key[1]) <= MAX_LIST_CHARACTERS:
            store_bounded(self.topics, key, topic, MAX_KNOWN_TOPICS)

    def clear(self) -> None:
        """Invalidate the cache."""
        self._divisions.clear()
        self.topics.clear()


class Streams:
    """ASGI middleware that answers requests for known streams at a tenth of the cost of the framework.

    A crowd reconnects at the same time. Other requests go to the route, which describes, validates and refuses.
    """

    def __init__(self, app: ASGIApp, fanout: Fanout, known: KnownStreams, tail: NewsSubscription) -> None:
        self._app = app
        self._fanout = fanout
        self._known = known
        self._tail = tail

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request for a known stream directly; pass other requests on."""
        answer = self._app
        is_stream = scope["path"].endswith("/stream") and scope["method"] == "GET"
        if is_stream and (asked := self._find_stream(scope)):
            answer = StreamAnswer(self._fanout, *asked)
        await answer(scope, receive, send)

    def _find_stream(self, scope: Scope) -> tuple[Topic, int, str] | None:
        key, resumption = split_request(scope)
        if (topic := self._known.topics.get(key)) is None:
            return None
        position = parse_position(scope, resumption, self._tail.last_position)
        return None if position is None else (topic, *position)
