"""The names of metadata in calls of Faristol's own services."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import grpc

AUTHORIZATION = "authorization"
"""``Bearer`` and the token of the caller."""

ACTOR = "faristol-actor"
"""Id of the actor of a command, which is permanent in the record."""

ACTOR_NAME = "faristol-actor-name-bin"
"""Name of the actor in UTF-8, instead of an id. They get an id, and the name is stored beside it."""

ROLE = "faristol-role"
"""Role of the actor, if a process requires no credentials."""

CORRELATION = "faristol-correlation"
"""Correlation id of a command."""

VISITOR_ADDRESS = "faristol-visitor-address"
"""Address of the visitor that causes a call of the gateway."""

VISITOR_AGENT = "faristol-visitor-agent"
"""User agent of the visitor."""


def metadata_of(metadata: Iterable[tuple[str, str | bytes]] | None, name: str) -> str:
    """Return a value from the metadata of a call; empty if it is missing."""
    return next((str(value) for key, value in metadata or () if key == name), "")


class OwnServiceInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[type-arg] # generic only in the stubs
    """Intercepts calls of Faristol's own services, but not those of gRPC's, such as health."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any]]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """Wrap the handler if the call is of a service of Faristol."""
        handler: Any = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith("/faristol."):
            return handler
        return self.handler(handler, handler_call_details)

    @abstractmethod
    def handler(self, handler: Any, details: grpc.HandlerCallDetails) -> Any:
        """Return the handler to use instead of ``handler``."""
