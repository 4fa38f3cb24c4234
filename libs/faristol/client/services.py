"""Stubs of the public services, their methods by request, and calls with retries."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Protocol, TypeVar

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.pb.access.v1 import access_pb2_grpc
from faristol.pb.clock.v1 import clock_pb2_grpc, turns_pb2_grpc
from faristol.pb.game.v1 import duplicate_pb2_grpc, game_pb2_grpc
from faristol.pb.lexicon.v1 import lexicon_pb2_grpc
from faristol.pb.pairing.v1 import pairing_pb2_grpc
from faristol.pb.rating.v1 import rating_pb2_grpc
from faristol.pb.results.v1 import results_pb2_grpc

A_co = TypeVar("A_co", covariant=True)
"""Response."""


class RequestFor(Protocol[A_co]):
    """Request of a method with a response of type ``A_co``. Only the generated stubs of requests declare it."""

    @property
    def _response(self) -> A_co: ...


_SERVED_BY = {"hall": "game", "register": "rating", "season": "rating"}
"""Services that serve packages of the contract with another name."""


@cache
def method_of(request: Any) -> MethodDescriptor:
    """Return the method of a request, a descriptor. The contract has the requests of a service in its file."""
    services = request.file.services_by_name.values()
    found: MethodDescriptor = next(
        method for service in services for method in service.methods if method.input_type is request
    )
    return found


def service_of(request: Any) -> str:
    """Return the name of the service of a request, a descriptor: ``game`` for the package ``faristol.game.v1``."""
    context = str(request.file.package.split(".")[1])
    return _SERVED_BY.get(context, context)


def build_call(channel: grpc.aio.Channel, request: type[Message]) -> Callable[..., Awaitable[Any]]:
    """Return the call of the method of a request on a channel to its service."""
    method = method_of(request.DESCRIPTOR)
    return channel.unary_unary(
        f"/{method.containing_service.full_name}/{method.name}",
        request_serializer=request.SerializeToString,
        response_deserializer=GetMessageClass(method.output_type).FromString,
    )


M = TypeVar("M", bound=Message)

ATTEMPT_TIMEOUT_SECONDS = 20.0
MAX_RETRY_SECONDS = 180.0
"""Seconds for which a caller retries while a service is unavailable."""

_RETRYABLE_CODES = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.ABORTED)


class Api:
    """The services of a championship."""

    def __init__(self, channel: Callable[[str], grpc.aio.Channel]) -> None:
        self._channel = channel
        self.access = access_pb2_grpc.AccessServiceStub(channel("access"))
        self.lexicon = lexicon_pb2_grpc.LexiconServiceStub(channel("lexicon"))
        self.game = game_pb2_grpc.GameServiceStub(channel("game"))
        self.duplicate = duplicate_pb2_grpc.DuplicateServiceStub(channel("game"))
        self.clock = clock_pb2_grpc.ClockServiceStub(channel("clock"))
        self.turns = turns_pb2_grpc.TurnClockServiceStub(channel("clock"))
        self.pairing = pairing_pb2_grpc.PairingServiceStub(channel("pairing"))
        self.rating = rating_pb2_grpc.RatingServiceStub(channel("rating"))
        self.results = results_pb2_grpc.ResultsServiceStub(channel("results"))

    async def call(self, request: RequestFor[A_co], repeat: Callable[..., Awaitable[Any]] | None = None) -> A_co:
        """Call the method of a request by ``repeat``: by default ``call``, else ``call_until_found``."""
        message: Any = request
        method = build_call(self._channel(service_of(message.DESCRIPTOR)), type(message))
        answer: A_co = await (repeat or call)(method, message)
        return answer

    async def call_until_found(self, request: RequestFor[A_co]) -> A_co:
        """Call the method of a request until the requested object exists, as ``call_until_found`` does."""
        return await self.call(request, call_until_found)


async def call(
    method: Callable[..., Awaitable[M]],
    request: Message,
    *,
    patience: float | None = MAX_RETRY_SECONDS,
    retried: Callable[[], None] = lambda: None,
) -> M:
    """Call a method, with backoff and retries while the service is unavailable; a command takes effect once.

    ``patience`` limits the retries in seconds, None for no limit; ``retried`` is called before each retry.
    """
    loop = asyncio.get_running_loop()
    began, pause = loop.time(), 0.05
    while True:
        try:
            return await method(request, timeout=ATTEMPT_TIMEOUT_SECONDS)
        except grpc.aio.AioRpcError as error:
            if not is_retryable(error) or (patience is not None and loop.time() > began + patience):
                raise
        retried()
        await asyncio.sleep(pause)
        pause = min(1.0, pause * 1.6)


def is_retryable(problem: grpc.aio.AioRpcError) -> bool:
    """Check whether a call may succeed on a retry: it is unknown whether it took effect."""
    return problem.code() in _RETRYABLE_CODES


async def call_until_found(method: Callable[..., Awaitable[M]], request: Message) -> M:
    """Call until the requested object exists: a reaction to an event creates it.

    Raises after ``MAX_RETRY_SECONDS`` seconds.
    """
    loop = asyncio.get_running_loop()
    give_up = loop.time() + MAX_RETRY_SECONDS
    while True:
        try:
            return await call(method, request)
        except grpc.aio.AioRpcError as error:
            if error.code() is not grpc.StatusCode.NOT_FOUND or loop.time() > give_up:
                raise
        await asyncio.sleep(0.03)
