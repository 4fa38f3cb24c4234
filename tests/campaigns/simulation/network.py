"""The network between gRPC callers and servers: calls are serialised, and get lost, doubled and late."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, NoReturn
from unittest.mock import patch

import grpc
import grpc.aio
from tests.campaigns.simulation.loop import NODE
from tests.campaigns.simulation.nodes import Node
from tests.campaigns.simulation.witness import Witness
from tests.campaigns.simulation.world import World

SLOWEST = 0.004
"""Seconds that a message takes at most, one way, when nothing is wrong."""
LATE = 3.0
"""Seconds after which a call may still arrive a second time."""

_EMPTY = grpc.aio.Metadata()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server says."""

    code: grpc.StatusCode
    data: bytes = b""
    details: str = ""
    trailing: tuple[tuple[str, Any], ...] = ()


class Network:
    """Every gRPC server and every call."""

    def __init__(self, world: World, witness: Witness) -> None:
        self.world = world
        self.witness = witness
        self.servers: dict[str, Server] = {}
        """By address, those that listen."""
        self._luck = world.luck("network")

    @contextmanager
    def around(self) -> Iterator[None]:
        """Have servers and channels be those of this network."""
        with ExitStack() as stack:
            stack.enter_context(patch.object(grpc.aio, "server", self._server))
            stack.enter_context(patch.object(grpc.aio, "insecure_channel", self._channel))
            yield

    def _server(self, interceptors: Sequence[Any] = (), options: Any = None) -> Server:
        node = NODE.get()
        assert isinstance(node, Node), "a server is somebody's"
        return Server(self, node, interceptors)

    def _channel(self, target: str, options: Any = None, interceptors: Any = None) -> Channel:
        return Channel(self, target)

    def delay(self) -> float:
        """Seconds that a message takes."""
        return self._luck.random() * SLOWEST

    def one_of(self, target: str) -> Server | None:
        """A server at this address; behind a name without a port, any that serves what is called so."""
        if ":" in target:
            return self.servers.get(target)
        there = [server for server in self.servers.values() if server.serves(target)]
        return self._luck.choice(there) if there else None

    def send(self, target: str, call: Call) -> None:
        """Carry a call to a server, or lose it on the way."""
        faults = self.world.faults
        if self.world.happens(faults.call_lost):
            self.world.trace.note("fault", f"{call} is lost")
            self._unreachable(call)
            return
        self.world.loop.call_later(self.delay(), self._arrive, target, call)
        if call.repeatable and self.world.happens(faults.call_twice):
            self.world.trace.note("fault", f"{call} is sent twice")
            again = Call(call.method, call.request, call.metadata, call.until, None)
            self.world.loop.call_later(self._luck.random() * LATE, self._arrive, target, again)

    def _arrive(self, target: str, call: Call) -> None:
        server = self.one_of(target)
        if server is None or call.cancelled:
            self._unreachable(call)
        else:
            call.server = server
            self.world.loop.call_soon(server.take, call, context=server.node.context)

    def back(self, call: Call, answer: Answer) -> None:
        """Carry an answer to who called, or lose it on the way."""
        if self.world.happens(self.world.faults.answer_lost):
            self.world.trace.note("fault", f"the answer to {call} is lost")
            self._unreachable(call)
        else:
            self._home(call, answer)

    def _unreachable(self, call: Call) -> None:
        if self._luck.random() < 0.2:
            return  # nobody says so: the caller waits until its time is over
        self._home(call, Answer(grpc.StatusCode.UNAVAILABLE, details="the connection was lost"))

    def _home(self, call: Call, answer: Answer) -> None:
        if call.answered is not None:
            self.world.loop.call_later(self.delay(), _settle, call.answered, answer, context=call.context)


def _settle(future: asyncio.Future[Answer], answer: Answer) -> None:
    if not future.done():
        future.set_result(answer)


class Call:
    """A call on its way."""

    def __init__(
        self,
        method: str,
        request: bytes,
        metadata: tuple[Any, ...],
        until: float,
        answered: asyncio.Future[Answer] | None,
    ) -> None:
        self.method = method
        self.request = request
        self.metadata = metadata
        self.until = until
        """When the caller gives up."""
        self.answered = answered
        """None when nobody waits."""
        self.context = copy_context()
        """The caller's."""
        self.cancelled = False
        self.before: bytes | None = None
        """What this command was answered before it came."""
        self.server: Server | None = None

    @property
    def repeatable(self) -> bool:
        return self.answered is not None

    def __str__(self) -> str:
        return self.method.rpartition("/")[2]


