"""The trace of a call comes from its caller if it is valid; an invalid one writes no log line."""

from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.propagate import extract

from faristol.host.observability.telemetry import read_trace

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"


def test_the_trace_of_a_caller_goes_on() -> None:
    found = extract(read_trace([("x", b"y"), ("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01")]))
    assert trace.format_trace_id(trace.get_current_span(found).get_span_context().trace_id) == TRACE


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        [("traceparent", "1" * 10_000)],
        [("traceparent", "00-zz-zz-00")],
        [("baggage", "a=b," * 5_000), ("baggage", "=")],
        [("traceparent", f"00-{TRACE}-00f067aa0ba902b7-01"), ("tracestate", "=,a=\u0001," * 100)],
    ],
)
def test_what_is_no_trace_is_left_out_without_a_word(
    metadata: list[tuple[str, str | bytes]] | None, caplog: pytest.LogCaptureFixture
) -> None:
    extract(read_trace(metadata))
    assert not caplog.records
