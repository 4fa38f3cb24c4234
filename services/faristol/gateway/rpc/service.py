"""Client of the public part of a service. The cache detects by its responses whether a page is unchanged."""

from __future__ import annotations

from typing import Any, ClassVar, Self, TypeVar

import grpc
from starlette.requests import Request

from faristol.client.services import RequestFor, method_of
from faristol.gateway.cache.recorded_reads import ServiceReads, reads_of
from faristol.gateway.http.language import language_of
from faristol.host.rpc.interceptor import REFUSAL_LANGUAGE

A = TypeVar("A")
"""Response."""

SERVICE_TIMEOUT_SECONDS = 10.0
"""Timeout of a service call in seconds."""

UNAVAILABLE_CODES = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNIMPLEMENTED)
"""Status codes of a service that is unavailable."""


class Service:
    """Public part of a service, with texts in ``language``.

    Every call raises ``grpc.aio.AioRpcError``, with texts in ``refusals``, by default in ``language``.
    """

    kept: ClassVar[str]
    """Name of the stub in ``app.state``."""

    @classmethod
    async def for_visitor(cls, request: Request) -> Self:
        """Return the service in the visitor's language, as a dependency of routes."""
        return cls(getattr(request.app.state, cls.kept), language_of(request), asked=reads_of(request))

    def __init__(
        self, stub: Any, language: str, refusals: str = "", asked: ServiceReads | None = None, token: str = ""
    ) -> None:
        """Use a stub, with the ``token`` of a user if given. ``asked`` records every request and its response."""
        self._stub: Any = stub
        self._to_tell = asked
        self._metadata = (
            *(("accept-language", language), (REFUSAL_LANGUAGE, refusals or language)),
            *([("authorization", f"Bearer {token}")] if token else []),
        )

    async def ask(self, request: RequestFor[A], deadline: float = SERVICE_TIMEOUT_SECONDS, *, without: str = "") -> A:
        """Return the response to a request within ``deadline`` seconds, without a field if it is named."""
        asked: Any = request
        answer = await getattr(self._stub, method_of(asked.DESCRIPTOR).name)(
            request, timeout=deadline, metadata=self._metadata
        )
        if without:
            answer.ClearField(without)
        if self._to_tell:
            self._to_tell.note(asked, answer)
        found: A = answer
        return found
