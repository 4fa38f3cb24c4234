"""OpenTelemetry: one trace from a caller to the projections, and metrics. Off unless settings ask for some of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import grpc
from opentelemetry import metrics, trace
from opentelemetry.propagate import extract, inject
from opentelemetry.trace import SpanKind

from faristol.host.listening import bindable
from faristol.host.metadata import OwnServiceInterceptor
from faristol.host.services import StartError
from faristol.host.settings import Settings

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper bounds of the buckets of durations, among them each bound of the aims in docs/operations.md.

Those of OpenTelemetry are for milliseconds: all that takes less than five seconds would be in the first one.
"""

_tracer = trace.get_tracer("faristol.rpc")


class Telemetry:
    """The exporters of a process: to a collector, and for Prometheus, each where the settings say so.

    Logs in JSON name the trace of what they tell, and facts keep it, also where no collector gathers spans.
    """

    def __init__(self, settings: Settings, service: str) -> None:
        """Raises ``StartError`` when the port of the metrics is taken. Settings that ask for a free one (0) get it."""
        # Exporters and the rest of the SDK are for those who have an endpoint: others start without them.
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
            server, thread = start_http_server(settings.metrics_port or 0, bindable(settings.grpc_host), registry)
        except OSError as problem:
            raise StartError(
                f"metrics cannot listen on {settings.grpc_host}:{settings.metrics_port} ({problem.strerror}): "
                "give another port with FARISTOL_METRICS_PORT"
            ) from problem
        settings.metrics_port = server.server_port
        self._close += [thread.join, server.server_close, server.shutdown]  # the last one first
        return reader

    def close(self) -> None:
        """Send what is left, and stop answering."""
        for close in reversed(self._close):
            close()


class TraceInterceptor(OwnServiceInterceptor):
    """A server span for each call, in the caller's trace."""

    def handler(self, handler: Any, details: grpc.HandlerCallDetails) -> Any:
        """See ``OwnServiceInterceptor``."""
        if not handler.unary_unary:
            return handler
        inner: Any = handler.unary_unary
        carrier = {key: str(value) for key, value in details.invocation_metadata}

        async def call(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
            name = details.method.removeprefix("/")
            with _tracer.start_as_current_span(name, context=extract(carrier), kind=SpanKind.SERVER) as span:
                span.set_attribute("rpc.system", "grpc")
                return await inner(request, context)

        return grpc.unary_unary_rpc_method_handler(call, handler.request_deserializer, handler.response_serializer)


class CallerInterceptor(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """A client span for each call, whose context travels in the metadata: traces go on in the service called."""

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """See ``grpc.aio.UnaryUnaryClientInterceptor``."""
        method: str | bytes = client_call_details.method
        name = (method.decode() if isinstance(method, bytes) else method).removeprefix("/")
        with _tracer.start_as_current_span(name, kind=SpanKind.CLIENT) as span:
            span.set_attribute("rpc.system", "grpc")
            carrier: dict[str, str] = {}
            inject(carrier)
            metadata = grpc.aio.Metadata(*(client_call_details.metadata or ()), *carrier.items())
            details = client_call_details._replace(metadata=metadata)
            return await continuation(details, request)
