"""Metrics of webhooks. Without a back-end they cost little."""

from __future__ import annotations

from opentelemetry import metrics

_meter = metrics.get_meter("faristol.results")

deliveries = _meter.create_counter(
    "faristol.webhook.deliveries", unit="{message}", description="messages sent, by outcome"
)
lag = _meter.create_gauge(
    "faristol.webhook.lag",
    unit="{event}",
    description="events that the slowest live webhook is behind",
)
failing = _meter.create_gauge(
    "faristol.webhook.failing", unit="{webhook}", description="webhooks whose last message failed"
)
stopped = _meter.create_gauge(
    "faristol.webhook.stopped", unit="{webhook}", description="stopped webhooks that have to be resumed"
)
dead_letters = _meter.create_gauge(
    "faristol.webhook.dead", unit="{message}", description="messages that were rejected and dropped"
)
