"""News as server-sent events: frames, made once for all, and a ring of the latest."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from pydantic import Field

from faristol.gateway.answers import Shown
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as pb

RETRY_MS = 2_000
"""Milliseconds after which a browser comes back when the stream breaks off."""

BATCH = 200
"""Frames that are sent at a time, at most: some 50 kB."""


class News(Shown):
    """One piece of news, as the stream's `data`."""

    position: int
    type: str = Field(description="Name of the event.", examples=["PlayPlaced"])
    tournament_id: str = Field(description="The tournament that it is of.")
    game_id: str = Field(description="The game that it is of; empty for the tournament's own.")
    round: int = Field(description="The round, 0 when it is of none.")
    table: int = Field(description="The table of the game, 0 when it is of none.")
    recorded_at: datetime


def frame(news: pb.FollowResponse) -> bytes:
    """One event of the stream: the position as its id, the name as its event, the news as its data."""
    return f"id: {news.position}\nevent: {news.type}\ndata: {News.of(news).model_dump_json()}\n\n".encode()


class Batch(NamedTuple):
    """Some frames of a topic."""

    frames: bytes
    chunk: bytes
    """The same in a chunk of HTTP/1.1; empty where there are no frames."""
    position: int
    """Up to here these are all frames of the topic."""


def batch(frames: Iterable[bytes], position: int) -> Batch:
    """Frames that are sent together."""
    joined = b"".join(frames)
    return Batch(joined, chunk(joined) if joined else b"", position)


def chunk(data: bytes) -> bytes:
    """A chunk of HTTP/1.1."""
    return b"%x\r\n%b\r\n" % (len(data), data)


OPENING = f"retry: {RETRY_MS}\n\n".encode()
"""What every stream begins with."""

LAST_CHUNK = b"0\r\n\r\n"
"""The end of an answer in chunks."""


@lru_cache(maxsize=64)
def heartbeat(position: int) -> Batch:
    """A comment, and how far the stream is: who resumes does so from there, whatever was hidden before it."""
    return batch([b": heartbeat\nid: %d\n\n" % position], position)


@dataclass(slots=True)
class Ring:
    """The latest frames of all tournaments."""

    kept: int
    """Frames that it keeps, at least, once there are so many."""
    before: int = 0
    """Every piece of news after this position, up to ``position``, is here."""
    position: int = 0
    _news: list[pb.FollowResponse] = field(default_factory=list)
    _frames: list[bytes] = field(default_factory=list)
    _positions: list[int] = field(default_factory=list)

    def begin(self, position: int) -> None:
        """Begin anew: nothing is here."""
        self._news, self._frames, self._positions = [], [], []
        self.before = self.position = position

    def add(self, news: Sequence[pb.FollowResponse], position: int) -> None:
        """Add the next pieces of news; ``position`` is up to where these are all."""
        self._news += news
        self._frames += map(frame, news)
        self._positions += (each.position for each in news)
        self.position = position
        if len(self._news) > 2 * self.kept:  # in one go, so that dropping costs little
            self.before = self._positions[-self.kept - 1]
            for of_ring in (self._news, self._frames, self._positions):
                del of_ring[: -self.kept]

    def after(self, topic: Topic, position: int) -> Batch:
        """The next frames of a topic after a position, which is not before the ring."""
        start = bisect_right(self._positions, position)
        found: list[bytes] = []
        for at in range(start, len(self._news)):
            if topic.has(self._news[at]):
                if len(found) == BATCH:
                    return batch(found, self._positions[at - 1])
                found.append(self._frames[at])
        return batch(found, max(position, self.position))
