"""Notifications as server-sent events: frames shared by all viewers, and a ring of the latest."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Generic, NamedTuple, Protocol, TypeVar

from faristol.gateway.api.contract_json import to_json, write_json
from faristol.gateway.api.event_types import RESET
from faristol.gateway.api.openapi.document import ref_to_answer
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb

RETRY_MS = 2_000
"""Milliseconds after which a browser reconnects."""

FRAME_BATCH_SIZE = 200
"""Limit of frames in a batch: some 50 kB."""


NEWS = ref_to_answer(pb.FollowResponse.DESCRIPTOR)
"""Reference to the schema of a notification, as the stream's `data`."""

NEWS_WITH_CONTENT = {"$ref": "#/components/schemas/NewsWithContent"}


def format_id(position: int, fingerprint: str) -> bytes:
    """Format the id of an event: its position, prefixed with the fingerprint if known."""
    return b"%b-%d" % (fingerprint.encode(), position) if fingerprint else b"%d" % position


def parse_id(given: str) -> tuple[int, str]:
    """Parse an id to position and fingerprint, or a bare position; 0 and ``UNREADABLE`` for other text."""
    found = _ID.fullmatch(given)
    return (int(found[2]), found[1] or "") if found else (0, UNREADABLE)


_ID = re.compile(r"(?:([0-9a-f]{1,64})-)?([0-9]{1,18})")

UNREADABLE = "?"
"""Fingerprint for an invalid id. It matches no event."""


def reset(topic: Topic, at: datetime) -> Batch:
    """Return the frame that tells a client to discard its data, since every notification follows from the first."""
    news = pb.FollowResponse(type=RESET)
    news.recorded_at.FromDatetime(at)
    written = frame(news, () if topic.with_content else None)
    return batch([written if topic.is_named else without_name(written)], 0)


def frame(news: pb.FollowResponse, changes: Sequence[bytes] | None = None) -> bytes:
    """Encode an event: fingerprint and position as id, name as event, notification as data.

    With ``changes``, each encoded as JSON, the data has them as ``content``.
    """
    data = write_json(to_json(news)).encode()
    if changes is not None:
        data = b'%b,"content":[%b]}' % (data[:-1], b",".join(changes))
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (format_id(news.position, news.fingerprint), news.type.encode(), data)


def without_name(frame: bytes) -> bytes:
    """Return the frame without ``event``, so that a browser passes it to ``onmessage``."""
    position, _, data = frame.split(b"\n", 2)
    return position + b"\n" + data


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


OPENING = f"retry: {RETRY_MS}\n\n".encode()
"""First bytes of every stream."""

LAST_CHUNK = b"0\r\n\r\n"
"""End of a chunked response."""


@lru_cache(maxsize=64)
def heartbeat(position: int, fingerprint: str = "") -> Batch:
    """Return a comment with the position of the stream, from which a client resumes past hidden notifications."""
    return batch([b": heartbeat\nid: %b\n\n" % format_id(position, fingerprint)], position, fingerprint)


F = TypeVar("F", bound="Framed")


class Framed(Protocol):
    """Notification ready to send."""

    def frame(self, topic: Topic) -> bytes:
        """Return the frame for a topic that includes it."""


class Plain:
    """Frame of a notification, equal for all topics except for the name."""

    __slots__ = ("_frame", "_unnamed")

    def __init__(self, news: pb.FollowResponse) -> None:
        self._frame = frame(news)
        self._unnamed = b""

    def frame(self, topic: Topic) -> bytes:
        """Return the frame, with its name if the topic wants names."""
        if topic.is_named:
            return self._frame
        self._unnamed = self._unnamed or without_name(self._frame)
        return self._unnamed


class Ring(Generic[F]):
    """Latest frames of all tournaments."""

    def __init__(self, kept: int) -> None:
        """Create an empty ring, which stores at least the last ``kept`` frames."""
        self.kept = kept
        self.before = 0
        """Every notification after this position, up to ``position``, is in the ring."""
        self.position = 0
        self.fingerprint = ""
        """Fingerprint of the event at ``position``; empty if unknown."""
        self._news: list[pb.FollowResponse] = []
        self._frames: list[F] = []
        self._positions: list[int] = []

    def begin(self, position: int, fingerprint: str = "") -> None:
        """Restart empty after a position."""
        self._news, self._frames, self._positions = [], [], []
        self.before = self.position = position
        self.fingerprint = fingerprint

    def fingerprint_at(self, position: int) -> str:
        """Return the fingerprint of the event at a position; empty if unknown."""
        if position == self.position:
            return self.fingerprint
        at = bisect_right(self._positions, position) - 1
        return self._news[at].fingerprint if at >= 0 and self._positions[at] == position else ""

    def add(self, news: Sequence[pb.FollowResponse], position: int, frames: Iterable[F], fingerprint: str = "") -> None:
        """Add the next notifications and their frames, which are complete up to ``position``."""
        self._news += news
        self._frames += frames
        self._positions += (each.position for each in news)
        self.position, self.fingerprint = position, fingerprint
        if len(self._news) > 2 * self.kept:  # many at once, which costs less
            self.before = self._positions[-self.kept - 1]
            del self._news[: -self.kept], self._frames[: -self.kept], self._positions[: -self.kept]

    def drop(self, position: int) -> None:
        """Drop the frames up to a position."""
        if position > self.before:
            gone = bisect_right(self._positions, position)
            del self._news[:gone], self._frames[:gone], self._positions[:gone]
            self.before = position

    def after(self, topic: Topic, position: int) -> Batch:
        """Return the next frames of a topic after a position, which must not precede the ring."""
        start = bisect_right(self._positions, position)
        found: list[bytes] = []
        for at in range(start, len(self._news)):
            if topic.has(self._news[at]):
                if len(found) == FRAME_BATCH_SIZE:
                    return batch(found, self._positions[at - 1], self._news[at - 1].fingerprint)
                found.append(self._frames[at].frame(topic))
        return batch(found, max(position, self.position), self.fingerprint if position <= self.position else "")
