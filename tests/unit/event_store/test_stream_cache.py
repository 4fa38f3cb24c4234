from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import cast

import pytest

from faristol.event_store import folds
from faristol.event_store.event import Recorded
from faristol.event_store.folds import StreamCache


@dataclass(frozen=True)
class Numbered:
    stream: str
    version: int


class Streams:
    """Streams that grow, and the number of events that were read of them."""

    def __init__(self) -> None:
        self.lengths: dict[str, int] = {}
        self.reads: list[int] = []

    async def read(self, stream: str, after_version: int) -> list[Recorded]:
        await asyncio.sleep(0)
        found = [Numbered(stream, version) for version in range(after_version + 1, self.lengths[stream] + 1)]
        self.reads.append(len(found))
        return cast("list[Recorded]", found)


async def test_only_events_after_the_cached_ones_are_read() -> None:
    streams = Streams()
    cache = StreamCache(streams.read)
    for length in (3, 3, 5):
        streams.lengths["a"] = length
        assert [event.version for event in await cache.read("a")] == list(range(1, length + 1))
    assert streams.reads == [3, 0, 2]


async def test_concurrent_reads_while_a_stream_grows_each_get_it_whole() -> None:
    streams = Streams()
    cache = StreamCache(streams.read)
    streams.lengths["a"] = 2
    slow = asyncio.create_task(cache.read("a"))
    await asyncio.sleep(0)
    streams.lengths["a"] = 4
    for found in await asyncio.gather(slow, cache.read("a"), cache.read("a")):
        assert [event.version for event in found] == list(range(1, len(found) + 1))
    assert len(await cache.read("a")) == 4


async def test_a_reader_cannot_change_the_cached_events() -> None:
    streams = Streams()
    cache = StreamCache(streams.read)
    streams.lengths["a"] = 2
    (await cache.read("a")).clear()
    assert len(await cache.read("a")) == 2


async def test_the_least_recently_read_streams_are_evicted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folds, "CACHED_EVENTS_COUNT", 10)
    streams = Streams()
    cache = StreamCache(streams.read)
    streams.lengths = {"a": 4, "b": 4, "c": 4, "long": 30}
    for stream in ("a", "b", "a", "c", "a"):
        await cache.read(stream)
    assert streams.reads == [4, 4, 0, 4, 0], "b is evicted, and a is not"
    await cache.read("b")
    assert streams.reads[-1] == 4
    for stream in ("long", "long", "a"):
        await cache.read(stream)
    assert streams.reads[-3:] == [30, 0, 4], "a long stream evicts all others"
