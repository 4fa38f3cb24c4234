"""Logs as text or as JSON, with the trace of each line.

A log record may add members to its JSON with ``extra={"fields": {…}}``.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Literal

FOR_PEOPLE = "%(asctime)s %(levelname)s %(name)s: %(message)s"

Form = Literal["text", "json"]


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON: time (UTC), level, logger, message, and if present trace and error."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as a line of JSON."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        from opentelemetry import trace  # not needed by commands that log text

        span = trace.get_current_span().get_span_context()
        if span.is_valid:
            line["trace_id"] = trace.format_trace_id(span.trace_id)
            line["span_id"] = trace.format_span_id(span.span_id)
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


AUDIT = "faristol.audit"
"""The audit logger. Successful actions are logged as INFO, unless only errors are logged or a level was set before."""

_TALKATIVE = ("httpx2", "httpcore2")
"""Loggers that write each URL that is called, possibly with secrets."""


def begin(level: str, form: Form) -> None:
    """Log to standard error, unless logging is configured already."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter(FOR_PEOPLE))
    logging.basicConfig(level=level, handlers=[handler])
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
    audit = logging.getLogger(AUDIT)
    if audit.level == logging.NOTSET and logging.getLogger().level <= logging.WARNING:
        audit.setLevel(min(logging.INFO, logging.getLogger().level))
    if form == "json":
        logging.captureWarnings(True)
        sys.excepthook = _log_uncaught


def _log_uncaught(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
    """Log the exception that ends the process, since collectors of logs read only JSON."""
    logging.getLogger("faristol").critical("the process ends", exc_info=(kind, problem, trace))
