"""Events of another record are copied as they are, once, in order, and from one writer for each stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import insert, select
from tests.support.examples import scale_examples

from faristol.event_store import AppendCommand, Conflict, Decision, Guard, Metadata, Record, Write, stored
from faristol.event_store.append.copies import Batch, CommandKnown, Divergence, InvalidCopy
from faristol.event_store.append.group_commit import GroupCommit
from faristol.event_store.archive import export, restoration
from faristol.event_store.backends import tables
from faristol.event_store.beside_events.notes import Note
from faristol.event_store.integrity.verification import verify
from faristol.event_store.stored import Stored
from faristol.pb.game.v1 import events_pb2


@pytest.fixture
async def hall(tmp_path: Path) -> AsyncIterator[Record]:
    """Yield the record of a hall, in which the events are written."""
    opened = await Record.open(f"sqlite:///{tmp_path}/hall.sqlite")
    yield opened
    await opened.close()


def write(stream: str, version: int, *turns: int) -> Write:
    return Write(stream, version, [events_pb2.Passed(turn=turn, player_id="anna") for turn in turns], "cup")


async def play(record: Record) -> None:
    """Append four transactions: two of commands, one of two streams without a command, one with a free text."""
    for number, writes in enumerate(([write("game-a", 0, 1, 2), write("clock-a", 0, 1)], [write("game-a", 2, 3)])):
        command = AppendCommand(f"command-{number}", lambda position: b"answer %d" % position)
        await record.append(Decision(writes), Metadata(command_id=command.command_id, actor="anna"), command=command)
    await record.append(Decision([write("clock-a", 1, 2), write("game-b", 0, 1)]), Metadata())
    sanctioned = events_pb2.SanctionImposed(player_id="anna", note="He looked into the bag")
    await record.append(Decision([Write("game-b", 1, [sanctioned], "cup", concerned=["pere"])]), Metadata())


async def batch_of(record: Record, after: int = 0, up_to: int | None = None) -> Batch:
    """Return the events of a record after a position as a batch, with the rows beside them."""
    async with record.reading() as connection:
        last, _ = await stored.end(connection)
        events = await stored.read(connection, after, last if up_to is None else up_to)
        answers = (await connection.execute(select(tables.commands.c.command_id, tables.commands.c.answer))).all()
        noted = {row.position: row for row in await connection.execute(select(tables.notes))}
    notes = {
        event.event_id: Note(row.text, tuple(json.loads(row.player_ids)))
        for event in events
        if (row := noted.get(event.position))
    }
    return Batch(events, notes, {row.command_id: bytes(row.answer) for row in answers})


async def list_events(record: Record) -> list[Stored]:
    """Return all events of a record, without their positions."""
    return sorted(
        (replace(event, position=0) for event in (await batch_of(record)).events),
        key=lambda event: (event.stream, event.version),
    )


async def test_copied_events_are_the_same_but_for_their_positions(record: Record, hall: Record) -> None:
    await record.append(Decision([write("game-z", 0, 1)]), Metadata())
    await play(hall)
    copied = await record.copy(await batch_of(hall))
    assert [event.position for event in copied.events] == [2, 3, 4, 5, 6, 7, 8]
    assert copied.position == await record.last_position() == 8
    assert [event for event in await list_events(record) if event.stream != "game-z"] == await list_events(hall)


async def test_a_copied_batch_that_comes_again_has_no_effect(record: Record, hall: Record) -> None:
    await play(hall)
    whole = await batch_of(hall)
    await record.copy(whole)
    again = await record.copy(whole)
    assert (again.position, again.events) == (7, [])
    assert await list_events(record) == await list_events(hall)
    assert (await verify(record)).wrong == ""


async def test_many_copies_of_a_batch_at_once_add_it_once(record: Record, hall: Record) -> None:
    await play(hall)
    whole = await batch_of(hall)
    done = await asyncio.gather(*(record.copy(whole) for _ in range(5)))
    assert sorted(len(each.events) for each in done) == [0, 0, 0, 0, 7]


async def test_a_copied_command_that_is_sent_again_gets_its_first_answer(record: Record, hall: Record) -> None:
    await play(hall)
    await record.copy(await batch_of(hall))
    found = await record.find_answer("command-1")
    assert found is not None
    assert found.answer == b"answer 4"


async def test_appends_go_on_from_copied_events_without_a_gap(record: Record, hall: Record) -> None:
    await record.append(Decision([write("game-z", 0, 1)]), Metadata())
    await record.append(Decision([write("game-z", 1, 2)]), Metadata())  # the end of the record is cached
    await play(hall)
    await record.copy(await batch_of(hall))
    await asyncio.gather(
        *(record.append(Decision([write(f"game-n{number}", 0, 1)]), Metadata()) for number in range(5)),
        record.append(Decision([write("game-a", 3, 4)]), Metadata()),
    )
    events = await record.read(0)
    assert [event.position for event in events] == list(range(1, 16))
    assert (await verify(record)).wrong == ""


async def test_an_append_after_a_copy_needs_no_look_at_the_record(
    record: Record, hall: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    await record.append(Decision([write("game-z", 0, 1)]), Metadata())
    await play(hall)

    async def fail(*_: object) -> None:
        raise AssertionError("the append looks at the record under the lock")

    await record.copy(await batch_of(hall))
    monkeypatch.setattr(GroupCommit, "_append_locked", fail)
    await record.append(Decision([write("game-z", 1, 2)]), Metadata())
    await record.append(Decision([write("game-a", 3, 4)]), Metadata())
    assert (await verify(record)).wrong == ""


async def test_a_follower_gets_copied_events_as_any_other(record: Record, hall: Record) -> None:
    await play(hall)
    followed = record.follow(poll=60)

    async def follow() -> list[int]:
        return [(await anext(followed)).position for _ in range(7)]

    waiting = asyncio.create_task(follow())
    await asyncio.sleep(0.1)
    await record.copy(await batch_of(hall))
    async with asyncio.timeout(10):
        assert await waiting == [1, 2, 3, 4, 5, 6, 7]


async def test_a_stream_with_another_event_is_a_divergence_that_names_it(record: Record, hall: Record) -> None:
    await play(hall)
    await record.append(Decision([write("game-a", 0, 1)]), Metadata())
    with pytest.raises(Divergence, match="version 1 of stream game-a") as error:
        await record.copy(await batch_of(hall))
    assert (error.value.stream, error.value.version) == ("game-a", 1)
    assert await record.last_position() == 1


async def test_a_copy_without_the_events_before_it_is_a_conflict(record: Record, hall: Record) -> None:
    await play(hall)
    with pytest.raises(Conflict, match="game-a was expected at version 2 and is at 0"):
        await record.copy(await batch_of(hall, after=3))
    assert await record.last_position() == 0


async def test_a_guard_that_moved_stops_the_whole_copy(record: Record, hall: Record) -> None:
    await play(hall)
    whole = await batch_of(hall)
    with pytest.raises(Conflict, match="game-z was expected at version 1 and is at 0"):
        await record.copy(whole, [Guard("game-z", 1)])
    await record.copy(whole, [Guard("game-a", 0)])


CHANGES: Mapping[str, Any] = {
    "payload": b"",
    "metadata": '{"actor":"eve"}',
    "recorded_at": 1,
    "tournament": "other",
    "event_id": "00000000-0000-7000-8000-000000000000",
    "hash": bytes(32),
}


@pytest.mark.parametrize("column", CHANGES)
async def test_a_copied_event_whose_bytes_were_changed_is_refused(record: Record, hall: Record, column: str) -> None:
    await play(hall)
    whole = await batch_of(hall)
    bent = replace(whole.events[4], **{column: CHANGES[column]})
    with pytest.raises(InvalidCopy, match="its bytes do not give its hash"):
        await record.copy(replace(whole, events=[*whole.events[:4], bent, *whole.events[5:]]))
    assert await record.last_position() == 0


MALFORMED: Sequence[tuple[str, Any, str]] = [
    ("stream", "Game a", "name of the stream"),
    ("version", 0, "version"),
    ("event_id", "1", "UUID"),
    ("type", "Passed\n", "type"),
    ("schema_version", 0, "version of its type"),
    ("tournament", "a.b", "tournament"),
    ("payload", bytes(1024 * 1024 + 1), "bytes"),
    ("metadata", "{", "metadata"),
    ("metadata", '{"command_id":"a b"}', "command"),
    ("recorded_at", -1, "time"),
    ("recorded_at", 2**63, "time"),
]


@pytest.mark.parametrize(("column", "value", "said"), MALFORMED)
async def test_a_malformed_copy_is_refused_before_the_database(
    record: Record, hall: Record, column: str, value: Any, said: str
) -> None:
    await play(hall)
    event = replace((await batch_of(hall, after=4)).events[1], **{column: value})
    with pytest.raises(InvalidCopy, match=said):
        await record.copy(Batch([event]))


async def test_a_command_is_copied_with_all_its_events_and_its_answer_or_not_at_all(
    record: Record, hall: Record
) -> None:
    await play(hall)
    whole = await batch_of(hall)
    with pytest.raises(InvalidCopy, match="the answer to its command command-0 is missing"):
        await record.copy(replace(whole, answers={}))
    first, second, third, other, *_ = whole.events
    with pytest.raises(InvalidCopy, match="other events separate those of command command-0"):
        await record.copy(replace(whole, events=[first, second, other, third]))
    await record.copy(replace(whole, events=[first, second]))
    with pytest.raises(InvalidCopy, match="its command command-0 was executed without it"):
        await record.copy(replace(whole, events=[third]))


async def test_a_command_that_the_record_has_answered_itself_keeps_its_first_answer(
    record: Record, hall: Record, tmp_path: Path
) -> None:
    command = AppendCommand("command-0", lambda position: b"first")
    await record.append(Decision([write("game-z", 0, 1)]), Metadata(command_id="command-0"), command=command)
    await play(hall)
    whole = await batch_of(hall)
    with pytest.raises(CommandKnown, match="its command command-0 was executed without it") as error:
        await record.copy(whole)
    assert (error.value.event.stream, error.value.event.version) == ("game-a", 1)
    await record.copy(whole, known=["command-0"])
    found = await record.find_answer("command-0")
    assert found is not None
    assert (found.answer, found.position) == (b"first", 1)
    assert [event for event in await list_events(record) if event.stream != "game-z"] == await list_events(hall)
    assert (await verify(record)).wrong == ""
    path = tmp_path / "archive.jsonl.gz"
    await export.export(record, path, with_people=True)
    assert restoration.verify(path).wrong == ""


async def test_an_event_is_in_one_stream_of_a_record_only(record: Record, hall: Record) -> None:
    await play(hall)
    whole = await batch_of(hall)
    await record.copy(whole)
    taken = replace(whole.events[4], stream="game-q", version=1)
    taken = replace(taken, hash=taken.hash_after(bytes(32)))
    with pytest.raises(InvalidCopy, match="version 2 of stream clock-a has its id"):
        await record.copy(Batch([taken]))


async def test_free_text_travels_beside_its_event_unless_it_concerns_an_erased_person(
    record: Record, hall: Record
) -> None:
    await play(hall)
    whole = await batch_of(hall)
    with pytest.raises(InvalidCopy, match="an event of this type has no free text"):
        await record.copy(replace(whole, notes={whole.events[0].event_id: Note("Anna", ())}))
    await record.copy(whole)
    assert await record.notes_of("game-b") == {2: "He looked into the bag"}


async def test_a_text_on_an_erased_person_is_not_stored_again(record: Record, hall: Record) -> None:
    await play(hall)
    async with record.writing() as connection:
        await connection.execute(insert(tables.erased).values(player_id="pere", erased_at=1))
    await record.copy(await batch_of(hall))
    assert await record.notes_of("game-b") == {}


async def test_rows_beside_a_copy_are_written_with_it_or_not_at_all(record: Record, hall: Record) -> None:
    await play(hall)
    whole = await batch_of(hall)

    async def fails(_: object, added: Sequence[Stored]) -> None:
        assert len(added) == 7
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await record.copy(whole, also=fails)
    assert await record.last_position() == 0


async def test_an_archive_of_a_record_with_copied_events_is_verified(
    record: Record, hall: Record, tmp_path: Path
) -> None:
    await play(hall)
    await record.append(Decision([write("game-z", 0, 1)]), Metadata())
    await record.copy(await batch_of(hall, up_to=4))
    await record.append(Decision([write("game-z", 1, 2)]), Metadata())
    await record.copy(await batch_of(hall, after=4))
    path = tmp_path / "archive.jsonl.gz"
    await export.export(record, path, with_people=True)
    assert restoration.verify(path).wrong == ""


TURNS = st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3)), min_size=1, max_size=8)
"""The transactions of a hall: a stream, and its number of events."""


RANGES = st.lists(st.tuples(st.integers(0, 7), st.integers(1, 8)), max_size=8)
"""Batches: the first transaction, and the number of transactions."""


async def arrive(
    record: Record, hall: Record, name: str, turns: list[tuple[str, int]], ranges: list[tuple[int, int]]
) -> None:
    """Write transactions in a hall, and copy batches of them until all are there."""
    versions: dict[str, int] = {}
    ends = [await hall.last_position()]
    for number, (stream, count) in enumerate(turns):
        at = versions.get(stream, 0)
        command = AppendCommand(f"{name}-{number}", lambda position: b"%d" % position) if number % 2 else None
        metadata = Metadata(command_id=command.command_id if command else "")
        decision = Decision([write(f"game-{name}{stream}", at, *range(at, at + count))])
        ends.append((await hall.append(decision, metadata, command=command)).position)
        versions[stream] = at + count
    for first, count in [*ranges, (0, len(turns))]:
        begin, end = ends[min(first, len(turns))], ends[min(first + count, len(turns))]
        before = await record.last_position()
        try:
            await record.copy(await batch_of(hall, begin, end))
        except Conflict:
            assert await record.last_position() == before
    for stream, version in versions.items():
        here, there = await record.read_stream(f"game-{name}{stream}"), await hall.read_stream(f"game-{name}{stream}")
        assert [replace(event, position=0) for event in here] == [replace(event, position=0) for event in there]
        assert len(here) == version


def test_any_split_repetition_and_order_of_batches_ends_in_equal_streams(database_url: str, tmp_path: Path) -> None:
    async def open_records() -> tuple[Record, Record]:
        return await Record.open(database_url), await Record.open(f"sqlite:///{tmp_path}/hall.sqlite")

    async def close_records() -> None:
        assert not (await verify(records[0])).wrong
        for record in records:
            await record.close()

    with asyncio.Runner() as runner:
        records = runner.run(open_records())
        examples = iter(range(1_000_000))

        @settings(max_examples=scale_examples(40), suppress_health_check=[HealthCheck.too_slow])
        @given(TURNS, RANGES)
        def compare(turns: list[tuple[str, int]], ranges: list[tuple[int, int]]) -> None:
            runner.run(arrive(*records, f"e{next(examples)}", turns, ranges))

        compare()
        runner.run(close_records())
