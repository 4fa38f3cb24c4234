"""Lines that unauthenticated callers cause are logged once a second for each kind, and all are counted."""

from __future__ import annotations

import asyncio
import json
import logging
import sys

import pytest

from faristol.host.observability.logs import JsonLines
from faristol.host.observability.rate_limited_log import RateLimitedLog


class Lines:
    """The log, with a simulated time."""

    def __init__(self, every_seconds: float) -> None:
        self.now = 0.0
        self.written: list[str] = []
        self.seldom = RateLimitedLog(lambda message, _: self.written.append(message), lambda: self.now, every_seconds)


async def test_one_of_a_kind_is_written_and_the_others_are_counted() -> None:
    lines = Lines(0.02)
    for _ in range(500):
        lines.seldom.tell("a", "first of a")
    lines.seldom.tell("b", "first of b")
    assert lines.written == ["first of a", "first of b"]
    await asyncio.sleep(0.05)
    assert lines.written[2:] == ["a: 499 more in 0.02 s"]
    lines.now = 1.0
    lines.seldom.tell("a", "next of a")
    assert lines.written[3:] == ["next of a"]


async def test_what_was_counted_is_told_where_the_loop_of_its_timer_has_ended() -> None:
    lines = Lines(60.0)
    for _ in range(3):
        lines.seldom.tell("a", "of a")
    lines.now = 121.0
    lines.seldom.tell("a", "much later")
    assert lines.written == ["of a", "a: 2 more in 60 s"]


def test_json_has_the_fields_of_a_line_and_what_ends_a_process() -> None:
    record = logging.LogRecord("faristol.audit", logging.WARNING, "", 0, "refused", (), None)
    record.fields = {"address": "192.0.2.7", "outcome": "refused"}
    line = json.loads(JsonLines().format(record))
    assert (line["message"], line["address"], line["outcome"]) == ("refused", "192.0.2.7", "refused")
    try:
        raise ValueError("ended")
    except ValueError:
        caught = sys.exc_info()
    record = logging.LogRecord("faristol", logging.CRITICAL, "", 0, "the process ends", (), caught)
    assert json.loads(JsonLines().format(record))["error"].endswith("ValueError: ended")


@pytest.mark.parametrize("name", ["faristol.audit"])
def test_the_audit_log_has_the_logger_that_docs_name(name: str) -> None:
    from faristol.host.observability import logs
    from faristol.host.security import audit

    assert audit.AUDIT_LOGGER_NAME == logs.AUDIT == name
