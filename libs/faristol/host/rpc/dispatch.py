"""Implementations of gRPC services from their descriptors.

A service gives a mapping of decisions for its commands, one function that executes any of them, and its queries. The
methods come from the descriptor, so a new command is a message of the contract and an entry of that mapping.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from typing import Any, Protocol

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

Context = grpc.aio.ServicerContext[Any, Any]
Answer = Callable[[Any, Context], Awaitable[Message] | AsyncIterator[Message]]
"""Answers a query, with one message or a stream as the contract states."""


class CommandExecutor(Protocol):
    """Executes a command and returns a message of the type ``response``; raises its refusals."""

    async def __call__(self, request: Any, context: Context, response: type[Any]) -> Message:
        """Execute the command of a request."""


class Dispatcher:
    """An implementation of a service for gRPC, and its registration at a server.

    Each method is a coroutine function, or an asynchronous generator function for a streamed response.
    """

    def __init__(
        self,
        service: ServiceDescriptor,
        commands: Collection[type[Message]],
        carry_out: CommandExecutor,
        questions: Mapping[type[Message], Answer],
    ) -> None:
        """Raises ``TypeError`` for a method without an implementation, and for requests that are not of the service."""
        self.descriptor = service
        known = {*commands, *questions}
        for method in service.methods:
            request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
            if request not in known:
                raise TypeError(f"no handler for {service.full_name}.{method.name}")
            known.remove(request)
            setattr(self, method.name, questions.get(request) or _command(carry_out, response))
        if known:
            strange = ", ".join(sorted(request.DESCRIPTOR.full_name for request in known))
            raise TypeError(f"{service.full_name} has no methods for {strange}")

    def add_to(self, server: Any) -> None:
        """Register the methods at a server, as generated code of gRPC does."""
        name = self.descriptor.full_name
        handlers = {
            method.name: _build_handler(method, getattr(self, method.name)) for method in self.descriptor.methods
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, handlers),))
        server.add_registered_method_handlers(name, handlers)


async def no_commands(request: Any, context: Context, response: type[Any]) -> Message:
    """Raise ``AssertionError``: the command handler of a service without commands."""
    raise AssertionError(f"{type(request).__name__} is not a command")


def _build_handler(method: MethodDescriptor, answer: Answer) -> Any:
    build = grpc.unary_stream_rpc_method_handler if method.server_streaming else grpc.unary_unary_rpc_method_handler
    request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    return build(answer, request_deserializer=request.FromString, response_serializer=response.SerializeToString)


def _command(carry_out: CommandExecutor, response: type[Message]) -> Answer:
    async def handle(request: Message, context: Context) -> Message:
        return await carry_out(request, context, response)

    return handle
