"""Rendered answer with its encodings, and how it is sent."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import brotli
from starlette.types import Send

Header = tuple[bytes, bytes]

ENCODINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "br": lambda body: bytes(brotli.compress(body, quality=6)),
    "gzip": lambda body: gzip.compress(body, 9, mtime=0),
}
"""Encoders by name, applied once for each change. If a client accepts both equally, the first is used."""

MAX_ENCODING_CHARACTERS = 200
"""Limit of a parsed ``Accept-Encoding`` in characters, since parsed values are cached. A longer one disables encoding.
"""

MIN_ENCODED_BYTES = 500
"""Minimum size of an encoded body in bytes."""

_REPLACED = frozenset((b"content-length", b"etag", b"vary", b"set-cookie", b"cache-control"))


@dataclass(frozen=True, slots=True)
class Representation:
    """Rendered answer: headers, and body with its encodings."""

    status: int
    headers: Sequence[Header]
    """Headers that are equal for all clients."""
    cache_control: bytes
    body: bytes
    encoded: Mapping[str, bytes]
    """Encoded bodies that are shorter than the original."""
    tag: str
    """``ETag`` without quotes; empty if there is no tag."""

    @classmethod
    def of(cls, status: int, headers: Iterable[Header], body: bytes) -> Representation:
        """Encode a rendered answer, and compute a tag if it has none and its status is 200."""
        given = {name.lower(): value for name, value in headers}
        tag = given.get(b"etag", b"").decode("latin-1").removeprefix("W/").strip('"')
        if not tag and status == 200:
            tag = hashlib.sha256(body).hexdigest()[:16]
        made = {name: encode(body) for name, encode in ENCODINGS.items()} if len(body) >= MIN_ENCODED_BYTES else {}
        encoded = {name: shorter for name, shorter in made.items() if len(shorter) < len(body)}
        kept = [(name, value) for name, value in given.items() if name not in _REPLACED]
        cache_control = given.get(b"cache-control", b"no-cache")
        return cls(status, kept, cache_control, body, encoded, tag)

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        return len(self.body) + sum(map(len, self.encoded.values())) + 1_000

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
        """Send the answer by ``Accept-Encoding`` and ``If-None-Match``."""
        encoding = encoding_for(accepted) if self.encoded and len(accepted) <= MAX_ENCODING_CHARACTERS else ""
        body = self.encoded.get(encoding, self.body)
        headers = [(b"vary", vary), (b"cache-control", cache_control or self.cache_control), *more]
        if self.tag:
            headers.append((b"etag", f'"{self.tag}{"" if body is self.body else f"-{encoding}"}"'.encode("latin-1")))
            if known and is_known(known, self.tag):
                headers += [(name, value) for name, value in self.headers if name == b"content-language"]
                await send({"type": "http.response.start", "status": 304, "headers": headers})
                await send({"type": "http.response.body", "body": b""})
                return
        if body is not self.body:
            headers.append((b"content-encoding", encoding.encode()))
        headers.append((b"content-length", b"%d" % len(body)))
        await send({"type": "http.response.start", "status": self.status, "headers": [*self.headers, *headers]})
        await send({"type": "http.response.body", "body": body})


def is_known(if_none_match: str, tag: str) -> bool:
    """Check whether ``If-None-Match`` has a tag, with or without the suffix of an encoding."""
    tags = {"*", tag, *(f"{tag}-{name}" for name in ENCODINGS)}
    return any(each.strip().removeprefix("W/").strip('"') in tags for each in if_none_match.split(","))


@lru_cache(1_024)
def encoding_for(accepted: str) -> str:
    """Return the preferred encoding of an ``Accept-Encoding``; empty for identity."""
    weights = {}
    for each in accepted.lower().split(","):
        name, _, parameters = each.partition(";")
        weights[name.strip().removeprefix("x-")] = _weight(parameters)
    weights.setdefault("gzip", weights.get("*", 0.0))  # a client that accepts any encoding supports gzip
    found = max(ENCODINGS, key=lambda name: weights.get(name, 0.0))
    weight = weights.get(found, 0.0)
    return found if weight > 0 and weight >= weights.get("identity", 0.0) else ""


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0
