"""Host check: a platform without credentials answers only under the names of this machine."""

from __future__ import annotations

from functools import lru_cache
from http import HTTPStatus
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from faristol.gateway.http.errors import Problem, as_json
from faristol.gateway.http.language import language_of
from faristol.kernel.addresses import is_loopback
from faristol.kernel.refusal import N_
from faristol.text import say

OTHER_HOST = N_(
    "this platform requires no credentials and accepts only host names of this machine, such as localhost; got {host}"
)


class OwnHosts:
    """ASGI middleware that refuses requests with any other host name, whatever address it resolves to.

    Otherwise a foreign site could resolve its own name to this platform (DNS rebinding) and count as its origin.
    """

    def __init__(self, app: ASGIApp, address: str = "") -> None:
        """Wrap an application. The host of ``address``, the public address, is accepted too."""
        self._app = app
        self._host = urlsplit(address).hostname or ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the host of a request."""
        if not _is_own(host := Headers(scope=scope).get("host", ""), self._host):
            request = Request(scope)
            detail = say(OTHER_HOST, {"host": repr(host[:100])}, language_of(request))
            problem = Problem(HTTPStatus.MISDIRECTED_REQUEST, detail, {"reason": "OTHER_HOST"})
            await as_json(problem, request)(scope, receive, send)
            return
        await self._app(scope, receive, send)


@lru_cache(maxsize=256)  # most requests have the host of the one before
def _is_own(host: str, public_host: str) -> bool:
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return is_loopback(name) or name.endswith(".localhost") or (bool(name) and name == public_host)