class Server:
    """In the place of ``grpc.aio.Server``."""

    def __init__(self, network: Network, node: Node, interceptors: Sequence[Any]) -> None:
        self.node = node
        self._network = network
        self._interceptors = list(interceptors)
        self._handlers: list[Any] = []
        self._names: list[str] = []
        self._address = ""
        self._running: dict[Call, asyncio.Task[None]] = {}

    def add_insecure_port(self, address: str) -> int:
        self._address = address
        return int(address.rpartition(":")[2])

    def add_generic_rpc_handlers(self, handlers: Sequence[Any]) -> None:
        self._handlers.extend(handlers)

    def add_registered_method_handlers(self, service: str, handlers: Any) -> None:
        self._names.append(service)

    def serves(self, service: str) -> bool:
        return any(name.startswith(f"faristol.{service}.") for name in self._names)

    async def start(self) -> None:
        self._network.servers[self._address] = self
        self.node.on_crash.append(self._crashed)

    async def stop(self, grace: float | None) -> None:
        self._away()
        if self._running:
            await asyncio.wait([*self._running.values()], timeout=grace)
        for task in [*self._running.values()]:
            task.cancel()

    def _away(self) -> None:
        if self._network.servers.get(self._address) is self:
            del self._network.servers[self._address]

    def _crashed(self) -> None:
        self._away()
        for call in self._running:
            self._network._unreachable(call)

    def take(self, call: Call) -> None:
        """A call has arrived."""
        self._running[call] = asyncio.ensure_future(self._work(call))

    def cancel(self, call: Call) -> None:
        """The caller has gone away."""
        if task := self._running.get(call):
            task.cancel()

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
        self._network.back(call, answer)

    async def _answer(self, call: Call, context: _Context) -> Answer:
        details = _Details(call.method, call.metadata)

        async def found(details: _Details) -> Any:
            return next((h for handler in self._handlers if (h := handler.service(details))), None)

        find: Any = found
        for interceptor in reversed(self._interceptors):
            find = _intercepted(interceptor, find)
        handler = await find(details)
        if handler is None or not handler.unary_unary:
            return Answer(grpc.StatusCode.UNIMPLEMENTED)
        request = handler.request_deserializer(call.request)
        call.before = self._network.witness.answer_to(request)
        response = await handler.unary_unary(request, context)
        return Answer(grpc.StatusCode.OK, handler.response_serializer(response))


def _intercepted(interceptor: Any, find: Any) -> Any:
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
    """What of ``grpc.aio.ServicerContext`` is used."""

    metadata: tuple[Any, ...]
    left: float
    """Seconds that the caller waits."""
    code: grpc.StatusCode = grpc.StatusCode.UNKNOWN
    details: str = ""
    trailing: tuple[tuple[str, Any], ...] = field(default=())

    def invocation_metadata(self) -> tuple[Any, ...]:
        return self.metadata

    def time_remaining(self) -> float:
        return self.left

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Any = ()) -> NoReturn:
        self.code, self.details, self.trailing = code, details, tuple(trailing_metadata)
        raise grpc.aio.AbortError

    async def abort_with_status(self, status: Any) -> NoReturn:
        await self.abort(status.code, status.details, status.trailing_metadata)


class Channel:
    """In the place of ``grpc.aio.Channel``: a way to one address."""

    def __init__(self, network: Network, target: str) -> None:
        self._network = network
        self._target = target

    def unary_unary(
        self, method: str, request_serializer: Any, response_deserializer: Any, _registered_method: bool = False
    ) -> Any:
        async def call(
            request: Any, *, timeout: float | None = None, metadata: Any = None, wait_for_ready: bool | None = None
        ) -> Any:
            data = request_serializer(request)
            answer = await self._call(method, data, timeout, tuple(metadata or ()))
            if answer.code is not grpc.StatusCode.OK:
                trailing = grpc.aio.Metadata(*answer.trailing)
                raise grpc.aio.AioRpcError(answer.code, _EMPTY, trailing, answer.details, "")
            return response_deserializer(answer.data)

        return call

    def unary_stream(self, method: str, *_: Any, **__: Any) -> Any:
        return None

    async def _call(self, method: str, data: bytes, timeout: float | None, metadata: tuple[Any, ...]) -> Answer:
        network = self._network
        until = network.world.loop.time() + (timeout or 3600.0)
        call = Call(method, data, metadata, until, network.world.loop.create_future())
        assert call.answered is not None
        network.send(self._target, call)
        try:
            async with asyncio.timeout(timeout):
                return await call.answered
        except TimeoutError:
            self._give_up(call)
            return Answer(grpc.StatusCode.DEADLINE_EXCEEDED, details="Deadline Exceeded")
        except asyncio.CancelledError:
            self._give_up(call)
            raise

    def _give_up(self, call: Call) -> None:
        call.cancelled = True
        if server := call.server:
            self._network.world.loop.call_later(self._network.delay(), server.cancel, call, context=server.node.context)

    async def close(self, grace: float | None = None) -> None:
        """There is nothing to close."""
