"""How long calls of services take, and how many of them fail by a fault of the service."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any

import grpc
from opentelemetry import metrics

from faristol.host.metadata import OwnServiceInterceptor
from faristol.host.telemetry import SECONDS

OK, REFUSED, FAILED, CANCELLED = "ok", "refused", "failed", "cancelled"
"""How a call ended: answered; refused for what was asked or who asked; not answered, by a fault of the service; or
given up by the caller."""

FAULTS = frozenset(
    code.value[0]
    for code in (
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DATA_LOSS,
    )
)
"""Status codes of calls that the service did not answer, whatever was asked."""

_seconds = metrics.get_meter("faristol.rpc").create_histogram(
    "faristol.call.duration",
    unit="s",
    description="how long a call took until it was answered",
    explicit_bucket_boundaries_advisory=SECONDS,
)


def kind_of(request: Any) -> str:
    """What a request is: ``command``; ``read``; or ``wait``, a read that is to wait for a position."""
    fields = getattr(request, "DESCRIPTOR", None)  # what could not be decoded is no message
    names = fields.fields_by_name if fields else ()
    if "command_id" in names:
        return "command"
    return "wait" if "min_position" in names and request.min_position else "read"


class MeasureInterceptor(OwnServiceInterceptor):
    """Measures each call that has one answer, around all else that is done for it."""

    def handler(self, handler: Any, details: grpc.HandlerCallDetails) -> Any:
        """See ``OwnServiceInterceptor``."""
        if not handler.unary_unary:
            return handler
        inner: Any = handler.unary_unary

        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            began = perf_counter()
            outcome = OK
            try:
                return await inner(request, context)
            except grpc.aio.AbortError:
                outcome = FAILED if _code_of(context) in FAULTS else REFUSED
                raise
            except asyncio.CancelledError:
                outcome = CANCELLED
                raise
            except Exception:
                outcome = FAILED
                raise
            finally:
                _seconds.record(perf_counter() - began, {"kind": kind_of(request), "outcome": outcome})

        return grpc.unary_unary_rpc_method_handler(call, handler.request_deserializer, handler.response_serializer)


def _code_of(context: Any) -> int:
    """The number of the status code that a call was ended with."""
    code = context.code()
    return int(code.value[0] if isinstance(code, grpc.StatusCode) else code)
