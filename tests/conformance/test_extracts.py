"""Extracts for another record are read in order, with the rows beside them, and the events of a command together."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import chain
from pathlib import Path

import pytest
from tests.conformance.test_copies import list_events, play, write

from faristol.event_store import AppendCommand, Decision, Metadata, Record, stored
from faristol.event_store.append import extracts
from faristol.event_store.append.extracts import LatestExtracts, extract
from faristol.event_store.stored import Stored


@pytest.fixture
async def copy(tmp_path: Path) -> AsyncIterator[Record]:
    """Yield the record into which the events are copied."""
    opened = await Record.open(f"sqlite:///{tmp_path}/copy.sqlite")
    yield opened
    await opened.close()


def every(_: Stored) -> bool:
    return True


async def test_extracts_that_are_copied_one_after_another_give_the_same_streams(record: Record, copy: Record) -> None:
    await play(record)
    position, count = 0, 0
    while position < await record.last_position():
        found = await extract(record, position, every, most_bytes=0)
        await copy.copy(found.batch)
        position, count = found.position, count + 1
    assert count > 2
    assert await list_events(copy) == await list_events(record)
    assert await copy.notes_of("game-b") == await record.notes_of("game-b")
    answer = await copy.find_answer("command-0")
    assert answer is not None
    assert answer.answer == b"answer 3"


async def test_an_extract_passes_over_events_that_are_not_wanted(record: Record) -> None:
    await play(record)
    found = await extract(record, 0, lambda event: event.stream == "nothing")
    assert (found.batch.events, found.position) == ([], await record.last_position())
    clocks = await extract(record, 0, lambda event: event.stream == "clock-a")
    assert [(event.stream, event.version) for event in clocks.batch.events] == [("clock-a", 1), ("clock-a", 2)]
    assert clocks.batch.answers.keys() == {"command-0"}


async def test_the_events_of_a_command_are_in_one_extract(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read of the database may end within a command: its rest is read before it is returned."""
    for size in (2, 3, 4):
        monkeypatch.setattr(stored, "STORED_BATCH_EVENTS", size)
        monkeypatch.setattr(extracts, "STORED_BATCH_EVENTS", size)
        stream = f"game-s{size}"
        command = AppendCommand(f"whole-{size}", lambda position: b"")
        begin = await record.last_position()
        await record.append(Decision([write(stream, 0, 1)]), Metadata())
        decision = Decision([write(stream, 1, *range(5))])
        await record.append(decision, Metadata(command_id=command.command_id), command=command)
        await record.append(Decision([write(stream, 6, 1)]), Metadata())
        versions: list[list[int]] = []
        while begin < await record.last_position():
            found = await extract(record, begin, every)
            begin = found.position
            versions.append([event.version for event in found.batch.events])
        assert list(chain.from_iterable(versions)) == [1, 2, 3, 4, 5, 6, 7]
        assert any({2, 3, 4, 5, 6} <= set(each) for each in versions)


async def test_latest_extracts_have_the_events_of_each_caller_without_a_gap(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Callers far behind, at the end, and above it, while the cache has the last events only."""
    monkeypatch.setattr(extracts, "LATEST_CACHE_EVENTS", 3)
    monkeypatch.setattr(stored, "STORED_BATCH_EVENTS", 2)
    monkeypatch.setattr(extracts, "STORED_BATCH_EVENTS", 2)
    await play(record)
    latest = LatestExtracts(record)
    reached, seen = [0, await record.last_position(), 0], list[list[int]]([[], [], []])
    for number in range(6):
        await record.append(Decision([write("game-c", 2 * number, 1, 2)]), Metadata())
        for caller in range(2 if number % 2 else 3):
            while reached[caller] < await record.last_position():
                found = await latest.extract(reached[caller], every)
                assert reached[caller] < found.position <= latest.end == await record.last_position()
                reached[caller] = found.position
                seen[caller] += [event.position for event in found.batch.events]
    last = await record.last_position()
    assert [each[-1] for each in seen] == [last, last, last - 2]
    assert all(each == list(range(each[0], each[-1] + 1)) for each in seen)
    assert [each[0] for each in seen] == [1, last - 11, 1]
    beyond = await latest.extract(last + 5, every)
    assert (beyond.position, list(beyond.batch.events), latest.end) == (last + 5, [], last)
