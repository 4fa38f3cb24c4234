"""Requests for the latest events get the events of the record, and one read serves all of them."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.event_store import Metadata, Recorded
from faristol.event_store.append.group import EventRow
from faristol.event_store.recent import RECENT_CACHE_EVENTS, Recent

EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass
class Growing:
    """A record that has events up to a position."""

    last: int = 0
    reads: list[int] = field(default_factory=list)

    async def read(self, after_position: int, *, limit: int) -> list[Recorded]:
        self.reads.append(after_position)
        await asyncio.sleep(0)
        end = min(self.last, after_position + limit)
        return [event(position) for position in range(after_position + 1, end + 1)]


def event(position: int) -> Recorded:
    return Recorded(position, "s", position, "", "t", 1, "", b"", Metadata(), EPOCH, b"")


def positions(events: list[Recorded]) -> list[int]:
    return [each.position for each in events]


async def test_many_who_are_told_of_an_event_read_it_once() -> None:
    record = Growing(last=3)
    recent = Recent(record.read)
    found = await asyncio.gather(*(recent.after(2, limit=10, at_least=3) for _ in range(12)))
    assert [positions(each) for each in found] == [[3]] * 12
    assert record.reads == [2]


async def test_who_looks_without_being_told_sees_what_came_since_the_last_look() -> None:
    record = Growing(last=1)
    recent = Recent(record.read)
    assert positions(await recent.after(0, limit=10, age=0)) == [1]
    record.last = 2
    assert positions(await recent.after(1, limit=10, age=60)) == []  # the last read is recent enough
    assert positions(await recent.after(1, limit=10, age=0)) == [2]
    assert positions(await recent.after(1, limit=10, age=60)) == [2]


async def test_a_database_that_tells_of_events_is_not_asked_without_having_told_of_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    record, told = Growing(last=1), 1
    recent = Recent(record.read, lambda position: 0 if told <= position else math.inf)
    assert positions(await recent.after(0, limit=10, age=0.01)) == [1]
    record.last = 2
    await asyncio.sleep(0.02)
    assert positions(await recent.after(1, limit=10, age=0.01)) == []
    assert positions(await recent.after(1, limit=10, age=0)) == [2], "who looks in any case sees it"
    record.last = told = 3
    await asyncio.sleep(0.02)
    assert positions(await recent.after(2, limit=10, age=0.01)) == [3], "it was told of"
    record.last = 4
    monkeypatch.setattr("faristol.event_store.recent.NOTIFIED_POLL_SECONDS", 0.02)
    await asyncio.sleep(0.03)
    assert positions(await recent.after(3, limit=10, age=0.01)) == [4], "what it tells can be lost"


async def test_what_came_before_the_database_began_to_tell_is_looked_for() -> None:
    record, since = Growing(last=1), math.inf
    recent = Recent(record.read, lambda position: since)
    assert positions(await recent.after(0, limit=10, age=0.01)) == [1]
    record.last = 2
    await asyncio.sleep(0.02)
    since = asyncio.get_running_loop().time()  # as after a lost and restored connection
    assert positions(await recent.after(1, limit=10, age=0.01)) == [2]
    reads = len(record.reads)
    await asyncio.sleep(0.02)
    assert positions(await recent.after(2, limit=10, age=0.01)) == []
    assert len(record.reads) == reads


async def test_news_of_an_event_that_there_is_not_gives_what_there_is() -> None:
    record = Growing(last=5)
    assert positions(await Recent(record.read).after(3, limit=10, at_least=1_000)) == [4, 5]


@pytest.mark.parametrize("behind", [1, RECENT_CACHE_EVENTS + 500, 10 * RECENT_CACHE_EVENTS])
async def test_who_lags_behind_loses_nothing(behind: int) -> None:
    record = Growing(last=20 * RECENT_CACHE_EVENTS)
    recent = Recent(record.read)
    await recent.after(record.last - 1, limit=100, age=0)
    position = record.last - behind
    seen: list[int] = []
    while found := await recent.after(position, limit=100, at_least=record.last, age=0):
        seen += positions(found)
        position = seen[-1]
    assert seen == list(range(record.last - behind + 1, record.last + 1))


@given(
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1_500), st.booleans()), min_size=1, max_size=40),
    limit=st.sampled_from([1, 3, 256, 2_000]),
)
def test_followers_who_come_and_go_see_every_event_once_in_order(
    steps: list[tuple[int, int, bool]], limit: int
) -> None:
    async def follow() -> None:
        record = Growing()
        recent = Recent(record.read)
        seen: list[int] = [0] * 4
        for who, more, told in steps:
            record.last += more
            at_least, age = (record.last, float("inf")) if told else (0, 0.0)
            found = positions(await recent.after(seen[who], limit=limit, at_least=at_least, age=age))
            assert found == list(range(seen[who] + 1, min(seen[who] + limit, record.last) + 1))
            seen[who] = found[-1] if found else seen[who]

    asyncio.run(follow())


def row(position: int) -> EventRow:
    return (position, "s", position, "", "t", 1, "", b"", "{}", 0, b"")


@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["own", "other", "clear", "after", "since"]), st.integers(1, 700)),
        min_size=1,
        max_size=40,
    )
)
def test_own_appends_are_cached_without_a_gap_and_without_a_repetition(steps: list[tuple[str, int]]) -> None:
    async def work() -> None:
        record = Growing()
        recent = Recent(record.read)
        for step, number in steps:
            if step == "own":
                recent.add([row(record.last + 1 + each) for each in range(number)])
                record.last += number
            elif step == "other":
                record.last += number
            elif step == "clear":
                recent.clear()
            elif step == "after":
                after = max(0, record.last - number)
                assert positions(await recent.after(after, limit=5_000, age=0)) == list(
                    range(after + 1, record.last + 1)
                )
            elif (found := await recent.since(after := max(0, record.last - number))) is not None:
                assert positions(found) == list(range(after + 1, record.last + 1))

    asyncio.run(work())


async def test_an_own_append_next_to_the_cache_needs_no_read() -> None:
    record = Growing(last=3)
    recent = Recent(record.read)
    await recent.after(2, limit=10, age=0)
    record.last = 5
    recent.add([row(4), row(5)])
    assert positions(await recent.after(3, limit=10, at_least=5)) == [4, 5]
    assert record.reads == [2]


async def test_an_append_during_a_read_is_cached_once() -> None:
    record = Growing(last=3)
    recent = Recent(record.read)
    await recent.after(2, limit=10, age=0)
    read = asyncio.create_task(recent.after(3, limit=10, age=0))
    await asyncio.sleep(0)
    record.last = 5
    recent.add([row(4), row(5)])
    assert positions(await read) == [4, 5]
    assert positions(await recent.after(3, limit=10)) == [4, 5]
