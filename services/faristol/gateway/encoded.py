"""Answers that are made once and long: a document for programs, sent encoded to whoever takes it so."""

from __future__ import annotations

from functools import lru_cache

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from faristol.gateway.representation import Header, Representation

KEPT = 16
"""Documents that are kept encoded: to encode one of 200 kB takes some 20 ms, which a crowd would take of others."""

_OWN = frozenset((b"set-cookie", b"vary"))
"""Headers of an answer to one visitor."""


class Encoded(Response):
    """An answer by what the request accepts (``Accept-Encoding``) and knows already (``If-None-Match``)."""

    def __init__(self, answer: Response) -> None:
        """``answer`` is whole: no stream."""
        super().__init__(answer.body, answer.status_code)
        self.raw_headers = answer.raw_headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        given = {name: value.decode("latin-1") for name, value in scope["headers"]}
        shared = tuple(header for header in self.raw_headers if header[0] not in _OWN)
        vary = [value for name, value in self.raw_headers if name == b"vary"]
        await _represented(self.status_code, shared, bytes(self.body)).send(
            send,
            accepted=given.get(b"accept-encoding", ""),
            known=given.get(b"if-none-match", ""),
            vary=b", ".join((*vary, b"Accept-Encoding")),
            more=[header for header in self.raw_headers if header[0] == b"set-cookie"],
        )


@lru_cache(KEPT)
def _represented(status: int, headers: tuple[Header, ...], body: bytes) -> Representation:
    return Representation.of(status, headers, body)
