"""Replaces ``grpc.aio.Channel``: a channel to one address, or to any process that runs a service."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import grpc
import grpc.aio
from tests.campaigns.simulation.call import Answer, Call

if TYPE_CHECKING:
    from tests.campaigns.simulation.network import Network

_EMPTY = grpc.aio.Metadata()


class Channel:
    """The channel of stubs."""

    def __init__(self, network: Network, target: str) -> None:
        self._network = network
        self._target = target

    def unary_unary(
        self, method: str, request_serializer: Any, response_deserializer: Any, _registered_method: bool = False
    ) -> Any:
        """Return a method that is answered once."""

        async def call(
            request: Any, *, timeout: float | None = None, metadata: Any = None, wait_for_ready: bool | None = None
        ) -> Any:
            pieces = Pieces(self._network, self._target, method, request_serializer(request), timeout, metadata)
            return response_deserializer((await pieces.next()).data)

        return call

    def unary_stream(
        self, method: str, request_serializer: Any, response_deserializer: Any, _registered_method: bool = False
    ) -> Any:
        """Return a method that is answered piece by piece."""

        def call(request: Any, *, timeout: float | None = None, metadata: Any = None) -> Any:
            pieces = Pieces(self._network, self._target, method, request_serializer(request), timeout, metadata)
            return _Stream(pieces, response_deserializer)

        return call

    async def close(self, grace: float | None = None) -> None:
        """Do nothing: there is nothing to close."""


class Pieces:
    """Return the answer of a call. Raises ``grpc.aio.AioRpcError`` if there is none."""

    def __init__(
        self, network: Network, target: str, method: str, request: bytes, timeout: float | None, metadata: Any
    ) -> None:
        self._network = network
        until = network.world.loop.time() + timeout if timeout is not None else float("inf")
        self.call = Call(network.world.loop.serial(), method, request, tuple(metadata or ()), until)
        network.send(target, self.call)

    async def next(self) -> Answer:
        """Return the next answer."""
        left = self.call.until - self._network.world.loop.time()
        try:
            async with asyncio.timeout(left if left < float("inf") else None):
                answer = await self.call.answers.get()
        except TimeoutError:
            self._network.give_up(self.call)
            raise _error(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded") from None
        except asyncio.CancelledError:
            self._network.give_up(self.call)
            raise
        if answer.code is not grpc.StatusCode.OK:
            raise _error(answer.code, answer.details, grpc.aio.Metadata(*answer.trailing))
        return answer


class _Stream:
    """``grpc.aio.UnaryStreamCall``."""

    def __init__(self, pieces: Pieces, deserializer: Any) -> None:
        self._pieces = pieces
        self._deserializer = deserializer

    async def __aiter__(self) -> AsyncIterator[Any]:
        while (piece := await self._pieces.next()).more:
            yield self._deserializer(piece.data)

    async def read(self) -> Any:
        """Return the next piece, or ``grpc.aio.EOF``."""
        piece = await self._pieces.next()
        end: Any = grpc.aio.EOF  # type: ignore[attr-defined] # missing in grpc-stubs
        return self._deserializer(piece.data) if piece.more else end

    def cancel(self) -> None:
        """Stop waiting for pieces."""
        self._pieces._network.give_up(self._pieces.call)


def _error(code: grpc.StatusCode, details: str, trailing: grpc.aio.Metadata = _EMPTY) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, _EMPTY, trailing, details, "")
