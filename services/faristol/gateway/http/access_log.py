"""Access log: a line of JSON for each request except static files, with credential, path, address and status.

Names of people are left out: the query, which may search for names, is not logged, and a credential is logged only by
its id.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faristol.access_control.errors import AccessError
from faristol.access_control.tokens import MAX_SIGNED_TOKEN_CHARACTERS, decode_unverified
from faristol.gateway.auth.session import bearer_of, token_of
from faristol.host.security.visitor import MAX_AGENT_CHARACTERS

REQUEST_LOGGER_NAME = "faristol.requests"
MAX_PATH_CHARACTERS = 300

_log = logging.getLogger(REQUEST_LOGGER_NAME)


def begin() -> None:
    """Write the lines to standard error without a prefix, regardless of the format of other logs."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    _log.handlers = [handler]
    _log.propagate = False
    _log.setLevel(logging.INFO)


class AccessLog:
    """ASGI middleware that writes the access log."""

    def __init__(self, app: ASGIApp, now: Callable[[], datetime]) -> None:
        self._app = app
        self._now = now

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Log a request at its end."""
        if scope["path"].startswith("/static/"):
            await self._app(scope, receive, send)
            return
        began = perf_counter()
        status, length = 0, 0

        async def send_counted(message: Message) -> None:
            nonlocal status, length
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                length += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, send_counted)
        finally:
            line: dict[str, Any] = {
                "time": self._now().astimezone(UTC).isoformat(timespec="milliseconds"),
                "level": "INFO",
                "logger": REQUEST_LOGGER_NAME,
                **_about(scope),
                "status": status,
                "bytes": length,
                "seconds": round(perf_counter() - began, 4),
            }
            _log.info("%s", json.dumps({name: value for name, value in line.items() if value != ""}))


def _about(scope: Scope) -> dict[str, Any]:
    request = Request(scope)
    return {
        "method": scope["method"],
        "path": scope["path"][:MAX_PATH_CHARACTERS],
        "address": scope["client"][0] if scope.get("client") else "",
        "agent": request.headers.get("user-agent", "")[:MAX_AGENT_CHARACTERS],
        "credential": _credential_of(request),
    }


def _credential_of(request: Request) -> str:
    """Return the credential id that the token of a request claims, unverified; empty without a token."""
    token = bearer_of(request) or token_of(request)
    if not token or len(token) > MAX_SIGNED_TOKEN_CHARACTERS:
        return ""
    try:
        return decode_unverified(token).credential_id
    except AccessError:
        return ""
