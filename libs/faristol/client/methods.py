"""The methods of the contract by their requests, and calls of them on a channel."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Protocol, TypeVar

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

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
