"""OpenTelemetry: one trace from a caller to the projections, and metrics. Off unless enabled in the settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import grpc
from opentelemetry import metrics, trace
from opentelemetry.propagate import extract, inject
from opentelemetry.trace import SpanKind

from faristol.host.listening import to_bind_address
from faristol.host.rpc.metadata import OwnServiceInterceptor, metadata_of
from faristol.host.services import StartError
from faristol.host.settings import Settings

DURATION_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of duration buckets, including the objectives in docs/operations.md.

OpenTelemetry's defaults are for milliseconds: every duration below five seconds would be in the first bucket.
"""

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
"""Trace of a caller (W3C Trace Context). OpenTelemetry logs malformed ones, and parts of other propagation headers."""

_tracer = trace.get_tracer("faristol.rpc")


class Telemetry:
    """The exporters of a process, to a collector and for Prometheus, as configured.

    Even without a collector, JSON logs and events have trace ids.
    """

    def __init__(self, settings: Settings, service: str) -> None:
        """Raises ``StartError`` if the metrics port is taken. Port 0 in the settings is replaced by the one chosen."""
        # Imported here because the exporters and the SDK are slow to load and needed only with an endpoint.
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider

        resource = Resource.create({"service.name": f"faristol-{service}"})
        self._close: list[Callable[[], object]] = []
        readers: list[Any] = []
        if settings.otlp_endpoint:
            readers.append(self._to_collector(settings.otlp_endpoint, resource))
        elif settings.log_format == "json":
            trace.set_tracer_provider(TracerProvider(resource=resource, shutdown_on_exit=False))
        if settings.metrics_port is not None:
            readers.append(self._for_prometheus(settings))
        meters = MeterProvider(resource=resource, metric_readers=readers)
        self._close.append(meters.shutdown)
        metrics.set_meter_provider(meters)

    def _to_collector(self, endpoint: str, resource: Any) -> Any:
        from opentelemetry.exporter.otlp.proto.grpc.metric_exporter import OTLPMetricExporter
        from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        insecure = not endpoint.startswith("https://")
        spans = TracerProvider(resource=resource)
        spans.add_span_processor(
            BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, insecure=insecure), schedule_delay_millis=500)
        )
        trace.set_tracer_provider(spans)
        self._close.append(spans.shutdown)
        return PeriodicExportingMetricReader(
            OTLPMetricExporter(endpoint=endpoint, insecure=insecure), export_interval_millis=5_000
        )

    def _for_prometheus(self, settings: Settings) -> Any:
        from opentelemetry.exporter.prometheus import PrometheusMetricReader
        from prometheus_client import CollectorRegistry, start_http_server

        registry = CollectorRegistry()
        reader = PrometheusMetricReader(registry=registry)
        try:
            server, thread = start_http_server(
                settings.metrics_port or 0, to_bind_address(settings.grpc_host), registry
            )
        except OSError as error:
            raise StartError(
                f"metrics cannot listen on {settings.grpc_host}:{settings.metrics_port} ({error.strerror}): "
                "give another port with FARISTOL_METRICS_PORT"
            ) from error
        settings.metrics_port = server.server_port
        self._close += [thread.join, server.server_close, server.shutdown]  # called in reverse order
        return reader

    def close(self) -> None:
        """Flush pending data, and stop serving metrics."""
        for close in reversed(self._close):
            close()


def read_trace(metadata: Iterable[tuple[str, str | bytes]] | None) -> dict[str, str]:
    """Return the trace of a caller for ``extract``, from the metadata of its call; empty without a valid one."""
    given = metadata_of(metadata, "traceparent")
    return {"traceparent": given} if _TRACEPARENT.fullmatch(given) else {}


class TraceInterceptor(OwnServiceInterceptor):
    """Opens a server span for each unary call, in the caller's trace."""

    def handler(self, handler: Any, details: grpc.HandlerCallDetails) -> Any:
        """Wrap the handler of a unary call with a span."""
        if not handler.unary_unary:
            return handler
        inner: Any = handler.unary_unary
        carrier = read_trace(details.invocation_metadata)

        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            name = details.method.removeprefix("/")
            with _tracer.start_as_current_span(name, context=extract(carrier), kind=SpanKind.SERVER) as span:
                span.set_attribute("rpc.system", "grpc")
                return await inner(request, context)

        return grpc.unary_unary_rpc_method_handler(call, handler.request_deserializer, handler.response_serializer)


class CallerInterceptor(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # generic only in the stubs
    """Opens a client span for each call and sends its context in the metadata, so that the trace continues."""

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """Continue the call inside a client span."""
        method: str | bytes = client_call_details.method
        name = (method.decode() if isinstance(method, bytes) else method).removeprefix("/")
        with _tracer.start_as_current_span(name, kind=SpanKind.CLIENT) as span:
            span.set_attribute("rpc.system", "grpc")
            carrier: dict[str, str] = {}
            inject(carrier)
            metadata = grpc.aio.Metadata(*(client_call_details.metadata or ()), *carrier.items())
            details = client_call_details._replace(metadata=metadata)
            return await continuation(details, request)
