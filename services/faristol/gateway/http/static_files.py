"""Static files of the pages."""

from __future__ import annotations

import mimetypes
from functools import cache
from importlib import resources
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from faristol.gateway.cache.representation import Representation
from faristol.gateway.pages.templating import asset

FOREVER = b"public, max-age=31536000, immutable"
"""``Cache-Control`` of a file whose address changes with its content."""

WORKERS = {"table-worker.js": ((b"service-worker-allowed", b"/"),)}
"""Service workers, with the header that widens their scope. Its default is ``/static``."""


async def assets(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve the static files by ASGI. Browsers cache them without expiry under the versioned address of a page.

    Raises ``HTTPException`` if there is no such file.
    """
    if scope["method"] not in {"GET", "HEAD"}:
        raise HTTPException(405, headers={"Allow": "GET"})
    name = scope["path"].removeprefix(scope.get("root_path", "")).lstrip("/")
    found = _files().get(name)
    if found is None:
        raise HTTPException(404)
    headers = {key: value.decode("latin-1") for key, value in scope["headers"]}
    version = parse_qs(scope["query_string"].decode("latin-1")).get("v", [""])[0]
    is_this_one = asset(name).endswith(f"?v={version}")
    await found.send(
        send,
        accepted=headers.get(b"accept-encoding", ""),
        known=headers.get(b"if-none-match", ""),
        cache_control=FOREVER if is_this_one else b"no-cache",
    )


@cache
def _files() -> dict[str, Representation]:
    """Return every file by name."""
    found = {}
    for file in (resources.files("faristol.gateway") / "static").iterdir():
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        kind = f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
        headers = [(b"content-type", kind.encode()), *WORKERS.get(file.name, ())]
        found[file.name] = Representation.of(200, headers, file.read_bytes())
    return found
