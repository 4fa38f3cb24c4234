"""Metrics of requests: duration until the response starts, and failures."""

from __future__ import annotations

from time import perf_counter

from opentelemetry import metrics
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faristol.gateway.http.rate_limit import STREAMS
from faristol.host.observability.telemetry import DURATION_BUCKETS

HEALTH = ("/healthz", "/readyz")

_seconds = metrics.get_meter("faristol.gateway").create_histogram(
    "faristol.http.duration",
    unit="s",
    description="time from the request to the start of its answer",
    explicit_bucket_boundaries_advisory=DURATION_BUCKETS,
)


def kind_of(path: str) -> str:
    """Return the kind of a request: ``health``, ``static``, ``stream``, ``json`` or ``page``."""
    if path in HEALTH:
        return "health"
    if path.startswith("/static/"):
        return "static"
    if path.endswith(STREAMS):
        return "stream"
    return "json" if path.startswith("/api/") else "page"


class Measured:
    """ASGI middleware that measures requests; a request aborted before its response is not counted."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Measure a request until its response starts."""
        began = perf_counter()

        async def send_measured(message: Message) -> None:
            if message["type"] == "http.response.start":
                status = f"{message['status'] // 100}xx"
                _seconds.record(perf_counter() - began, {"kind": kind_of(scope["path"]), "status": status})
            await send(message)

        await self._app(scope, receive, send_measured)
