"""Errors in the caller's terms, and how they travel over gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Literal

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from faristol.host.text import SOURCE, negotiate, render, say
from faristol.record import Conflict
from faristol.rules.refusal import N_, Param, Refusal

DOMAIN = "faristol"
"""Domain of `google.rpc.ErrorInfo`."""


Missing = Literal["case", "clock", "game", "rating list", "round", "tournament"]
"""What may be asked for and not be there."""

Taken = Literal["player", "tournament"]
"""What may be made and be there already."""

# A sentence for each kind: in other languages its article and its ending depend on the kind.
THERE_IS_NO: Mapping[Missing, str] = {
    "case": N_("there is no case {id}"),
    "clock": N_("there is no clock {id}"),
    "game": N_("there is no game {id}"),
    "rating list": N_("there is no rating list {id}"),
    "round": N_("there is no round {id}"),
    "tournament": N_("there is no tournament {id}"),
}
THERE_IS: Mapping[Taken, str] = {
    "player": N_("there is a player {id} already"),
    "tournament": N_("there is a tournament {id} already"),
}


class NotFound(Exception):
    """There is no such thing."""

    def __init__(self, kind: Missing, wanted: str) -> None:
        super().__init__(kind, wanted)
        self.kind = kind
        self.wanted = wanted

    def say(self, language: str) -> str:
        """The sentence in ``language``."""
        return say(THERE_IS_NO[self.kind], {"id": repr(self.wanted)}, language)

    def __str__(self) -> str:
        return self.say(SOURCE)


class AlreadyExists(Exception):
    """The id is taken."""

    def __init__(self, kind: Taken, wanted: str) -> None:
        super().__init__(kind, wanted)
        self.kind = kind
        self.wanted = wanted

    def say(self, language: str) -> str:
        """The sentence in ``language``."""
        return say(THERE_IS[self.kind], {"id": repr(self.wanted)}, language)

    def __str__(self) -> str:
        return self.say(SOURCE)


class Invalid(Exception):
    """A field of a request is malformed, whatever the state of things.

    ``problem`` is an English text, marked with ``N_``, with ``{named}`` places that ``params`` fill.
    """

    def __init__(self, field: str, problem: str, params: Mapping[str, Param] | None = None) -> None:
        super().__init__(field, problem, params)
        self.field = field
        self.problem = problem
        self.params: Mapping[str, Param] = dict(params or {})

    def say(self, language: str) -> str:
        """The name of the field, and what is wrong with it in ``language``."""
        return f"{self.field}: {say(self.problem, self.params, language)}"

    def __str__(self) -> str:
        return self.say(SOURCE)


class Behind(Exception):
    """Results are still ``here`` on the record when the time to wait for the position ``wanted`` is over."""

    def __init__(self, wanted: int, here: int) -> None:
        super().__init__(wanted, here)
        self.wanted = wanted
        self.here = here


class Stopping(Exception):
    """The process is about to end; another one, or the same one in a moment, answers."""


class Unreachable(Exception):
    """Another service that this call needs does not answer at the moment."""

    def __init__(self, service: str) -> None:
        super().__init__(service)
        self.service = service


BEHIND = N_("results are at position {here}; position {wanted} was waited for in vain")
CONFLICT = N_("others changed this at the same moment, several times over; nothing was done, try again")
STOPPING = N_("this process is about to end; ask again in a moment")
UNREACHABLE = N_("the service {service} cannot be reached at the moment; nothing was done, try again")
UNAVAILABLE = N_("the record cannot be reached at the moment; nothing was done, try again")


EXPECTED = (
    Refusal,
    NotFound,
    AlreadyExists,
    Invalid,
    Behind,
    Conflict,
    Stopping,
    Unreachable,
    SQLAlchemyError,
    OSError,
)
"""What a method may raise. Anything else is a defect of ours: gRPC logs it and answers UNKNOWN."""


def status_of(problem: BaseException, language: str) -> status_pb2.Status | None:
    """The status that a caller who reads ``language`` gets; None for a defect of ours."""
    match problem:
        case Refusal():
            info = {"article": problem.article, **{key: str(value) for key, value in problem.params.items()}}
            return _status(code_pb2.FAILED_PRECONDITION, render(problem, language), problem.reason, info)
        case NotFound():
            info = {"kind": problem.kind, "id": problem.wanted}
            return _status(code_pb2.NOT_FOUND, problem.say(language), "NOT_FOUND", info)
        case AlreadyExists():
            info = {"kind": problem.kind, "id": problem.wanted}
            return _status(code_pb2.ALREADY_EXISTS, problem.say(language), "ALREADY_EXISTS", info)
        case Invalid():
            return _status(code_pb2.INVALID_ARGUMENT, problem.say(language), "INVALID", {"field": problem.field})
        case Behind():
            info = {"wanted": str(problem.wanted), "here": str(problem.here)}
            return _status(code_pb2.DEADLINE_EXCEEDED, say(BEHIND, info, language), "BEHIND", info)
        case Conflict():
            return _status(code_pb2.ABORTED, say(CONFLICT, {}, language), "CONFLICT", {"stream": problem.stream})
        case Stopping():
            return _status(code_pb2.UNAVAILABLE, say(STOPPING, {}, language), "STOPPING", {})
        case Unreachable():
            info = {"service": problem.service}
            return _status(code_pb2.UNAVAILABLE, say(UNREACHABLE, info, language), "UNREACHABLE", info)
        case (
            OperationalError() | InterfaceError() | PoolTimeout() | DBAPIError(connection_invalidated=True) | OSError()
        ):
            return _status(code_pb2.UNAVAILABLE, say(UNAVAILABLE, {}, language), "UNAVAILABLE", {})
        case _:
            return None


def _status(code: int, message: str, reason: str, metadata: Mapping[str, str]) -> status_pb2.Status:
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata))
    return status_pb2.Status(code=code, message=message, details=[detail])


class ErrorInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """Answers with a status where a method raises, in the language of the call's ``accept-language``.

    Streams end, as unavailable, once ``stopping`` is set: they would otherwise outlast any grace. Without it they
    end on their own.
    """

    def __init__(self, stopping: asyncio.Event | None = None) -> None:
        self._stopping = stopping or asyncio.Event()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any]]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any]:
        """See ``grpc.aio.ServerInterceptor``."""
        handler = await continuation(handler_call_details)
        if not handler_call_details.method.startswith("/faristol."):
            return handler
        language = negotiate(
            next(
                (str(value) for key, value in handler_call_details.invocation_metadata if key == "accept-language"), ""
            )
        )
        if handler.unary_unary:
            return grpc.unary_unary_rpc_method_handler(
                _guarded(handler.unary_unary, language), handler.request_deserializer, handler.response_serializer
            )
        if handler.unary_stream:
            return grpc.unary_stream_rpc_method_handler(
                _guarded_stream(handler.unary_stream, language, self._stopping),
                handler.request_deserializer,
                handler.response_serializer,
            )
        return handler


def _guarded(method: Any, language: str) -> Any:
    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            return await method(request, context)
        except EXPECTED as problem:
            await _abort(problem, context, language)

    return call


def _guarded_stream(method: Any, language: str, stopping: asyncio.Event) -> Any:
    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
        try:
            async for response in _until(stopping, method(request, context)):
                yield response
        except EXPECTED as problem:
            await _abort(problem, context, language)

    return call


async def _until(stopping: asyncio.Event, responses: AsyncGenerator[Any, None]) -> AsyncIterator[Any]:
    """What ``responses`` gives until it ends. Raises ``Stopping`` when this process is told to end first."""
    stopped = asyncio.ensure_future(stopping.wait())
    coming: asyncio.Future[Any] | None = None
    try:
        while True:
            coming = asyncio.ensure_future(anext(responses, stopped))
            await asyncio.wait({coming, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                raise Stopping
            if (response := coming.result()) is stopped:
                return
            yield response
    finally:
        stopped.cancel()
        if coming and not coming.done():
            coming.cancel()
            await asyncio.wait([coming])
        await responses.aclose()


async def _abort(problem: Exception, context: grpc.aio.ServicerContext[Any, Any], language: str) -> None:
    status = status_of(problem, language)
    if status is None:
        raise problem
    abort_with_status: Any = context.abort_with_status  # type: ignore[attr-defined] # missing in grpc-stubs
    await abort_with_status(rpc_status.to_status(status))
