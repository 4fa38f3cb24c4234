"""Spans of published and consumed events, and metrics of consumers. Almost free without an exporter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from opentelemetry import metrics, trace
from opentelemetry.propagate import extract
from opentelemetry.trace import SpanKind

from faristol.event_store import Recorded

_tracer = trace.get_tracer("faristol.bus")
_meter = metrics.get_meter("faristol.bus")

stopped_gauge = _meter.create_gauge("faristol.consumer.stopped", description="1 while a consumer is stopped")
parked_gauge = _meter.create_gauge(
    "faristol.consumer.parked",
    unit="{key}",
    description="streams (of a reaction) or tournaments (of a projection) whose events are parked",
)
relayed_counter = _meter.create_counter(
    "faristol.relay.events", unit="{event}", description="events published to the bus"
)


@contextmanager
def trace_publication(events: Sequence[Recorded]) -> Iterator[None]:
    """Open a span for each event while it is published, in the trace of its append."""
    with _spans(events, "publish", SpanKind.PRODUCER):
        yield
    relayed_counter.add(len(events))


@contextmanager
def trace_consumption(consumer: str, events: Sequence[Recorded]) -> Iterator[None]:
    """Open a span for each event while a consumer processes it, in the trace of its append."""
    with _spans(events, consumer, SpanKind.CONSUMER):
        yield


@contextmanager
def _spans(events: Sequence[Recorded], what: str, kind: SpanKind) -> Iterator[None]:
    with ExitStack() as stack:
        for event in events:
            parent = extract({"traceparent": event.metadata.traceparent}) if event.metadata.traceparent else None
            attributes: dict[str, str | int] = {
                "messaging.system": "nats",
                "faristol.position": event.position,
                "faristol.stream": event.stream,
            }
            span = _tracer.start_span(f"{what} {event.name}", context=parent, kind=kind, attributes=attributes)
            stack.callback(span.end)
            if len(events) == 1:
                stack.enter_context(trace.use_span(span))
        yield
