"""A rendered answer, encoded once for everybody, and how it is sent to somebody."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from starlette.types import Send

Header = tuple[bytes, bytes]

GZIP_LEVEL = 9
"""It is done once a change, and sent to everybody."""

LONGEST = 200
"""Characters of an ``Accept-Encoding`` that are read: what is read is remembered. To a longer one nothing is packed."""

SMALLEST = 500
"""Bytes from which on it is worth encoding a body."""

_REPLACED = frozenset((b"content-length", b"etag", b"vary", b"set-cookie", b"cache-control"))


@dataclass(frozen=True, slots=True)
class Representation:
    """A rendered answer: its headers, its body as it is and as gzip."""

    status: int
    headers: Sequence[Header]
    """Those that are the same for whoever asks."""
    cache_control: bytes
    body: bytes
    packed: bytes
    """The body by gzip; empty where that saves nothing."""
    tag: str
    """The ``ETag`` without quotes; empty for what has none."""

    @classmethod
    def of(cls, status: int, headers: Iterable[Header], body: bytes) -> Representation:
        """From what was rendered: encoded, and tagged where it has no tag and is no problem."""
        given = {name.lower(): value for name, value in headers}
        tag = given.get(b"etag", b"").decode("latin-1").removeprefix("W/").strip('"')
        if not tag and status == 200:
            tag = hashlib.sha256(body).hexdigest()[:16]
        packed = gzip.compress(body, GZIP_LEVEL, mtime=0) if len(body) >= SMALLEST else b""
        kept = [(name, value) for name, value in given.items() if name not in _REPLACED]
        cache_control = given.get(b"cache-control", b"no-cache")
        return cls(status, kept, cache_control, body, packed if len(packed) < len(body) else b"", tag)

    @property
    def size(self) -> int:
        """Bytes that it takes, about."""
        return len(self.body) + len(self.packed) + 1_000

    async def send(
        self,
        send: Send,
        *,
        accepted: str = "",
        known: str = "",
        vary: bytes = b"Accept-Encoding",
        cache_control: bytes = b"",
        more: Iterable[Header] = (),
    ) -> None:
        """Send it by what the request accepts (``Accept-Encoding``) and knows already (``If-None-Match``)."""
        packed = bool(self.packed) and len(accepted) <= LONGEST and takes_gzip(accepted)
        headers = [(b"vary", vary), (b"cache-control", cache_control or self.cache_control), *more]
        if self.tag:
            headers.append((b"etag", f'"{self.tag}{PACKED if packed else ""}"'.encode("latin-1")))
            if known and is_known(known, self.tag):
                headers += [(name, value) for name, value in self.headers if name == b"content-language"]
                await send({"type": "http.response.start", "status": 304, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        body = self.packed if packed else self.body
        if packed:
            headers.append((b"content-encoding", b"gzip"))
        headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": self.status, "headers": [*self.headers, *headers]})
        await send({"type": "http.response.body", "body": body})


PACKED = "-gzip"
"""What the tag of a packed body ends with: it is another body, of the same content."""


def is_known(if_none_match: str, tag: str) -> bool:
    """Whether a request knows what has this tag, packed or not."""
    given = (each.strip().removeprefix("W/").strip('"') for each in if_none_match.split(","))
    return any(each == "*" or each.removesuffix(PACKED) == tag for each in given)


@lru_cache(1_024)
def takes_gzip(accepted: str) -> bool:
    """Whether gzip is to be sent by an ``Accept-Encoding``: it is accepted, and nothing else is wanted rather."""
    weights = {}
    for each in accepted.lower().split(","):
        name, _, parameters = each.partition(";")
        weights[name.strip()] = _weight(parameters)
    gzip_weight = weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0)))
    return gzip_weight > 0 and gzip_weight >= weights.get("identity", 0.0)


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
