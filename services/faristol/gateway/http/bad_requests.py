"""Malformed, aborted and surplus requests: counted, and logged at most once a second by kind."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from opentelemetry import metrics

from faristol.host.observability.rate_limited_log import RateLimitedLog

_log = logging.getLogger(__name__)
_count = metrics.get_meter("faristol.gateway").create_counter(
    "faristol.http.broken", unit="{request}", description="malformed, aborted or excess requests, by kind"
)


def _write(message: str, fields: Mapping[str, Any]) -> None:
    _log.warning("%s", message, extra={"fields": dict(fields)})


_seldom = RateLimitedLog(_write)


def count_bad_request(kind: str, address: str = "") -> None:
    """Count a request and log it. ``kind`` is one of a few sentences."""
    _count.add(1, {"kind": kind})
    _seldom.tell(kind, f"{kind}, from {address}" if address else kind, {"address": address} if address else {})
