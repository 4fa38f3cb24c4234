"""How often an address may ask, and how many streams it may follow at once."""

from __future__ import annotations

import math
from collections import Counter, OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from time import monotonic

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faristol.gateway import broken
from faristol.gateway.headers import READABLE_ELSEWHERE
from faristol.gateway.language import language_of
from faristol.gateway.problems import Problem, as_json
from faristol.host.visitor import counted
from faristol.kernel.bounded import keep
from faristol.kernel.refusal import N_
from faristol.text import say

BURST_SECONDS = 10
"""An address that was silent for so long may ask so many seconds' worth of requests at once."""

REMEMBERED = 20_000
"""Addresses whose rate is remembered. Who is forgotten may ask as if they had been silent."""

STREAMS = ("/stream", "/judges/queue")
"""What the addresses of streams end with."""

TOO_MANY = N_("too many requests from this address; the header Retry-After says when to ask again")


_HELD = "faristol.stream"


class _Held:
    """A stream that counts. Whoever takes it over says when it ends."""

    __slots__ = ("_address", "_streams", "taken")

    def __init__(self, streams: Counter[str], address: str) -> None:
        self._streams = streams
        self._address = address
        self.taken = False
        streams[address] += 1

    def end(self) -> None:
        """It has ended."""
        self._streams[self._address] -= 1
        if not self._streams[self._address]:
            del self._streams[self._address]


def held_stream(scope: Scope) -> Callable[[], None]:
    """Let a stream go on, and count, beyond its request: gives what is to be called when it ends."""
    held = scope[_HELD]
    held.taken = True
    end: Callable[[], None] = held.end
    return end


class Rates:
    """Refuses with 429 what is too much from one address, and tells each how much is left.

    ``per_second`` is how many requests an address may send in a second; 0: any number. ``streams`` is how many streams
    it may follow at a time. The headers are those of draft-ietf-httpapi-ratelimit-headers.
    """

    def __init__(self, app: ASGIApp, per_second: int, streams: int, clock: Callable[[], float] = monotonic) -> None:
        self._app = app
        self._per_second = per_second
        self._burst = per_second * BURST_SECONDS
        self._most_streams = streams
        self._clock = clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """How many requests each address has left, and as of when."""
        self._streams: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        address = counted(scope["client"][0]) if scope.get("client") else ""
        left = self._take(address)
        if left < 0:
            await refuse(scope, receive, send, math.ceil(-left / self._per_second))
            return
        if not scope["path"].endswith(STREAMS):
            await self._app(scope, receive, self._told(send, left))
            return
        if self._streams[address] >= self._most_streams:
            await refuse(scope, receive, send, BURST_SECONDS)
            return
        held = scope[_HELD] = _Held(self._streams, address)
        try:
            await self._app(scope, receive, self._told(send, left))
        finally:
            if not held.taken:
                held.end()

    def _take(self, address: str) -> float:
        """Take a request of an address: how many it has left, below 0 where it had none."""
        if not self._per_second:
            return math.inf
        now = self._clock()
        left, before = self._left.pop(address, (float(self._burst), now))
        had = min(float(self._burst), left + (now - before) * self._per_second)
        left = had - 1
        keep(self._left, address, (left if left >= 0 else had, now), REMEMBERED)
        return left

    def _told(self, send: Send, left: float) -> Send:
        async def with_rate(message: Message) -> None:
            if message["type"] == "http.response.start" and left < math.inf:
                headers = MutableHeaders(scope=message)
                headers["RateLimit-Policy"] = f'"address";q={self._burst};w={BURST_SECONDS}'
                headers["RateLimit"] = f'"address";r={int(left)};t={BURST_SECONDS}'
            await send(message)

        return with_rate


async def refuse(scope: Scope, receive: Receive, send: Send, seconds: int) -> None:
    """Answer 429, and that it is worth asking again in so many seconds."""
    request = Request(scope)
    broken.tell("a request is one too many", counted(scope["client"][0]) if scope.get("client") else "")
    # A program on a page of another site has to see when it may ask again.
    headers = {"Retry-After": str(max(1, seconds)), **READABLE_ELSEWHERE}
    problem = Problem(HTTPStatus.TOO_MANY_REQUESTS, say(TOO_MANY, {}, language_of(request)), {}, headers)
    await as_json(problem, request)(scope, receive, send)
