"""Limit of requests of an address that wait for a future position."""

from __future__ import annotations

from collections import Counter
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from faristol.gateway.http.rate_limit import refuse
from faristol.gateway.live.feed import NewsSubscription
from faristol.host.security.visitor import to_count_key

MAX_WAITS = 32
"""Limit of waiting requests of an address. A position learned from this gateway never waits."""

RETRY_SECONDS = 2


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
            await refuse(scope, receive, send, RETRY_SECONDS)
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
