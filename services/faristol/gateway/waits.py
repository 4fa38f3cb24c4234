"""How many answers of one address may wait for a position that has not come."""

from __future__ import annotations

from collections import Counter
from urllib.parse import parse_qs

from starlette.types import ASGIApp, Receive, Scope, Send

from faristol.gateway.rates import refuse
from faristol.gateway.tail import Tail
from faristol.host.visitor import counted

MOST_COUNT = 32
"""Requests of an address that wait at the same time. Whoever heard of a position from this gateway never waits."""

RETRY_SECONDS = 2


class Waits:
    """Refuses with 429 what would wait beside too many others of the same address.

    It stands behind the cache: those who ask for the same at the same time wait once.
    """

    def __init__(self, app: ASGIApp, tail: Tail) -> None:
        self._app = app
        self._tail = tail
        self._waiting: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] != "http" or not self._waits(scope):
            await self._app(scope, receive, send)
            return
        address = counted(scope["client"][0]) if scope.get("client") else ""
        if self._waiting[address] >= MOST_COUNT:
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
        """Whether a request is for a position of which this gateway has not heard."""
        query: bytes = scope["query_string"]
        if b"min_position" not in query:
            return False
        given = parse_qs(query.decode("latin-1")).get("min_position", [])
        return any(each.isascii() and each.isdecimal() and int(each[:19]) > self._tail.position for each in given)
