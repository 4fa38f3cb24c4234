"""Each request is a line of JSON, without the query, without a name, and not for files of pages."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from tests.unit.access_control.holders import build_credential

from faristol.access_control.roles import SCORER
from faristol.access_control.tokens import issue
from faristol.gateway.http.access_log import REQUEST_LOGGER_NAME, AccessLog

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


async def lines(caplog: pytest.LogCaptureFixture, path: str, headers: dict[str, str], query: str = "") -> list[Any]:
    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 404, "headers": []})
        await send({"type": "http.response.body", "body": b"none"})

    async def send(message: Any) -> None:
        pass

    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    scope: dict[str, Any] = {"type": "http", "method": "GET", "scheme": "http", "path": path, "headers": raw}
    scope |= {"query_string": query.encode(), "client": ("192.0.2.7", 5)}
    with caplog.at_level(logging.INFO, REQUEST_LOGGER_NAME):
        await AccessLog(answer, lambda: NOW)(scope, None, send)  # type: ignore[arg-type] # nothing is received
    return [json.loads(record.getMessage()) for record in caplog.records if record.name == REQUEST_LOGGER_NAME]


async def test_a_line_says_who_asked_for_what_and_what_was_answered(caplog: pytest.LogCaptureFixture) -> None:
    credential = replace(build_credential(SCORER, tournaments=["open"]), name="Ona Mas")
    token = issue(credential, Ed25519PrivateKey.generate(), "cell")
    headers = {"user-agent": "curl/8 \xe9\n", "authorization": f"Bearer {token}"}
    (line,) = await lines(caplog, "/players", headers, "search=ona")
    assert line.pop("seconds") >= 0
    assert line == {
        "time": "2026-11-21T12:00:00.000+00:00",
        "level": "INFO",
        "logger": REQUEST_LOGGER_NAME,
        "method": "GET",
        "path": "/players",
        "address": "192.0.2.7",
        "agent": "curl/8 \xe9\n",
        "credential": credential.credential_id,
        "status": 404,
        "bytes": 4,
    }
    assert "ona" not in caplog.text.lower()


@pytest.mark.parametrize("token", ["a.b.c", "x" * 9_000, "e30.e30.e30"])
async def test_what_is_no_token_is_no_credential(caplog: pytest.LogCaptureFixture, token: str) -> None:
    (line,) = await lines(caplog, "/", {"authorization": f"Bearer {token}"})
    assert "credential" not in line


async def test_files_of_pages_are_no_lines(caplog: pytest.LogCaptureFixture) -> None:
    assert await lines(caplog, "/static/icon.svg", {}) == []
