"""Limits by address: rate, streams, and requests that wait for a future position."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faristol.gateway.http import bad_requests
from faristol.gateway.http.errors import Problem, as_json
from faristol.gateway.http.headers import READABLE_ELSEWHERE
from faristol.gateway.http.language import language_of
from faristol.gateway.live.feed import NewsSubscription
from faristol.host.security.visitor import to_count_key
from faristol.kernel.bounded import store_bounded
from faristol.kernel.refusal import N_
from faristol.text import say

MAX_WAITS = 32
"""Limit of waiting requests of an address. A position learned from this gateway never waits."""

WAIT_RETRY_SECONDS = 2
"""Seconds after which a client retries that has too many waiting requests."""

BURST_SECONDS = 10
"""Seconds' worth of requests that an idle address may send at once."""

MAX_RATED_ADDRESSES = 20_000
"""Limit of remembered addresses. A forgotten one counts as idle."""

STREAMS = ("/stream", "/judges/queue")
"""Suffixes of the paths of streams."""

STREAM_WEIGHT_COUNT = 2
"""Requests that the opening of a stream counts as: it needs a new connection and no cache answers it."""

STREAM_REFUSAL_SECONDS = 1.0
"""Seconds before a stream beyond the rate is refused.

A refusal costs nearly as much as a stream, and readers without a pause would return at once.
"""

TOO_MANY = N_("too many requests from this address; retry after the time in the header Retry-After")


_STREAM_SCOPE_KEY = "faristol.stream"


class _CountedStream:
    """Counted stream. After a hand-over, the new protocol reports its end."""

    __slots__ = ("_address", "_streams", "taken")

    def __init__(self, streams: Counter[str], address: str) -> None:
        self._streams = streams
        self._address = address
        self.taken = False
        streams[address] += 1

    def end(self) -> None:
        """Uncount the stream."""
        self._streams[self._address] -= 1
        if not self._streams[self._address]:
            del self._streams[self._address]


def keep_stream_counted(scope: Scope) -> Callable[[], None]:
    """Keep a stream counted after its request; return the function to call at its end."""
    held = scope[_STREAM_SCOPE_KEY]
    held.taken = True
    end: Callable[[], None] = held.end
    return end


class Rates:
    """ASGI middleware that answers 429 beyond the limits of an address, and reports its remaining quota.

    ``per_second`` is the limit of requests in a second; 0 for no limit. ``streams`` is the limit of concurrent streams.
    The headers are those of draft-ietf-httpapi-ratelimit-headers.
    """

    def __init__(self, app: ASGIApp, per_second: int, streams: int, clock: Callable[[], float] | None = None) -> None:
        self._app = app
        self._per_second = per_second
        self._burst = per_second * BURST_SECONDS
        self._most_streams = streams
        self._clock = clock or time.monotonic
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """Remaining quota of each address, and its time."""
        self._streams: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a request, or refuse it."""
        address = to_count_key(scope["client"][0]) if scope.get("client") else ""
        is_stream = scope["path"].endswith(STREAMS)
        left = self._take(address, STREAM_WEIGHT_COUNT if is_stream else 1)
        if left < 0:
            if is_stream:
                await asyncio.sleep(STREAM_REFUSAL_SECONDS)
            await refuse(scope, receive, send, math.ceil(-left / self._per_second))
            return
        if not is_stream:
            await self._app(scope, receive, self._add_rate_headers(send, left))
            return
        if self._streams[address] >= self._most_streams:
            await refuse(scope, receive, send, BURST_SECONDS)
            return
        held = scope[_STREAM_SCOPE_KEY] = _CountedStream(self._streams, address)
        try:
            await self._app(scope, receive, self._add_rate_headers(send, left))
        finally:
            if not held.taken:
                held.end()

    def _take(self, address: str, count: int) -> float:
        """Take requests from the quota of an address; return the rest, negative if it was exhausted."""
        if not self._per_second:
            return math.inf
        now = self._clock()
        left, before = self._left.pop(address, (float(self._burst), now))
        had = min(float(self._burst), left + (now - before) * self._per_second)
        left = had - count
        store_bounded(self._left, address, (left if left >= 0 else had, now), MAX_RATED_ADDRESSES)
        return left

    def _add_rate_headers(self, send: Send, left: float) -> Send:
        async def with_rate(message: Message) -> None:
            if message["type"] == "http.response.start" and left < math.inf:
                headers = MutableHeaders(scope=message)
                headers["RateLimit-Policy"] = f'"address";q={self._burst};w={BURST_SECONDS}'
                headers["RateLimit"] = f'"address";r={int(left)};t={BURST_SECONDS}'
            await send(message)

        return with_rate


async def refuse(scope: Scope, receive: Receive, send: Send, seconds: int) -> None:
    """Answer 429 with ``Retry-After``."""
    request = Request(scope)
    bad_requests.count_bad_request(
        "a request is one too many", to_count_key(scope["client"][0]) if scope.get("client") else ""
    )
    # A script of another site must be able to read when to retry.
    headers = {"Retry-After": str(max(1, seconds)), **READABLE_ELSEWHERE}
    problem = Problem(HTTPStatus.TOO_MANY_REQUESTS, say(TOO_MANY, {}, language_of(request)), {}, headers)
    await as_json(problem, request)(scope, receive, send)


class Waits:
    """ASGI middleware that answers 429 to a waiting request beyond the limit of its address.

    It runs behind the cache, where equal requests wait once.
    """

    def __init__(self, app: ASGIApp, tail: NewsSubscription) -> None:
        self._app = app
        self._tail = tail
        self._waiting: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count a waiting request, or refuse it."""
        if not self._waits(scope):
            await self._app(scope, receive, send)
            return
        address = to_count_key(scope["client"][0]) if scope.get("client") else ""
        if self._waiting[address] >= MAX_WAITS:
            await refuse(scope, receive, send, WAIT_RETRY_SECONDS)
            return
        self._waiting[address] += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._waiting[address] -= 1
            if not self._waiting[address]:
                del self._waiting[address]

    def _waits(self, scope: Scope) -> bool:
        """Check whether a request is for a position that this gateway has not reached."""
        query: bytes = scope["query_string"]
        if b"min_position" not in query:
            return False
        given = parse_qs(query.decode("latin-1")).get("min_position", [])
        return any(each.isascii() and each.isdecimal() and int(each[:19]) > self._tail.position for each in given)
