"""gRPC servers that survive calls of malformed methods."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
from collections.abc import Sequence
from typing import Any

import grpc

from faristol.host.observability.rate_limited_log import RateLimitedLog

UNKNOWN_METHOD = "/unknown/method"
"""Stands for the name of every method that no service has."""

UNDECODABLE = "a call has metadata that is not UTF-8"

_cygrpc: Any = importlib.import_module("grpc._cython.cygrpc")
_log = logging.getLogger(__name__)
_seldom = RateLimitedLog(lambda message, _: _log.warning("%s", message))


class _AioServer(_cygrpc.AioServer):  # type: ignore[misc] # the module has no types
    """Server of gRPC that does not decode the names of unknown methods.

    gRPC 1.84 and 1.85 decode them in the loop that accepts calls. One call of a method whose name is not UTF-8, by any
    program that reaches the port, ends that loop and with it the server. Calls of known methods come to other futures:
    every service must register its methods, as generated code does. A generic handler that has every method answers
    the unknown ones.
    """

    _handlers: tuple[grpc.GenericRpcHandler[Any, Any], ...] = ()

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler[Any, Any]]) -> None:
        """Add handlers, which are asked for unknown methods in their order."""
        self._handlers = (*self._handlers, *handlers)
        super().add_generic_rpc_handlers(handlers)

    def _make_request_call_future(self, method: bytes | None) -> Any:
        """Return the future of the next call of a known method; for other methods, one that answers all calls."""
        if method is not None:
            return super()._make_request_call_future(method)
        return asyncio.get_running_loop().create_task(self._refuse_unknown_methods(), name="unknown methods")

    async def _refuse_unknown_methods(self) -> None:
        """Answer every call of an unknown method, by default UNIMPLEMENTED. Raises gRPC's own error at shutdown."""
        loop = asyncio.get_running_loop()
        has_resolver = hasattr(_cygrpc, "_MethodResolver")
        resolver = _cygrpc._MethodResolver(list(self._handlers), {}) if has_resolver else None
        tasks: set[asyncio.Task[None]] = set()
        while True:
            state = await self._request_call()
            with contextlib.suppress(AttributeError, TypeError):  # another version of gRPC: the call is cancelled
                answer = _cygrpc._handle_rpc(UNKNOWN_METHOD, resolver, (), state, loop, False)
                task = loop.create_task(_cygrpc._schedule_rpc_coro(answer, state, loop, UNKNOWN_METHOD))
                tasks.add(task)
                task.add_done_callback(tasks.discard)


class _UndecodableFilter(logging.Filter):
    """Replaces the traceback that gRPC logs for each value of metadata that is not UTF-8 by a rate-limited line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Count the record if it is such a line; pass all others."""
        if not str(record.msg).startswith("Invalid encoding on"):
            return True
        with contextlib.suppress(RuntimeError):  # without an event loop the limit has no clock
            _seldom.tell(UNDECODABLE, UNDECODABLE)
        return False


_undecodable = _UndecodableFilter()


def create_server(interceptors: Sequence[Any] = (), options: Sequence[tuple[str, Any]] = ()) -> grpc.aio.Server:
    """Return a gRPC server of this event loop, not started yet."""
    logging.getLogger(_cygrpc.__name__).addFilter(_undecodable)  # a filter is added once
    server_type = _cygrpc.AioServer
    if hasattr(server_type, "_make_request_call_future"):  # older versions decode names where an error ends one call
        _cygrpc.AioServer = _AioServer
    try:
        return grpc.aio.server(interceptors=interceptors, options=options)
    finally:
        _cygrpc.AioServer = server_type
