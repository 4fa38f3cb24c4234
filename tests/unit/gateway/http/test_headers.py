"""The headers that the gateway adds to every response."""

from __future__ import annotations

from typing import Any

import pytest

from faristol.gateway.http.headers import STRICT_TRANSPORT, SafeHeaders


@pytest.mark.parametrize(("scheme", "told"), [("https", [STRICT_TRANSPORT]), ("http", [])])
async def test_browsers_are_told_to_stay_with_tls_where_tls_is(scheme: str, told: list[str]) -> None:
    sent: list[Any] = []

    async def application(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        sent.append(message)

    await SafeHeaders(application)({"type": "http", "scheme": scheme, "path": "/"}, None, send)  # type: ignore[arg-type] # it reads no body
    headers = [(name.lower(), value.decode()) for name, value in sent[0]["headers"]]
    assert [value for name, value in headers if name == b"strict-transport-security"] == told
