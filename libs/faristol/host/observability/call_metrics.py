"""Metrics of calls: their duration, and failures by a fault of the service."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Any

import grpc
from opentelemetry import metrics

from faristol.host.observability.telemetry import DURATION_BUCKETS
from faristol.host.rpc.metadata import OwnServiceInterceptor

OK, REFUSED, FAILED, CANCELLED = "ok", "refused", "failed", "cancelled"
"""Outcomes of a call: answered, refused by a rule, failed by a fault of the service, or cancelled by the caller."""

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
"""Status codes of failures by a fault of the service, whatever the request was."""

_seconds = metrics.get_meter("faristol.rpc").create_histogram(
    "faristol.call.duration",
    unit="s",
    description="duration of a call",
    explicit_bucket_boundaries_advisory=DURATION_BUCKETS,
)


def kind_of(request: Any) -> str:
    """Return the kind of a request: ``command``; ``read``; or ``wait``, a read that waits for a position."""
    fields = getattr(request, "DESCRIPTOR", None)  # a request that failed to decode is not a message
    names = fields.fields_by_name if fields else ()
    if "command_id" in names:
        return "command"
    return "wait" if "min_position" in names and request.min_position else "read"


class MeasureInterceptor(OwnServiceInterceptor):
    """Measures each unary call, including all other interceptors."""

    def handler(self, handler: Any, details: grpc.HandlerCallDetails) -> Any:
        """Wrap the handler of a unary call with a measurement."""
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
    """Return the number of the status code of a call."""
    code = context.code()
    return int(code.value[0] if isinstance(code, grpc.StatusCode) else code)
