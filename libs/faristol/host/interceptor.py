"""How a gRPC server answers: what a method raises becomes a status, and streams end with their process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from grpc_status import rpc_status

from faristol.host.errors import Stopping, status_of
from faristol.host.metadata import metadata_of
from faristol.host.requests import check_text
from faristol.host.streams import until
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.record import RecordError
from faristol.text import negotiate, say

DEFECT = N_("an error of Faristol's own; its log has the details")

_log = logging.getLogger(__name__)

REFUSAL_LANGUAGE = "refusal-language"
"""Metadata of a call: the language of what is refused, where it is not that of what is answered."""


def language_of(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """The language that the caller reads, by the call's ``accept-language``."""
    return negotiate(metadata_of(context.invocation_metadata(), "accept-language"))


class ErrorInterceptor(grpc.aio.ServerInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """Answers with a status where a method raises, in the call's ``refusal-language``, or else its ``accept-language``.

    Streams end, as unavailable, once ``stopping`` is set: they would otherwise outlast any grace. Without it they
    end on their own.
    """

    def __init__(self, stopping: asyncio.Event | None = None) -> None:
        self._stopping = stopping or asyncio.Event()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any]]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """See ``grpc.aio.ServerInterceptor``."""
        handler: Any = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith("/faristol."):
            return handler
        metadata = handler_call_details.invocation_metadata
        language = negotiate(metadata_of(metadata, REFUSAL_LANGUAGE) or metadata_of(metadata, "accept-language"))
        read = _reader(handler.request_deserializer)
        if handler.unary_unary:
            return grpc.unary_unary_rpc_method_handler(
                _guarded(handler.unary_unary, language), read, handler.response_serializer
            )
        if handler.unary_stream:
            return grpc.unary_stream_rpc_method_handler(
                _guarded_stream(handler.unary_stream, language, self._stopping), read, handler.response_serializer
            )
        return handler


class _Malformed:
    """Stands for a request whose bytes are no message of its type."""


def _reader(deserialize: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """Reads a request, or gives ``_Malformed``: gRPC itself would answer a failure here as a defect of the server."""

    def read(content: bytes) -> Any:
        try:
            return deserialize(content)
        except DecodeError:
            return _Malformed()

    return read


def _check(request: Any) -> None:
    """Raises ``Invalid`` for a request that is no message of its type, or has a text that cannot be taken."""
    if isinstance(request, _Malformed):
        raise Invalid("request", N_("its bytes are not a message of the type that this method takes"))
    check_text(request)


def _guarded(method: Any, language: str) -> Any:
    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            _check(request)
            return await method(request, context)
        except (grpc.aio.AbortError, asyncio.CancelledError):
            raise
        except Exception as problem:  # noqa: BLE001 # the caller is told of every failure, and the log of every defect
            await _abort(problem, context, language)

    return call


def _guarded_stream(method: Any, language: str, stopping: asyncio.Event) -> Any:
    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
        try:
            _check(request)
            async for response in until(_stop(stopping), method(request, context)):
                yield response
        except (grpc.aio.AbortError, asyncio.CancelledError):
            raise
        except Exception as problem:  # noqa: BLE001 # as above
            await _abort(problem, context, language)

    return call


async def _stop(stopping: asyncio.Event) -> None:
    await stopping.wait()
    raise Stopping


async def _abort(problem: Exception, context: grpc.aio.ServicerContext[Any, Any], language: str) -> None:
    status = status_of(problem, language)
    if status is None:
        _log.error("a call failed", exc_info=problem)
        await context.abort(grpc.StatusCode.INTERNAL, say(DEFECT, {}, language))
        return
    if isinstance(problem, RecordError):
        _log.error("a call cannot be carried out: %s", problem)
    abort_with_status: Any = context.abort_with_status  # type: ignore[attr-defined] # missing in grpc-stubs
    await abort_with_status(rpc_status.to_status(status))
