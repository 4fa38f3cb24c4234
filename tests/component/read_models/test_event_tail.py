"""A subscriber to public notifications gets all of them once and in order, from the ring or from the record."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import pytest
from tests.support.consumers import RESULTS
from tests.support.synthetic import Championship, append

from faristol.consumers import Progress
from faristol.event_store import Record, Recorded
from faristol.event_store.tasks import cancel_tasks
from faristol.kernel.topics import Topic
from faristol.pb.results.v1 import results_pb2 as results
from faristol.read_models.api import event_tail as tails
from faristol.read_models.api.event_tail import MAX_RECORD_REPLAYS, EventTail
from faristol.read_models.api.public_events import PUBLIC, to_notification

News = list[results.FollowResponse]
LLIGA = {"lliga": ""}


class Hall:
    """A record that is written to step by step, with read models that are at its end at once, and its tail."""

    def __init__(self, record: Record, kept: int) -> None:
        self.record = record
        self.progress = Progress(record, RESULTS)
        self.tail = EventTail(record, self.progress, kept)
        self.steps = list(Championship().steps())

    async def add(self, count: int) -> None:
        for step in self.steps[:count]:
            await append(self.record, step)
            self.progress.tell(await self.record.last_position())
        del self.steps[:count]

    async def public(self, topic: Topic, after: int = 0) -> News:
        events = await self.record.read(after, types=PUBLIC)
        return [news for news in map(to_notification, events) if topic.has(news)]

    async def collect(self, told: News, topic: Topic, after: int, pause: float) -> None:
        """Subscribe as a slow reader of each notification."""
        async for news in self.tail.follow(topic, after):
            told.append(news)
            await asyncio.sleep(pause)

    async def some(self, topic: Topic, after: int, limit: int, *, last: int | None = None) -> News:
        return [news async for news in self.tail.follow(topic, after, limit=limit, marks=True, last=last)]


class Counted(Record):
    """A record that counts how many read at once."""

    at_once = most = 0

    async def read(self, *args: Any, **named: Any) -> list[Recorded]:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            return await super().read(*args, **named)
        finally:
            self.at_once -= 1


async def test_each_follower_gets_everything_once_wherever_it_begins_and_whatever_the_ring_has_dropped(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tails, "RING_LOOKBACK_EVENTS", 0)
    monkeypatch.setattr(tails, "TAIL_BATCH_EVENTS", 7)
    record.__class__ = Counted
    hall = Hall(record, kept=10)
    await hall.add(20)
    before = await hall.public(Topic())
    ours, second = Topic.of(LLIGA), Topic.of(LLIGA, rounds=[2], types=["PlayPlaced"])
    wanted = [(ours, after, pause) for after in (0, before[3].position, before[-1].position) for pause in (0, 0.005)]
    wanted += [(ours, 0, 0.0)] * 20 + [(second, 0, 0.0), (Topic(), 0, 0.0), (Topic.of({"other": ""}), 0, 0.0)]
    told: list[News] = [[] for _ in wanted]
    following = [asyncio.create_task(hall.collect(found, *each)) for found, each in zip(told, wanted, strict=True)]
    while hall.steps:
        await hall.add(3)
    expected = [await hall.public(topic, after) for topic, after, _ in wanted]
    async with asyncio.timeout(60):
        while told != expected:
            assert all(found == all_of_it[: len(found)] for found, all_of_it in zip(told, expected, strict=True))
            await asyncio.sleep(0.01)
    await cancel_tasks(following)
    assert len(expected[-3]) > 3
    assert record.most <= MAX_RECORD_REPLAYS + 2  # type: ignore[attr-defined] # beside those the reader, and this test


async def test_a_limit_ends_where_it_says_and_one_goes_on_from_there(record: Record) -> None:
    hall = Hall(record, kept=10)
    await hall.add(len(hall.steps))
    plays = Topic.of(LLIGA, tables=[1], types=["PlayPlaced"])
    expected, found, after = await hall.public(plays), [], 0
    while len(batch := await hall.some(plays, after, 3)) > 2:  # more than the marks before and after
        assert (batch[0].position, batch[0].type) == (after, "")
        assert not batch[-1].type
        found += batch[1:-1]
        after = batch[-1].position
    assert found == expected
    assert {(news.table, news.game_id[-2:]) for news in found} == {(1, "t1")}
    end_of_record = await record.last_position()
    assert after == end_of_record  # the position of the reader is also past the hidden events
    assert [news.position for news in await hall.some(plays, 0, 3, last=0)] == [end_of_record] * 2
    beyond = await hall.some(plays, end_of_record, 3)
    assert [news.position for news in beyond] == [end_of_record] * 2


async def test_who_reads_much_without_news_is_told_how_far_that_is(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tails, "TAIL_BATCH_EVENTS", 7)
    hall = Hall(record, kept=10)
    await hall.add(len(hall.steps))
    marks = [news.position for news in await hall.some(Topic.of(LLIGA, ["none"]), 0, 3)]
    assert (marks[0], marks[-1]) == (0, await record.last_position())
    assert len(marks) > 5
    assert marks == sorted(set(marks))


async def test_who_is_further_than_the_record_goes_on_from_where_news_is_said_to_begin(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tails, "CATCH_UP_SECONDS", 0.05)
    monkeypatch.setattr(tails, "POSITION_NOTICE_SECONDS", 0.05)
    monkeypatch.setattr(tails, "KEEP_ALIVE_SECONDS", 0.05)
    hall = Hall(record, kept=10)
    await hall.add(2)
    end_of_record = await record.last_position()
    async with aclosing(hall.tail.follow(Topic(), end_of_record + 1_000, marks=True)) as told, asyncio.timeout(60):
        assert (await anext(told)).position == end_of_record  # as after a restore of an older backup
        assert (await anext(told)).position == end_of_record
        await hall.add(2)
        expected = await hall.public(Topic(), end_of_record)
        found: list[results.FollowResponse] = []
        while len(found) < len(expected):
            if (news := await anext(told)).type:  # others only give the position of the record
                found.append(news)
    assert found == expected
