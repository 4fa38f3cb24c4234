"""Calls of the services with the caller's token and language. The services authorise them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping
from copy import copy
from typing import Any, NamedTuple, TypeVar, overload

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.client.problems import reason_of
from faristol.client.services import RequestFor, build_call, method_of
from faristol.gateway.rpc.service import SERVICE_TIMEOUT_SECONDS
from faristol.pb.access.v1 import access_pb2
from faristol.pb.clock.v1 import clock_pb2, turns_pb2
from faristol.pb.game.v1 import duplicate_pb2, game_pb2
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2, lexicon_pb2
from faristol.pb.pairing.v1 import fees_pb2, pairing_pb2, registration_pb2
from faristol.pb.rating.v1 import federation_pb2, rating_pb2
from faristol.pb.register.v1 import register_pb2
from faristol.pb.results.v1 import careers_pb2, fair_play_pb2, push_pb2, results_pb2, seasons_pb2, webhooks_pb2
from faristol.pb.season.v1 import season_pb2

A = TypeVar("A")
"""Response."""

D = TypeVar("D")
"""Value in place of a response."""

_CONTRACTS = {
    "access": (access_pb2,),
    "clock": (clock_pb2, turns_pb2),
    "game": (game_pb2, duplicate_pb2, hall_pb2),
    "lexicon": (lexicon_pb2, adjudication_pb2),
    "pairing": (pairing_pb2, registration_pb2, fees_pb2),
    "rating": (rating_pb2, federation_pb2, season_pb2, register_pb2),
    "results": (results_pb2, seasons_pb2, careers_pb2, fair_play_pb2, webhooks_pb2, push_pb2),
}
"""Contracts of each service."""


class NotSignedIn(Exception):
    """Request without a valid session. ``why`` is the reason why a session ended; empty without a session."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.why = why


class Method(NamedTuple):
    """Method of a service."""

    service: str
    """Service, such as ``game``."""
    name: str
    """Name, such as ``PlacePlay``."""
    path: str
    """Path in gRPC: ``/faristol.game.v1.GameService/PlacePlay``."""
    request: type[Message]
    response: type[Message]
    is_stream: bool

    @property
    def descriptor(self) -> MethodDescriptor:
        """Descriptor with the options of the contract, such as the allowed callers."""
        return method_of(self.request.DESCRIPTOR)


def _methods() -> Mapping[type[Message], Method]:
    found: dict[type[Message], Method] = {}
    for name, files in _CONTRACTS.items():
        for contract in files:
            services: list[ServiceDescriptor] = list(contract.DESCRIPTOR.services_by_name.values())
            for service in services:
                for method in service.methods:
                    request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
                    path = f"/{service.full_name}/{method.name}"
                    found[request] = Method(name, method.name, path, request, response, method.server_streaming)
    return found


METHODS_BY_REQUEST = _methods()
"""Every method of the contract by its request type, which is unique."""

NAMED: Mapping[tuple[str, str], Method] = {
    (method.service, method.name): method for method in METHODS_BY_REQUEST.values()
}
"""The same methods by service and name."""


async def answer_or(call: Awaitable[A], default: D, *codes: grpc.StatusCode) -> A | D:
    """Return the answer of a call; ``default`` if it fails with one of ``codes``. Raises any other error."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        if error.code() not in codes:
            raise
        return default


class Calls:
    """Services, called with ``token`` and ``language``; anonymously if the token is empty.

    Calls raise ``grpc.aio.AioRpcError``, and ``NotSignedIn`` if the token is no longer valid.
    """

    def __init__(
        self,
        channel: Callable[[str], grpc.aio.Channel],
        language: str,
        token: str,
        visitor: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Prepare the metadata. ``visitor`` describes the client as in ``faristol.host.security.visitor``."""
        self._channel = channel
        self._metadata = [("accept-language", language), *visitor]
        self._is_held = bool(token)
        if token:
            self._metadata.append(("authorization", f"Bearer {token}"))

    def in_language(self, language: str) -> Calls:
        """Return the same services, called in another language, such as that of a printed paper."""
        other = copy(self)
        other._metadata = [(name, language if name == "accept-language" else value) for name, value in self._metadata]
        return other

    @overload
    async def ask(self, request: RequestFor[A], deadline: float = ...) -> A: ...

    @overload
    async def ask(self, request: Message, deadline: float = ...) -> Any: ...

    async def ask(self, request: Any, deadline: float = SERVICE_TIMEOUT_SECONDS) -> Any:
        """Return the response to a request within ``deadline`` seconds."""
        call = build_call(self._channel(METHODS_BY_REQUEST[type(request)].service), type(request))
        try:
            return await call(request, timeout=deadline, metadata=tuple(self._metadata))
        except grpc.aio.AioRpcError as error:
            self._check_session(error)
            raise

    async def follow(self, request: Message) -> AsyncIterator[Any]:
        """Yield the responses of a stream until either side closes it."""
        method = METHODS_BY_REQUEST[type(request)]
        stream = self._channel(method.service).unary_stream(
            method.path,
            request_serializer=method.request.SerializeToString,
            response_deserializer=method.response.FromString,
        )
        call = stream(request, metadata=tuple(self._metadata))
        try:
            async for response in call:
                yield response
        except grpc.aio.AioRpcError as error:
            self._check_session(error)
            raise
        finally:
            call.cancel()

    def _check_session(self, problem: grpc.aio.AioRpcError) -> None:
        if self._is_held and problem.code() is grpc.StatusCode.UNAUTHENTICATED:
            raise NotSignedIn(reason_of(problem)) from problem


async def list_acts(
    calls: Calls,
    tournament_id: str,
    after: int = 0,
    others_after: int | None = None,
    types: Collection[str] = (),
) -> pairing_pb2.ListActsResponse:
    """Return all events after a version, or those of some types, and those on entries and fees after a position."""
    answer = pairing_pb2.ListActsResponse(more=True)
    while answer.more:
        seen = answer.acts[-1].version if answer.acts else after
        asked = pairing_pb2.ListActsRequest(
            tournament_id=tournament_id, after_version=seen, others_after=others_after, types=sorted(types)
        )
        more = await calls.ask(asked)
        answer.ClearField("more")
        answer.MergeFrom(more)
    return answer
