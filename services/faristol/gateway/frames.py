"""News as server-sent events: frames, made once for all, and a ring of the latest."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Generic, NamedTuple, Protocol, TypeVar

from pydantic import Field

from faristol.gateway.answers import Shown
from faristol.gateway.content import Change
from faristol.gateway.event_types import RESET
from faristol.gateway.event_types import SCHEMA as EVENT_TYPE
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb

RETRY_MS = 2_000
"""Milliseconds after which a browser comes back when the stream breaks off."""

BATCH = 200
"""Frames that are sent at a time, at most: some 50 kB."""


class News(Shown):
    """One piece of news, as the stream's `data`."""

    position: int
    type: Annotated[str, EVENT_TYPE] = Field(description="Name of the event.", examples=["PlayPlaced"])
    tournament_id: str = Field(description="The tournament that it is of.")
    game_id: str = Field(description="The game that it is of; empty for the tournament's own.")
    round: int = Field(description="The round, 0 when it is of none.")
    table: int = Field(description="The table of the game, 0 when it is of none.")
    recorded_at: datetime


class NewsWithContent(News):
    """One piece of news with what it has changed, as the `data` of a stream with `include=content`."""

    content: list[Change] = Field(
        description="What is another after this news, and after what came with it, of games, pairings and standings."
    )


def format_id(position: int, fingerprint: str) -> bytes:
    """The id of an event: the position, behind the fingerprint of its event where that is known."""
    return b"%b-%d" % (fingerprint.encode(), position) if fingerprint else b"%d" % position


def parse_id(given: str) -> tuple[int, str]:
    """The position and the fingerprint that an id names, or a position alone; of another text 0 and ``UNREADABLE``."""
    found = _ID.fullmatch(given)
    return (int(found[2]), found[1] or "") if found else (0, UNREADABLE)


_ID = re.compile(r"(?:([0-9a-f]{1,64})-)?([0-9]{1,18})")

UNREADABLE = "?"
"""Stands for the fingerprint of an id that is none of ours: no event has it."""


def reset(topic: Topic, at: datetime) -> Batch:
    """Tell a client that what it holds is of no use, and that news comes from the first one on."""
    news = pb.FollowResponse(type=RESET)
    news.recorded_at.FromDatetime(at)
    written = frame(news, () if topic.with_content else None)
    return batch([written if topic.is_named else without_name(written)], 0)


def frame(news: pb.FollowResponse, changes: Sequence[bytes] | None = None) -> bytes:
    """One event of the stream: fingerprint and position as its id, the name as its event, the news as its data.

    With ``changes``, written as JSON, the data is ``NewsWithContent``.
    """
    data = News.of(news).model_dump_json().encode()
    if changes is not None:
        data = b'%b,"content":[%b]}' % (data[:-1], b",".join(changes))
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (format_id(news.position, news.fingerprint), news.type.encode(), data)


def without_name(frame: bytes) -> bytes:
    """The same frame without ``event``, so that a browser gives it to ``onmessage``."""
    position, _, data = frame.split(b"\n", 2)
    return position + b"\n" + data


class Batch(NamedTuple):
    """Some frames of a topic."""

    frames: bytes
    chunk: bytes
    """The same in a chunk of HTTP/1.1; empty where there are no frames."""
    position: int
    """Up to here these are all frames of the topic."""
    fingerprint: str
    """Of the event at the position; empty where it is not known."""


def batch(frames: Iterable[bytes], position: int, fingerprint: str = "") -> Batch:
    """Frames that are sent together."""
    joined = b"".join(frames)
    return Batch(joined, chunk(joined) if joined else b"", position, fingerprint)


def chunk(data: bytes) -> bytes:
    """A chunk of HTTP/1.1."""
    return b"%x\r\n%b\r\n" % (len(data), data)


OPENING = f"retry: {RETRY_MS}\n\n".encode()
"""What every stream begins with."""

LAST_CHUNK = b"0\r\n\r\n"
"""The end of an answer in chunks."""


@lru_cache(maxsize=64)
def heartbeat(position: int, fingerprint: str = "") -> Batch:
    """A comment, and how far the stream is: who resumes does so from there, whatever was hidden before it."""
    return batch([b": heartbeat\nid: %b\n\n" % format_id(position, fingerprint)], position, fingerprint)


F = TypeVar("F", bound="Framed")


class Framed(Protocol):
    """A piece of news as it is sent."""

    def frame(self, topic: Topic) -> bytes:
        """The frame for a topic that it is of."""


class Plain:
    """The frame of a piece of news, the same for all topics, with its name or without."""

    __slots__ = ("_frame", "_unnamed")

    def __init__(self, news: pb.FollowResponse) -> None:
        self._frame = frame(news)
        self._unnamed = b""

    def frame(self, topic: Topic) -> bytes:
        """See ``Framed``."""
        if topic.is_named:
            return self._frame
        self._unnamed = self._unnamed or without_name(self._frame)
        return self._unnamed


class Ring(Generic[F]):
    """The latest frames of all tournaments."""

    def __init__(self, kept: int) -> None:
        """``kept`` is how many frames it keeps, at least, once there are so many."""
        self.kept = kept
        self.before = 0
        """Every piece of news after this position, up to ``position``, is here."""
        self.position = 0
        self.fingerprint = ""
        """Of the event at ``position``; empty where it is not known."""
        self._news: list[pb.FollowResponse] = []
        self._frames: list[F] = []
        self._positions: list[int] = []

    def begin(self, position: int, fingerprint: str = "") -> None:
        """Begin anew: nothing is here."""
        self._news, self._frames, self._positions = [], [], []
        self.before = self.position = position
        self.fingerprint = fingerprint

    def fingerprint_at(self, position: int) -> str:
        """The fingerprint of the event at a position; empty where it is not known here."""
        if position == self.position:
            return self.fingerprint
        at = bisect_right(self._positions, position) - 1
        return self._news[at].fingerprint if at >= 0 and self._positions[at] == position else ""

    def add(self, news: Sequence[pb.FollowResponse], position: int, frames: Iterable[F], fingerprint: str = "") -> None:
        """Add the next pieces of news and their frames; ``position`` is up to where these are all."""
        self._news += news
        self._frames += frames
        self._positions += (each.position for each in news)
        self.position, self.fingerprint = position, fingerprint
        if len(self._news) > 2 * self.kept:  # in one go, so that dropping costs little
            self.before = self._positions[-self.kept - 1]
            del self._news[: -self.kept], self._frames[: -self.kept], self._positions[: -self.kept]

    def drop(self, position: int) -> None:
        """Drop what is here up to a position."""
        if position > self.before:
            gone = bisect_right(self._positions, position)
            del self._news[:gone], self._frames[:gone], self._positions[:gone]
            self.before = position

    def after(self, topic: Topic, position: int) -> Batch:
        """The next frames of a topic after a position, which is not before the ring."""
        start = bisect_right(self._positions, position)
        found: list[bytes] = []
        for at in range(start, len(self._news)):
            if topic.has(self._news[at]):
                if len(found) == BATCH:
                    return batch(found, self._positions[at - 1], self._news[at - 1].fingerprint)
                found.append(self._frames[at].frame(topic))
        return batch(found, max(position, self.position), self.fingerprint if position <= self.position else "")
