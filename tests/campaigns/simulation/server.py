"""Replaces ``grpc.aio.Server``: the interceptors and handlers are those of the process."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import grpc
import grpc.aio
from tests.campaigns.simulation.call import Answer, Call
from tests.campaigns.simulation.nodes import Node

if TYPE_CHECKING:
    from tests.campaigns.simulation.network import Network


class Server:
    """Answers the calls that arrive at a process."""

    def __init__(self, network: Network, node: Node, interceptors: Sequence[Any]) -> None:
        self.node = node
        self._network = network
        self._interceptors = list(interceptors)
        self._handlers: list[Any] = []
        self._names: list[str] = []
        self._address = ""
        self._waiting: set[Call] = set()
        """Calls that have come, and that the process has not taken up."""
        self._running: dict[Call, asyncio.Task[None]] = {}
        self._has_stopped = asyncio.Event()

    def add_insecure_port(self, address: str) -> int:
        """See ``grpc.aio.Server``, as with the other public methods."""
        self._address = address
        return int(address.rpartition(":")[2])

    def add_generic_rpc_handlers(self, handlers: Sequence[Any]) -> None:
        self._handlers.extend(handlers)

    def add_registered_method_handlers(self, service: str, handlers: Any) -> None:
        self._names.append(service)

    async def start(self) -> None:
        self._network.servers[self._address] = self
        self.node.on_end.append(self._lose_calls)

    async def wait_for_termination(self, timeout: float | None = None) -> bool:
        try:
            async with asyncio.timeout(timeout):
                await self._has_stopped.wait()
        except TimeoutError:
            return True
        return False

    async def stop(self, grace: float | None) -> None:
        self._away()
        self._has_stopped.set()
        if self._running:
            await asyncio.wait([*self._running.values()], timeout=grace)
        for call, task in [*self._running.items()]:
            task.cancel()
            self._network.lose(call)

    def serves(self, service: str) -> bool:
        """Return whether this process runs a service."""
        return any(name.startswith(f"faristol.{service}.") for name in self._names)

    def receive(self, call: Call) -> None:
        """Receive a call; the process handles it when its turn comes."""
        self._waiting.add(call)
        self._network.world.loop.call_soon(self._take, call, context=self.node.context)

    def _take(self, call: Call) -> None:
        self._waiting.discard(call)
        self._running[call] = asyncio.ensure_future(self._work(call))

    def cancel(self, call: Call) -> None:
        """Cancel a call, because the caller has gone."""
        if task := self._running.get(call):
            task.cancel()

    def _away(self) -> None:
        if self._network.servers.get(self._address) is self:
            del self._network.servers[self._address]

    def _lose_calls(self) -> None:
        self._away()
        for call in sorted((*self._waiting, *self._running), key=lambda call: call.number):
            self._network.lose(call)

    async def _work(self, call: Call) -> None:
        context = _Context(call.metadata, call.until - self._network.world.loop.time())
        try:
            answer = await self._answer(call, context)
        except grpc.aio.AbortError:
            answer = Answer(context.code, details=context.details, trailing=context.trailing)
        finally:
            self._running.pop(call, None)
        self._network.witness.compare(str(call), call.before, answer.code, answer.data)
        self._network.world.trace.note("call", f"{call} {answer.code.name} {answer.details}")
        self._network.answer(call, answer)

    async def _answer(self, call: Call, context: _Context) -> Answer:
        """Return the answer, or the end of a stream of answers."""
        handler = await self._handler(_Details(call.method, call.metadata))
        if handler is None:
            return Answer(grpc.StatusCode.UNIMPLEMENTED)
        request = handler.request_deserializer(call.request)
        if handler.unary_stream:
            async for piece in handler.unary_stream(request, context):
                self._network.answer(call, Answer(grpc.StatusCode.OK, handler.response_serializer(piece), more=True))
            return Answer(grpc.StatusCode.OK)
        call.before = self._network.witness.answer_to(request)
        response = await handler.unary_unary(request, context)
        return Answer(grpc.StatusCode.OK, handler.response_serializer(response))

    async def _handler(self, details: _Details) -> Any:
        async def find_handler(details: _Details) -> Any:
            return next((handler for each in self._handlers if (handler := each.service(details))), None)

        find: Any = find_handler
        for interceptor in reversed(self._interceptors):
            find = _wrap_interceptor(interceptor, find)
        return await find(details)


def _wrap_interceptor(interceptor: Any, find: Any) -> Any:
    async def through(details: _Details) -> Any:
        return await interceptor.intercept_service(find, details)

    return through


@dataclass(frozen=True, slots=True)
class _Details:
    """``grpc.HandlerCallDetails``."""

    method: str
    invocation_metadata: tuple[Any, ...]


@dataclass(slots=True)
class _Context:
    """The used part of ``grpc.aio.ServicerContext``."""

    metadata: tuple[Any, ...]
    left: float
    """Seconds that the caller waits."""
    code: grpc.StatusCode = grpc.StatusCode.UNKNOWN
    details: str = ""
    trailing: tuple[tuple[str, Any], ...] = field(default=())

    def invocation_metadata(self) -> tuple[Any, ...]:
        return self.metadata

    def peer(self) -> str:
        return "unix:simulated"

    def auth_context(self) -> Mapping[str, Any]:
        return {}

    def time_remaining(self) -> float | None:
        return self.left if self.left < float("inf") else None

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Any = ()) -> NoReturn:
        self.code, self.details, self.trailing = code, details, tuple(trailing_metadata)
        raise grpc.aio.AbortError

    async def abort_with_status(self, status: Any) -> NoReturn:
        await self.abort(status.code, status.details, status.trailing_metadata)
