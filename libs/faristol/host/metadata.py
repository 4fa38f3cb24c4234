"""Calls of Faristol's own services, and what stands in their metadata under which name."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import grpc

AUTHORIZATION = "authorization"
"""``Bearer`` and the token of who makes the call."""

ACTOR = "faristol-actor"
"""The id of who sends a command, which stays on the record for ever."""

ACTOR_NAME = "faristol-actor-name-bin"
"""The name of who sends it, UTF-8, instead of an id. They get one, and the name is kept beside."""

ROLE = "faristol-role"
"""In what role it is sent, where a process asks for no credentials."""

CORRELATION = "faristol-correlation"
"""What a command belongs to."""

VISITOR_ADDRESS = "faristol-visitor-address"
"""The address of the visitor for whom the gateway makes a call."""

VISITOR_AGENT = "faristol-visitor-agent"
"""What the visitor's program calls itself."""


def metadata_of(metadata: Iterable[tuple[str, str | bytes]] | None, name: str) -> str:
    """What the metadata of a call has under a name; empty for nothing."""
    return next((str(value) for key, value in metadata or () if key == name), "")


class OwnServiceInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """Has a say in calls of Faristol's own services; what gRPC brings along, as health, goes by."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any]]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """See ``grpc.aio.ServerInterceptor``."""
        handler: Any = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith("/faristol."):
            return handler
        return self.handler(handler, handler_call_details)

    @abstractmethod
    def handler(self, handler: Any, details: grpc.HandlerCallDetails) -> Any:
        """What answers a call instead of ``handler``."""
