"""Metrics of webhooks. Without a back-end they cost little."""

from __future__ import annotations

from opentelemetry import metrics

_meter = metrics.get_meter("faristol.results")

deliveries = _meter.create_counter(
    "faristol.webhook.deliveries", unit="{message}", description="messages that were sent, by what came of each"
)
lag = _meter.create_gauge(
    "faristol.webhook.lag",
    unit="{event}",
    description="events that the slowest live webhook is behind",
)
failing = _meter.create_gauge(
    "faristol.webhook.failing", unit="{webhook}", description="webhooks whose last message did not arrive"
)
stopped = _meter.create_gauge(
    "faristol.webhook.stopped", unit="{webhook}", description="webhooks that get nothing until somebody resumes them"
)
dead_letters = _meter.create_gauge(
    "faristol.webhook.dead", unit="{message}", description="messages that were refused and left out"
)
