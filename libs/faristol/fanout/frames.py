"""Server-sent events as bytes: their ids, heartbeats, and batches of frames that viewers share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

RETRY_MS = 2_000
"""Milliseconds after which a browser reconnects."""

FRAME_BATCH_SIZE = 200
"""Limit of frames in a batch: some 50 kB."""

OPENING = f"retry: {RETRY_MS}\n\n".encode()
"""First bytes of every stream."""

LAST_CHUNK = b"0\r\n\r\n"
"""End of a chunked response."""

UNREADABLE = "?"
"""Fingerprint for an invalid id. It matches no event."""

_ID = re.compile(r"(?:([0-9a-f]{1,64})-)?([0-9]{1,18})")


def format_id(position: int, fingerprint: str) -> bytes:
    """Format the id of an event: its position, prefixed with the fingerprint if known."""
    return b"%b-%d" % (fingerprint.encode(), position) if fingerprint else b"%d" % position


def parse_id(given: str) -> tuple[int, str]:
    """Parse an id to position and fingerprint, or a bare position; 0 and ``UNREADABLE`` for other text."""
    found = _ID.fullmatch(given)
    return (int(found[2]), found[1] or "") if found else (0, UNREADABLE)


class Batch(NamedTuple):
    """Consecutive frames of a topic."""

    frames: bytes
    chunk: bytes
    """Frames as a chunk of HTTP/1.1; empty without frames."""
    position: int
    """Position up to which these are all frames of the topic."""
    fingerprint: str
    """Fingerprint of the event at the position; empty if unknown."""


def batch(frames: Iterable[bytes], position: int, fingerprint: str = "") -> Batch:
    """Join frames to a batch."""
    joined = b"".join(frames)
    return Batch(joined, chunk(joined) if joined else b"", position, fingerprint)


def chunk(data: bytes) -> bytes:
    """Encode a chunk of HTTP/1.1."""
    return b"%x\r\n%b\r\n" % (len(data), data)


@lru_cache(maxsize=64)
def heartbeat(position: int, fingerprint: str = "") -> Batch:
    """Return a comment with the position of the stream, from which a client resumes past hidden events."""
    return batch([b": heartbeat\nid: %b\n\n" % format_id(position, fingerprint)], position, fingerprint)
