"""Errors in the caller's terms, and how they travel over gRPC."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from faristol.host.text import negotiate, render
from faristol.record import Conflict
from faristol.rules.refusal import N_, Refusal

DOMAIN = "faristol"
"""Domain of `google.rpc.ErrorInfo`."""


class NotFound(Exception):
    """There is no such thing."""

    def __init__(self, kind: str, wanted: str) -> None:
        super().__init__(f"there is no {kind} {wanted!r}")
        self.kind = kind
        self.wanted = wanted


class AlreadyExists(Exception):
    """The id is taken."""

    def __init__(self, kind: str, wanted: str) -> None:
        super().__init__(f"there is a {kind} {wanted!r} already")
        self.kind = kind
        self.wanted = wanted


class Invalid(Exception):
    """A field of a request is malformed, whatever the state of things."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class Unreachable(Exception):
    """Another service that this call needs does not answer at the moment."""

    def __init__(self, service: str) -> None:
        super().__init__(service)
        self.service = service


CONFLICT = N_("others changed this at the same moment, several times over; nothing was done, try again")
UNREACHABLE = N_("the service {service} cannot be reached at the moment; nothing was done, try again")
UNAVAILABLE = N_("the record cannot be reached at the moment; nothing was done, try again")


EXPECTED = (Refusal, NotFound, AlreadyExists, Invalid, Conflict, Unreachable, SQLAlchemyError, OSError)
"""What a method may raise. Anything else is a defect of ours: gRPC logs it and answers UNKNOWN."""


def status_of(problem: BaseException, language: str) -> status_pb2.Status | None:
    """The status that a caller who reads ``language`` gets; None for a defect of ours."""
    match problem:
        case Refusal():
            info = {"article": problem.article, **{key: str(value) for key, value in problem.params.items()}}
            return _status(code_pb2.FAILED_PRECONDITION, render(problem, language), problem.reason, info)
        case NotFound():
            info = {"kind": problem.kind, "id": problem.wanted}
            return _status(code_pb2.NOT_FOUND, str(problem), "NOT_FOUND", info)
        case AlreadyExists():
            info = {"kind": problem.kind, "id": problem.wanted}
            return _status(code_pb2.ALREADY_EXISTS, str(problem), "ALREADY_EXISTS", info)
        case Invalid():
            return _status(code_pb2.INVALID_ARGUMENT, str(problem), "INVALID", {"field": problem.field})
        case Conflict():
            refusal = Refusal("CONFLICT", "", CONFLICT)
            return _status(code_pb2.ABORTED, render(refusal, language), "CONFLICT", {"stream": problem.stream})
        case Unreachable():
            refusal = Refusal("UNREACHABLE", "", UNREACHABLE, {"service": problem.service})
            return _status(code_pb2.UNAVAILABLE, render(refusal, language), "UNREACHABLE", {"service": problem.service})
        case (
            OperationalError() | InterfaceError() | PoolTimeout() | DBAPIError(connection_invalidated=True) | OSError()
        ):
            refusal = Refusal("UNAVAILABLE", "", UNAVAILABLE)
            return _status(code_pb2.UNAVAILABLE, render(refusal, language), "UNAVAILABLE", {})
        case _:
            return None


def _status(code: int, message: str, reason: str, metadata: Mapping[str, str]) -> status_pb2.Status:
    detail = any_pb2.Any()
    detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata))
    return status_pb2.Status(code=code, message=message, details=[detail])


class ErrorInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """Answers with a status where a method raises, in the language of the call's ``accept-language``."""

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
                _guarded_stream(handler.unary_stream, language),
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


def _guarded_stream(method: Any, language: str) -> Any:
    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
        try:
            async for response in method(request, context):
                yield response
        except EXPECTED as problem:
            await _abort(problem, context, language)

    return call


async def _abort(problem: Exception, context: grpc.aio.ServicerContext[Any, Any], language: str) -> None:
    status = status_of(problem, language)
    if status is None:
        raise problem
    abort_with_status: Any = context.abort_with_status  # type: ignore[attr-defined] # missing in grpc-stubs
    await abort_with_status(rpc_status.to_status(status))
