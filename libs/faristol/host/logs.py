"""Logs: a line for people, or JSON for what gathers logs, with the trace that a line belongs to."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Literal

FOR_PEOPLE = "%(asctime)s %(levelname)s %(name)s: %(message)s"

Form = Literal["text", "json"]


class JsonLines(logging.Formatter):
    """Each record as one line of JSON: time (UTC), level, logger, message, and where there is one trace and error."""

    def format(self, record: logging.LogRecord) -> str:
        """See ``logging.Formatter``."""
        line: dict[str, str] = {
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
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


_TALKATIVE = ("httpx2", "httpcore2")
"""Loggers that name each address that is called, with the secrets that may be in it."""


def begin(level: str, form: Form) -> None:
    """Log to standard error from here on, unless somebody has already said where logs go."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter(FOR_PEOPLE))
    logging.basicConfig(level=level, handlers=[handler])
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(max(logging.WARNING, logging.getLogger().level))
