"""Notifications as server-sent events, with the changed content for viewers who want it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from faristol.fanout import Batch, Gone, batch, format_id
from faristol.gateway.api.contract_json import to_json, write_json
from faristol.gateway.api.event_types import RESET
from faristol.gateway.api.openapi.document import ref_to_answer
from faristol.gateway.live.content import Subject, is_covered
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb

NEWS = ref_to_answer(pb.FollowResponse.DESCRIPTOR)
"""Reference to the schema of a notification, as the stream's `data`."""

NEWS_WITH_CONTENT = {"$ref": "#/components/schemas/NewsWithContent"}

MAX_FRAME_VARIANTS = 16
"""Limit of cached frames for a notification: topics can combine changes in thousands of ways."""


def frame(news: pb.FollowResponse, **more: str) -> bytes:
    """Encode an event: fingerprint and position as id, name as event, notification with further members as data."""
    data = write_json({**to_json(news), **more}).encode()
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (format_id(news.position, news.fingerprint), news.type.encode(), data)


def add_content(frame: bytes, changes: Iterable[bytes]) -> bytes:
    """Return the frame with changes, each encoded as JSON, as ``content`` of its data."""
    return b'%b,"content":[%b]}\n\n' % (frame[: -len(b"}\n\n")], b",".join(changes))


def without_name(frame: bytes) -> bytes:
    """Return the frame without ``event``, so that a browser passes it to ``onmessage``."""
    position, _, data = frame.split(b"\n", 2)
    return position + b"\n" + data


def reset(topic: Topic) -> Batch:
    """Return the frame that tells a client to discard its data, since every notification follows from the first."""
    news = pb.FollowResponse(type=RESET)
    news.recorded_at.FromDatetime(datetime.now(UTC))
    written = add_content(frame(news), ()) if topic.with_content else frame(news)
    return batch([written if topic.is_named else without_name(written)], 0)


class Notification:
    """Notification in the ring. Its changes are added later, and removed when they have expired."""

    __slots__ = ("_changes", "_frame", "_is_gone", "_variants", "event", "fingerprint", "position")

    def __init__(self, news: pb.FollowResponse) -> None:
        self.event = news
        self.position = news.position
        self.fingerprint = news.fingerprint
        self._frame = frame(news)
        self._changes: Sequence[tuple[Subject, bytes]] | None = None
        self._is_gone = False
        self._variants: dict[tuple[bool | bytes | None, ...], bytes] = {}

    def add_changes(self, changes: Sequence[tuple[Subject, bytes]]) -> None:
        """Add the changes, each encoded as JSON."""
        self._changes = changes

    def drop_changes(self) -> None:
        """Remove the changes, so that frames with content are read from the record."""
        self._changes, self._is_gone = None, True
        self._variants.clear()

    def frame(self, topic: Topic) -> bytes | None:
        """Return the frame for a topic; with content, None until it is added. Raises ``Gone`` when it is removed.

        Topics with equal changes share a frame, up to ``MAX_FRAME_VARIANTS`` frames.
        """
        if not topic.with_content:
            return self._frame if topic.is_named else self._variant(topic.is_named, None)
        if self._is_gone:
            raise Gone
        if self._changes is None:
            return None
        return self._variant(topic.is_named, [text for subject, text in self._changes if is_covered(subject, topic)])

    def _variant(self, is_named: bool, changes: Sequence[bytes] | None) -> bytes:  # noqa: FBT001
        key = (is_named, *([None] if changes is None else changes))
        if (found := self._variants.get(key)) is None:
            found = self._frame if changes is None else add_content(self._frame, changes)
            found = found if is_named else without_name(found)
            if len(self._variants) < MAX_FRAME_VARIANTS:
                self._variants[key] = found
        return found
