"""gRPC interceptors that validate requests, turn errors into statuses, and end streams at shutdown."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import grpc
from google.protobuf.message import DecodeError, Message
from grpc_status import rpc_status

from faristol.event_store import RecordError
from faristol.event_store.long_work import call_in_progress
from faristol.host.rpc.errors import Stopping, status_of
from faristol.host.rpc.metadata import OwnServiceInterceptor, metadata_of
from faristol.host.rpc.streams import until_ended_by
from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import N_
from faristol.text import negotiate, say

MAX_TEXT_CHARACTERS = 1_000
"""Characters in one field of a request."""

MAX_METADATA_CHARACTERS = 16_384
"""Characters in the names and values of a call's metadata. gRPC itself accepts some megabytes."""

MAX_VALUE_COUNT = 50_000
"""Values in one request, at any depth: the results of a round of 10,000 players have 30,000. A message of the largest
size could have two million empty ones, and their check would delay every other call of the process."""

DEFECT = N_("internal error; see the log for details")

_log = logging.getLogger(__name__)

TOO_LONG = N_("has {length} {length:character|characters}; the limit is {most}")
TOO_MANY_VALUES = N_("has more than {most} values")

REFUSAL_LANGUAGE = "refusal-language"
"""Metadata key of a call: the language of refusals, if it differs from that of answers."""


def language_of(context: grpc.aio.ServicerContext[Any, Any]) -> str:
    """Return the language of the caller, by the call's ``accept-language``."""
    return negotiate(metadata_of(context.invocation_metadata(), "accept-language"))


def refusal_language_of(metadata: Iterable[tuple[str, str | bytes]] | None) -> str:
    """Return the language of refusals: the call's ``refusal-language``, or else its ``accept-language``."""
    return negotiate(metadata_of(metadata, REFUSAL_LANGUAGE) or metadata_of(metadata, "accept-language"))


class ErrorInterceptor(OwnServiceInterceptor):
    """Turns exceptions into statuses, in the call's ``refusal-language``, or else its ``accept-language``.

    Streams end with UNAVAILABLE when ``stopping`` is set, since they would outlast any grace period. Without it they
    end by themselves.
    """

    def __init__(self, stopping: asyncio.Event | None = None) -> None:
        self._stopping = stopping or asyncio.Event()

    def handler(self, handler: Any, details: grpc.HandlerCallDetails) -> Any:
        """Wrap the handler with validation and error handling."""
        metadata, problem = details.invocation_metadata, find_excess_metadata(details.invocation_metadata)
        if problem:
            metadata = ()
        language = refusal_language_of(metadata)
        read = _reader(handler.request_deserializer)
        if handler.unary_unary:
            return grpc.unary_unary_rpc_method_handler(
                _guard(handler.unary_unary, language, problem), read, handler.response_serializer
            )
        if handler.unary_stream:
            return grpc.unary_stream_rpc_method_handler(
                _guard_stream(handler.unary_stream, language, self._stopping, problem),
                read,
                handler.response_serializer,
            )
        return handler


def _reader(deserialize: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
    """Wrap a deserializer to return its error: gRPC itself would report an internal error."""

    def read(content: bytes) -> Any:
        try:
            return deserialize(content)
        except DecodeError as error:
            return error

    return read


def _check(request: Any) -> None:
    """Check a request. Raises ``Invalid`` if it is malformed or has an invalid text."""
    if isinstance(request, DecodeError):
        raise Invalid("request", N_("is not a valid message of the type that this method takes"))
    check_size(request)
    check_text(request)


def check_size(request: Message) -> None:
    """Check the number of values in a request. Raises ``Invalid`` if there are more than ``MAX_VALUE_COUNT``."""
    count, pending = 0, [request]
    while pending:
        for field, value in pending.pop().ListFields():
            count += len(value) if field.is_repeated else 1
            if count > MAX_VALUE_COUNT:
                raise Invalid("request", TOO_MANY_VALUES, {"most": f"{MAX_VALUE_COUNT:,}"})
            if field.type == field.TYPE_MESSAGE:
                pending.extend(value if field.is_repeated else (value,))


def check_text(request: Message, path: str = "") -> None:
    """Check every text in a request, at any depth.

    Raises ``Invalid``, naming the field, for a text with a NUL character, which databases refuse, or one that is longer
    than any name, id or word.
    """
    for field, value in request.ListFields():
        name = f"{path}{field.name}"
        values = value if field.is_repeated else (value,)
        if field.type == field.TYPE_MESSAGE:
            for number, part in enumerate(values):
                check_text(part, f"{name}[{number}]." if field.is_repeated else f"{name}.")
        elif field.type == field.TYPE_STRING:
            for text in values:
                if len(text) > MAX_TEXT_CHARACTERS:
                    limits: dict[str, str | int] = {"length": len(text), "most": MAX_TEXT_CHARACTERS}
                    raise Invalid(name, TOO_LONG, limits)
                if "\0" in text:
                    raise Invalid(name, N_("has a NUL character, which is not allowed in text"))


def find_excess_metadata(metadata: Iterable[tuple[str, str | bytes]] | None) -> Invalid | None:
    """Return the error of metadata with more than ``MAX_METADATA_CHARACTERS``; None for others."""
    length = sum(len(key) + len(value) for key, value in metadata or ())
    if length <= MAX_METADATA_CHARACTERS:
        return None
    return Invalid("metadata", TOO_LONG, {"length": length, "most": MAX_METADATA_CHARACTERS})


def _guard(method: Any, language: str, problem: Invalid | None) -> Any:
    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        try:
            if problem:
                raise problem
            _check(request)
            with call_in_progress():
                return await method(request, context)
        except (grpc.aio.AbortError, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 # the caller gets a status for each, and the log internal errors
            await abort(error, context, language)

    return call


def _guard_stream(method: Any, language: str, stopping: asyncio.Event, problem: Invalid | None) -> Any:
    async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[Any]:
        try:
            if problem:
                raise problem
            _check(request)
            async for response in until_ended_by(_stop(stopping), method(request, context)):
                yield response
        except (grpc.aio.AbortError, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 # as above
            await abort(error, context, language)

    return call


async def _stop(stopping: asyncio.Event) -> None:
    await stopping.wait()
    raise Stopping


async def abort(problem: Exception, context: grpc.aio.ServicerContext[Any, Any], language: str) -> None:
    """End a call by the status of a problem, in a language. An internal error is logged."""
    status = status_of(problem, language)
    if status is None:
        _log.error("a call failed", exc_info=problem)
        await context.abort(grpc.StatusCode.INTERNAL, say(DEFECT, {}, language))
        return
    if isinstance(problem, RecordError):
        _log.error("a call cannot be handled: %s", problem)
    abort_with_status: Any = context.abort_with_status  # type: ignore[attr-defined] # missing in grpc-stubs
    await abort_with_status(rpc_status.to_status(status))
