"""Large, static answers such as OpenAPI documents, sent compressed to clients that accept it."""

from __future__ import annotations

from functools import lru_cache

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from faristol.gateway.cache.representation import Header, Representation

ENCODED_CACHE_SIZE = 16
"""Limit of cached documents: compressing 200 kB takes some 20 ms of the event loop."""

_VISITOR_HEADERS = frozenset((b"set-cookie", b"vary"))
"""Headers that differ by visitor."""


class Encoded(Response):
    """Response that honours ``Accept-Encoding`` and ``If-None-Match``."""

    def __init__(self, answer: Response) -> None:
        """Wrap a complete response, not a stream."""
        super().__init__(answer.body, answer.status_code)
        self.raw_headers = answer.raw_headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""
        given = {name: value.decode("latin-1") for name, value in scope["headers"]}
        shared = tuple(header for header in self.raw_headers if header[0] not in _VISITOR_HEADERS)
        vary = [value for name, value in self.raw_headers if name == b"vary"]
        await _build_representation(self.status_code, shared, bytes(self.body)).send(
            send,
            accepted=given.get(b"accept-encoding", ""),
            known=given.get(b"if-none-match", ""),
            vary=b", ".join((*vary, b"Accept-Encoding")),
            more=[header for header in self.raw_headers if header[0] == b"set-cookie"],
        )


@lru_cache(ENCODED_CACHE_SIZE)
def _build_representation(status: int, headers: tuple[Header, ...], body: bytes) -> Representation:
    return Representation.of(status, headers, body)
