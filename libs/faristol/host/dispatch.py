"""Services made from their contract: commands have one way of being carried out, questions what answers them.

A service says which requests are commands as a dictionary of decisions, and how any of them is carried out. The methods
come from the descriptor, so that a new command is a message of the contract and an entry of that dictionary.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from typing import Any, Protocol

import grpc
from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

Context = grpc.aio.ServicerContext[Any, Any]
Answer = Callable[[Any, Context], Awaitable[Message] | AsyncIterator[Message]]
"""Answers a question: once, or by a stream where the contract says so."""


class CarryOut(Protocol):
    """Carries a command out and answers it by a message of the type ``response``; raises what it refuses."""

    async def __call__(self, request: Any, context: Context, response: type[Any]) -> Message:
        """See ``CarryOut``."""


class Dispatcher:
    """What the generated code of gRPC takes for the implementation of a service.

    Each method is a coroutine function, or an asynchronous generator function where it answers by a stream.
    """

    def __init__(
        self,
        service: ServiceDescriptor,
        commands: Collection[type[Message]],
        carry_out: CarryOut,
        questions: Mapping[type[Message], Answer],
    ) -> None:
        """Raises ``TypeError`` for a method that nothing answers, and for requests that are none of the service."""
        known = {*commands, *questions}
        for method in service.methods:
            request, response = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
            if request not in known:
                raise TypeError(f"nothing answers {service.full_name}.{method.name}")
            known.remove(request)
            setattr(self, method.name, questions.get(request) or _command(carry_out, response))
        if known:
            strange = ", ".join(sorted(request.DESCRIPTOR.full_name for request in known))
            raise TypeError(f"{service.full_name} has no methods for {strange}")


async def no_commands(request: Any, context: Context, response: type[Any]) -> Message:
    """What carries commands out for a service that has none."""
    raise AssertionError(f"{type(request).__name__} is no command")


def _command(carry_out: CarryOut, response: type[Message]) -> Answer:
    async def handle(request: Message, context: Context) -> Message:
        return await carry_out(request, context, response)

    return handle
