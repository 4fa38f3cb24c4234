"""Logs: a line for people, or JSON for what gathers logs, with the trace that a line belongs to.

A record may bring more members for JSON, as ``extra={"fields": {…}}``.
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
    """Each record as one line of JSON: time (UTC), level, logger, message, and where there is one trace and error."""

    def format(self, record: logging.LogRecord) -> str:
        """See ``logging.Formatter``."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        from opentelemetry import trace  # which a command at a terminal does without

        span = trace.get_current_span().get_span_context()
        if span.is_valid:
            line["trace_id"] = trace.format_trace_id(span.trace_id)
            line["span_id"] = trace.format_span_id(span.span_id)
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


AUDIT = "faristol.audit"
"""The logger of what was done and refused for who asked. What was done is a line, too, unless only errors are."""

_TALKATIVE = ("httpx2", "httpcore2")
"""Loggers that name each address that is called, with the secrets that may be in it."""


def begin(level: str, form: Form) -> None:
    """Log to standard error from here on, unless somebody has already said where logs go."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter(FOR_PEOPLE))
    logging.basicConfig(level=level, handlers=[handler])
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
    if logging.getLogger().level <= logging.WARNING:
        logging.getLogger(AUDIT).setLevel(min(logging.INFO, logging.getLogger().level))
    if form == "json":
        logging.captureWarnings(True)
        sys.excepthook = _log_uncaught


def _log_uncaught(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
    """Log what ends the process: what gathers logs reads JSON alone."""
    logging.getLogger("faristol").critical("the process ends", exc_info=(kind, problem, trace))
