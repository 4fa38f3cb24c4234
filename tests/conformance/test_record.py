"""The guarantees of the record on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from itertools import chain

import pytest
from google.protobuf.message import Message
from google.rpc import code_pb2
from sqlalchemy import Executable, insert, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from faristol.event_store import (
    AppendCommand,
    Appended,
    Checkpoint,
    Conflict,
    Decision,
    Guard,
    Metadata,
    Record,
    RecordError,
    Stale,
    Unacceptable,
    Write,
    load,
)
from faristol.event_store.append.group_commit import MAX_GROUP_REQUESTS
from faristol.event_store.backends import tables
from faristol.event_store.integrity.verification import verify
from faristol.event_store.positions import move_checkpoint, start_checkpoint
from faristol.host.rpc.errors import status_of
from faristol.pb.game.v1 import events_pb2
from faristol.personal_data.people import names, store_player

LATE_ROWS = """
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000100)
SELECT n, position FROM numbers, counter WHERE n > 1000000
"""
"""It takes a while until the first one comes."""


def build_passed(turn: int = 1) -> events_pb2.Passed:
    return events_pb2.Passed(turn=turn, player_id="anna")


def write(stream: str, version: int, *turns: int) -> Decision:
    return Decision([Write(stream, version, [build_passed(turn) for turn in turns], "cup")])


async def test_appended_events_are_read_back_with_all_that_was_said_of_them(record: Record) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    metadata = Metadata(actor="anna", role="player", command_id="c", correlation_id="k", traceparent="00-a-b-01")
    await record.append(write("game-a", 0, 1, 2), metadata)

    first, second = await record.read_stream("game-a")
    assert (first.position, first.version, second.position, second.version) == (1, 1, 2, 2)
    assert first.message == build_passed(1)
    assert first.type == "faristol.game.v1.Passed"
    assert (first.name, first.context, first.tournament) == ("Passed", "game", "cup")
    assert first.metadata == metadata
    assert before < first.recorded_at < datetime.now(UTC) + timedelta(seconds=1)


async def test_a_stream_that_moved_is_a_conflict_that_says_what_was_expected_and_found(record: Record) -> None:
    await record.append(write("game-a", 0, 1), Metadata())
    with pytest.raises(Conflict, match="stream game-a was expected at version 0 and is at 1"):
        await record.append(write("game-a", 0, 2), Metadata())
    assert await record.last_position() == 1


async def test_a_guarded_stream_that_moved_stops_the_whole_decision(record: Record) -> None:
    await record.append(write("clock-a", 0, 1), Metadata())
    decision = Decision([Write("game-a", 0, [build_passed()], "cup")], guards=[Guard("clock-a", 0)])
    with pytest.raises(Conflict, match="clock-a"):
        await record.append(decision, Metadata())
    assert await record.read_stream("game-a") == []


async def test_several_streams_are_written_together_or_not_at_all(record: Record) -> None:
    await record.append(write("game-b", 0, 1), Metadata())
    both = Decision([Write("game-a", 0, [build_passed()], "cup"), Write("game-b", 0, [build_passed()], "cup")])
    with pytest.raises(Conflict):
        await record.append(both, Metadata())
    assert await record.read_stream("game-a") == []


async def test_positions_have_no_gap_when_many_append_and_some_fail(record: Record) -> None:
    async def attempt(number: int) -> Appended | None:
        try:
            return await record.append(write(f"game-{number % 20}", 0, 1, 2, 3), Metadata())
        except Conflict:
            return None

    done = [each for each in await asyncio.gather(*map(attempt, range(60))) if each]
    assert len(done) == 20
    assert [event.position for event in await record.read()] == list(range(1, 61))


async def test_a_command_sent_again_gets_its_first_answer_and_does_nothing(record: Record) -> None:
    command_id = str(uuid.uuid4())
    first = await record.append(
        write("game-a", 0, 1), Metadata(), command=AppendCommand(command_id, lambda position: b"first %d" % position)
    )
    again = await record.append(
        write("game-b", 0, 1), Metadata(), command=AppendCommand(command_id, lambda _: b"again")
    )
    assert (first.answer, first.repeated) == (b"first 1", False)
    assert (again.answer, again.repeated, again.position) == (b"first 1", True, 1)
    assert await record.last_position() == 1


async def test_a_command_sent_again_is_answered_and_not_held_against_its_own_effect(record: Record) -> None:
    async def send(command_id: str, version: int) -> Appended:
        command = AppendCommand(command_id, lambda position: b"at %d" % position)
        return await record.append(write("game-a", version, 1), Metadata(), command=command)

    await send("first", 0)
    await send("second", 1)
    for command_id, version in (("first", 0), ("second", 1), ("first", 0)):
        again = await send(command_id, version)
        assert (again.answer, again.repeated) == (b"at %d" % (version + 1), True)
    with pytest.raises(Conflict, match="game-a was expected at version 1 and is at 2"):
        await send("third", 1)
    assert await record.last_position() == 2


async def test_the_same_command_sent_many_times_at_once_happens_once(record: Record) -> None:
    command_id = str(uuid.uuid4())

    async def send(number: int) -> bytes:
        command = AppendCommand(command_id, lambda _: b"%d" % number)
        return (await record.append(write(f"game-{number}", 0, 1), Metadata(), command=command)).answer

    assert len(set(await asyncio.gather(*map(send, range(12))))) == 1
    assert await record.last_position() == 1


async def test_a_checkpoint_moves_with_its_effect_and_only_from_where_it_is(record: Record) -> None:
    async with record.writing() as connection:
        await start_checkpoint(connection, "reader")
    await record.append(write("game-a", 0, 1), Metadata(), checkpoint=Checkpoint("reader", 0, 7))
    assert await record.checkpoint("reader") == 7
    with pytest.raises(Stale):
        await record.append(write("game-b", 0, 1), Metadata(), checkpoint=Checkpoint("reader", 0, 8))
    assert await record.read_stream("game-b") == []


async def test_rows_asked_for_with_a_decision_are_written_with_it_or_not_at_all(record: Record) -> None:
    async def name(connection: AsyncConnection) -> None:
        await store_player(connection, "anna", "Anna Puig", "Prat")

    decision = Decision([Write("game-a", 0, [build_passed()], "cup")], also=name)
    await record.append(decision, Metadata())
    assert (await names(record, ["anna", "nobody"]))["anna"].name == "Anna Puig"

    async def fail(connection: AsyncConnection) -> None:
        await store_player(connection, "boris", "Boris", "")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await record.append(Decision([Write("game-b", 0, [build_passed()], "cup")], also=fail), Metadata())
    assert await names(record, ["boris"]) == {}
    assert await record.read_stream("game-b") == []


async def test_reading_by_tournament_type_and_position_finds_just_those(record: Record) -> None:
    await record.append(write("game-a", 0, 1, 2), Metadata())
    other = Decision([Write("game-b", 0, [events_pb2.OutBonus(player_id="anna", points=3)], "league")])
    await record.append(other, Metadata())
    assert [event.position for event in await record.read(tournament="league")] == [3]
    assert [event.position for event in await record.read(types=["faristol.game.v1.Passed"])] == [1, 2]
    assert [event.position for event in await record.read(1, up_to=2)] == [2]
    assert [event.position for event in await record.read(limit=2)] == [1, 2]


async def test_folding_gives_state_and_version(record: Record) -> None:
    await record.append(write("game-a", 0, 3, 4), Metadata())
    loaded = await load(record, "game-a", 0, lambda total, event: total + event.turn)  # type: ignore[attr-defined]
    assert (loaded.state, loaded.version) == (7, 2)
    assert (await load(record, "game-none", 5, lambda total, _: total)).version == 0


@pytest.mark.parametrize("stream", ["", "game", "Game-a", "game-", "game-a b", "game-" + "x" * 200, "game-a;drop"])
async def test_a_malformed_stream_name_is_refused(record: Record, stream: str) -> None:
    with pytest.raises(ValueError, match="not a stream name"):
        await record.append(write(stream, 0, 1), Metadata())


async def test_an_event_of_more_than_a_mebibyte_is_refused(record: Record) -> None:
    huge = Decision([Write("game-a", 0, [events_pb2.Passed(player_id="x" * 1_048_576)], "cup")])
    with pytest.raises(ValueError, match="at most 1048576"):
        await record.append(huge, Metadata())


async def test_more_events_at_once_than_a_record_takes_are_refused(record: Record) -> None:
    many = Decision([Write("game-a", 0, [build_passed()] * 60_000, "cup")])
    with pytest.raises(Unacceptable, match="60000 events; at most 50000"):
        await record.append(many, Metadata())
    assert (await record.append(write("game-a", 0, *range(10_000)), Metadata())).position == 10_000


@pytest.mark.parametrize("tournament", ["", "Cup", "cup.a", "c\0p", "x" * 65, "cup*"])
async def test_a_tournament_that_cannot_be_a_subject_on_the_bus_is_refused(record: Record, tournament: str) -> None:
    with pytest.raises(Unacceptable, match="not a tournament id"):
        await record.append(Decision([Write("game-a", 0, [build_passed()], tournament)]), Metadata())


async def test_what_a_client_can_make_too_large_is_its_invalid_argument(record: Record) -> None:
    with pytest.raises(Unacceptable) as refused:
        await record.append(Decision([Write("game-a", 0, [build_passed()] * 50_001, "cup")]), Metadata())
    status = status_of(refused.value, "ca")
    assert status is not None
    assert (status.code, status.message) == (
        code_pb2.INVALID_ARGUMENT,
        "amb això hi hauria 50001 esdeveniments de cop; se n’admeten 50000 com a màxim",
    )


@pytest.mark.parametrize("value", ["a\0b", "é" * 2_000, '"\\\n\u2028', "𝔸"])
async def test_any_text_may_stand_in_metadata_and_events(record: Record, value: str) -> None:
    metadata = Metadata(actor=value, correlation_id=value)
    await record.append(Decision([Write("game-a", 0, [events_pb2.Passed(player_id=value)], "cup")]), metadata)
    (event,) = await record.read()
    assert (event.metadata, event.message) == (metadata, events_pb2.Passed(player_id=value))
    assert (await verify(record)).wrong == ""


@pytest.mark.parametrize(
    ("metadata", "command_id"), [(Metadata(actor="\ud800"), "c"), (Metadata(), "x" * 37), (Metadata(), "a\0")]
)
async def test_what_cannot_be_stored_fails_its_own_request_and_no_other(
    record: Record, metadata: Metadata, command_id: str
) -> None:
    good = [record.append(write(f"game-{number}", 0, 1), Metadata()) for number in range(4)]
    bad = record.append(write("game-bad", 0, 1), metadata, command=AppendCommand(command_id, lambda _: b""))
    outcomes = await asyncio.gather(*good[:2], bad, *good[2:], return_exceptions=True)
    assert [type(outcome) for outcome in outcomes].count(Appended) == 4
    assert isinstance(outcomes[2], ValueError)


async def test_an_answer_that_cannot_be_made_fails_its_own_request_and_no_other(record: Record) -> None:
    def fail(position: int) -> bytes:
        raise ZeroDivisionError(position)

    for known in (0, 1):  # the first call queries the record, later ones use the cache
        outcomes = await asyncio.gather(
            record.append(write("game-a", known, 1), Metadata()),
            record.append(write("game-b", 0, 1), Metadata(), command=AppendCommand("c", fail)),
            record.append(write("game-c", known, 1), Metadata()),
            return_exceptions=True,
        )
        assert [type(outcome) for outcome in outcomes] == [Appended, ZeroDivisionError, Appended]
    assert await record.last_position() == 4
    assert await record.find_answer("c") is None


async def test_a_caller_that_goes_away_while_it_is_written_takes_nothing_back(record: Record) -> None:
    leaving = asyncio.create_task(record.append(write("game-a", 0, 1), Metadata()))
    staying = asyncio.create_task(record.append(write("game-b", 0, 1), Metadata()))
    await asyncio.sleep(0)  # both ask
    await asyncio.sleep(0)  # the writer begins with both
    leaving.cancel()
    assert (await staying).position == 2
    assert [event.stream for event in await record.read()] == ["game-a", "game-b"]


async def test_appends_are_written_although_their_writer_was_cancelled_before_it_began(record: Record) -> None:
    first = asyncio.ensure_future(record.append(write("game-a", 0, 1), Metadata()))
    await asyncio.sleep(0)
    writer = record._appender._writer
    assert writer is not None
    writer.cancel()
    await asyncio.wait([writer])
    async with asyncio.timeout(10):
        await record.append(write("game-b", 0, 1), Metadata())
        await first
    assert await record.last_position() == 2


async def test_what_callers_asked_for_who_left_before_their_turn_keeps_nobody_waiting(record: Record) -> None:
    async with record.writing() as connection:  # the database hangs
        await connection.execute(update(tables.counter).values(position=tables.counter.c.position))
        gone = [
            asyncio.create_task(record.append(write(f"game-{n}", 0, 1), Metadata()))
            for n in range(2 * MAX_GROUP_REQUESTS)
        ]
        await asyncio.sleep(0.05)
        for task in gone:
            task.cancel()
        staying = asyncio.create_task(record.append(write("game-b", 0, 1), Metadata()))
        await asyncio.sleep(0.05)
    assert (await staying).position <= MAX_GROUP_REQUESTS + 1, "the group that was under way, and no other, is written"


@pytest.fixture
async def other(record: Record, database_url: str) -> AsyncIterator[Record]:
    """Yield the record as opened by another process."""
    opened = await Record.open(database_url)
    yield opened
    await opened.close()


async def cancelled_while_rows_come(
    opening: AbstractAsyncContextManager[AsyncConnection], statement: Executable
) -> pytest.ExceptionInfo[asyncio.CancelledError]:
    """Return the exception of a caller that is cancelled in a transaction after its first statement.

    Its traceback has a cursor with pending rows until it is released.
    """
    begun = asyncio.Event()

    async def read() -> None:
        async with opening as connection:
            await connection.execute(statement)
            begun.set()
            await connection.execute(text(LATE_ROWS))

    reading = asyncio.create_task(read())
    await begun.wait()
    await asyncio.sleep(0.05)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError) as cancelled:
        await reading
    return cancelled


async def test_a_transaction_that_is_cancelled_holds_nobody_up(record: Record, other: Record) -> None:
    """Its locks go with it, and not when its traceback is forgotten."""
    locking = update(tables.counter).values(position=tables.counter.c.position)
    cancelled = await cancelled_while_rows_come(record.writing(), locking)
    async with asyncio.timeout(10):  # less than others would wait for the lock
        assert (await other.append(write("game-a", 0, 1), Metadata())).position == 1
    assert cancelled.tb is not None, "it is still there"


async def test_a_reader_who_is_cancelled_keeps_nobody_from_cleaning(record: Record, other: Record) -> None:
    """pending rows are released with the connection: otherwise cleaning and other writers would wait"""
    await record.append(write("game-a", 0, 1), Metadata())
    cancelled = await cancelled_while_rows_come(record.reading(), select(tables.events.c.position))
    await other.append(write("game-a", 1, 1), Metadata())
    async with asyncio.timeout(10):  # less than cleaning waits for others
        assert await other.clean() == ""
    assert cancelled.tb is not None, "it is still there"


async def test_who_reads_for_long_delays_cleaning_and_nobody_who_writes(record: Record, other: Record) -> None:
    await record.append(write("game-a", 0, 1), Metadata())
    async with record.reading() as connection:
        await connection.execute(select(tables.events.c.position))
        await record.append(write("game-a", 1, 1), Metadata())
        cleaning = asyncio.create_task(other.clean())
        await asyncio.sleep(0.5)
        async with asyncio.timeout(10):  # less than a writer waits for a lock
            for version in range(2, 12):
                await record.append(write("game-a", version, 1), Metadata())
    assert await cleaning == ""


async def test_what_another_process_wrote_is_never_overlooked(record: Record, other: Record) -> None:
    """Each process caches streams; none may decide on its cache after the writes of others."""
    await record.append(write("game-a", 0, 1), Metadata())
    await record.append(write("clock-a", 0, 1), Metadata())
    await record.append(write("game-a", 1, 1), Metadata())
    await other.append(write("clock-a", 1, 1), Metadata())

    guarded = Decision(write("game-a", 2, 1).writes, guards=[Guard("clock-a", 1)])
    with pytest.raises(Conflict, match="clock-a was expected at version 1 and is at 2"):
        await record.append(guarded, Metadata())
    with pytest.raises(Conflict, match="game-b was expected at version 3 and is at 0"):
        await record.append(write("game-b", 3, 1), Metadata())
    await other.append(write("game-c", 0, 1), Metadata())
    with pytest.raises(Conflict, match="game-c was expected at version 0 and is at 1"):
        await record.append(write("game-c", 0, 1), Metadata())
    await other.append(write("game-a", 2, 1), Metadata())
    assert (await record.append(write("game-a", 3, 1), Metadata())).position == 7
    assert (await verify(record)).wrong == ""


async def test_a_new_stream_that_is_there_already_is_a_conflict_also_for_who_never_read_it(record: Record) -> None:
    await record.append(write("game-a", 0, 1), Metadata())
    again = await Record.open(record.engine.url.render_as_string(hide_password=False))
    await again.append(write("game-b", 0, 1), Metadata())
    with pytest.raises(Conflict, match="game-a was expected at version 0 and is at 1"):
        await again.append(write("game-a", 0, 1), Metadata())
    await again.close()


async def test_a_command_that_another_process_carried_out_is_answered_as_it_was_there(
    record: Record, other: Record
) -> None:
    await record.append(write("game-a", 0, 1), Metadata())
    await other.append(Decision(), Metadata(), command=AppendCommand("c", lambda _: b"first"))
    again = await record.append(write("game-b", 0, 1), Metadata(), command=AppendCommand("c", lambda _: b"again"))
    assert (again.answer, again.repeated) == (b"first", True)
    assert await record.last_position() == 1


async def test_a_checkpoint_that_another_process_moved_is_stale(record: Record, other: Record) -> None:
    async with record.writing() as connection:
        await start_checkpoint(connection, "reader")
    await record.append(write("game-a", 0, 1), Metadata(), checkpoint=Checkpoint("reader", 0, 1))
    async with other.writing() as connection:
        await move_checkpoint(connection, Checkpoint("reader", 1, 2))
    with pytest.raises(Stale):
        await record.append(write("game-b", 0, 1), Metadata(), checkpoint=Checkpoint("reader", 1, 2))
    with pytest.raises(Stale):
        await record.append(write("game-b", 0, 1), Metadata(), checkpoint=Checkpoint("nobody", 0, 1))
    first = record.append(write("game-b", 0, 1), Metadata(), checkpoint=Checkpoint("reader", 2, 3))
    second = record.append(write("game-b", 1, 1), Metadata(), checkpoint=Checkpoint("reader", 3, 4))
    await asyncio.gather(first, second)
    assert await record.checkpoint("reader") == 4
    assert await record.last_position() == 3


async def test_whoever_is_wrong_about_a_checkpoint_makes_nobody_beside_him_stale(record: Record) -> None:
    async with record.writing() as connection:
        await start_checkpoint(connection, "reader")
    await record.append(write("game-a", 0, 1), Metadata())
    first = record.append(write("game-b", 0, 1), Metadata())
    wrong_twice = record.append(write("game-a", 0, 1), Metadata(), checkpoint=Checkpoint("reader", 1, 2))
    right = record.append(write("game-c", 0, 1), Metadata(), checkpoint=Checkpoint("reader", 0, 1))
    outcomes = await asyncio.gather(first, wrong_twice, right, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Appended, Conflict, Appended]
    assert await record.checkpoint("reader") == 1


async def test_a_checkpoint_stays_where_it_is_while_an_append_that_moves_it_is_under_way(
    record: Record, other: Record
) -> None:
    async with record.writing() as connection:
        await start_checkpoint(connection, "reader")
    moves: list[asyncio.Task[None]] = []

    async def move() -> None:
        async with other.writing() as connection:
            await move_checkpoint(connection, Checkpoint("reader", 0, 20))

    async def meanwhile(_: AsyncConnection) -> None:
        moves.append(asyncio.create_task(move()))
        await asyncio.sleep(0.3)

    decision = Decision([Write("game-a", 0, [build_passed()], "cup")], also=meanwhile)
    await record.append(decision, Metadata(), checkpoint=Checkpoint("reader", 0, 11))
    with pytest.raises(Stale):
        await moves[0]
    assert await record.checkpoint("reader") == 11


async def test_a_write_without_events_is_a_guard(record: Record, other: Record) -> None:
    await other.append(write("game-a", 0, 1), Metadata())
    await record.append(write("game-b", 0, 1), Metadata())
    with pytest.raises(Conflict):
        await record.append(Decision([Write("game-a", 0, [], "cup")]), Metadata())
    await record.append(Decision([Write("game-a", 1, [], "cup")]), Metadata())
    assert (await record.append(write("game-a", 1, 1), Metadata())).position == 3


async def test_no_error_repeats_what_was_to_be_written(record: Record) -> None:
    async def twice(connection: AsyncConnection) -> None:
        for _ in range(2):
            await connection.execute(tables.people.insert().values(player_id="anna", name="Anna Puig", club="Prat"))

    with pytest.raises(IntegrityError) as failed:
        await record.append(Decision([Write("game-a", 0, [build_passed()], "cup")], also=twice), Metadata())
    assert "Anna Puig" not in str(failed.value)


async def test_what_is_forgotten_of_many_streams_is_looked_up_again(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.event_store.append.group_commit.STREAM_HEAD_CACHE_SIZE", 2)
    for version in range(3):
        for stream in ("game-a", "game-b", "game-c"):
            await record.append(write(stream, version, 1), Metadata())
    assert (await verify(record)).wrong == ""


async def test_events_are_folded_from_where_they_were_folded_last(record: Record) -> None:
    def total(so_far: int, event: Message) -> int:
        folded.append(event)
        return so_far + event.turn  # type: ignore[attr-defined,no-any-return]

    folded: list[Message] = []
    await record.append(write("game-a", 0, 3, 4), Metadata())
    assert (await load(record, "game-a", 0, total)).state == 7
    await record.append(write("game-a", 2, 5), Metadata())
    loaded = await load(record, "game-a", 0, total)
    assert (loaded.state, loaded.version) == (12, 3)
    assert folded == [build_passed(3), build_passed(4), build_passed(5)]


async def test_what_was_written_survives_closing_and_opening(database_url: str) -> None:
    first = await Record.open(database_url)
    await first.append(write("game-a", 0, 1), Metadata())
    await first.close()
    second = await Record.open(database_url)
    assert (await second.append(write("game-a", 1, 2), Metadata())).position == 2
    await second.close()


async def test_a_record_of_another_format_is_refused(database_url: str) -> None:
    record = await Record.open(database_url)
    async with record.writing() as connection:
        await connection.execute(update(tables.counter).values(format=99))
    await record.close()
    with pytest.raises(
        RecordError, match=f"has format 99, this version of Faristol reads format {tables.RECORD_FORMAT}"
    ):
        await Record.open(database_url)


async def test_a_lease_has_one_holder_until_it_is_given_back(record: Record) -> None:
    assert await record.lease("relay", "a", 30)
    assert not await record.lease("relay", "b", 30)
    assert await record.lease("relay", "a", 30)
    await record.release("relay", "a")
    assert await record.lease("relay", "b", 30)


@pytest.mark.parametrize("ahead", [timedelta(hours=1), timedelta(seconds=45), timedelta(hours=-1)])
async def test_a_process_whose_clock_is_wrong_leaves_no_lease_behind_for_longer_than_it_took_it(
    database_url: str, ahead: timedelta
) -> None:
    wrong = await Record.open(database_url, lambda: datetime.now(UTC) + ahead)
    right = await Record.open(database_url)
    assert await wrong.lease("relay", "a", 1)
    assert await wrong.lease("judge", "a", 1, longest=1.5)
    await asyncio.sleep(1.1)
    assert await right.lease("relay", "b", 1)
    assert await right.lease("judge", "b", 1.5, longest=1.5)
    await wrong.close()
    await right.close()


@pytest.mark.parametrize("ahead", [timedelta(hours=1), timedelta(hours=-1)])
async def test_on_a_server_a_wrong_clock_takes_no_lease_from_who_has_it(new_database: str, ahead: timedelta) -> None:
    wrong = await Record.open(new_database, lambda: datetime.now(UTC) + ahead)
    right = await Record.open(new_database)
    for holder, other in ((wrong, right), (right, wrong)):
        assert await holder.lease("relay", str(id(holder)), 5)
        assert not await other.lease("relay", str(id(other)), 5)
        assert await other.holder("relay", 5) == str(id(holder))
        await holder.release("relay", str(id(holder)))
    await wrong.close()
    await right.close()


async def test_a_lease_that_is_renewed_while_others_ask_for_it_stays_with_its_holder(new_database: str) -> None:
    record = await Record.open(new_database)
    assert await record.lease("relay", "a", 30)

    async def ask() -> list[bool]:
        return [await record.lease("relay", "b", 30) for _ in range(50)]

    asked = [asyncio.create_task(ask()) for _ in range(3)]
    assert all([await record.lease("relay", "a", 30) for _ in range(50)])
    assert not any(chain.from_iterable(await asyncio.gather(*asked)))
    await record.close()


async def test_a_lease_that_others_take_for_shorter_stays_whole(record: Record) -> None:
    assert await record.lease("judge", "a", 600, longest=600)
    assert not await record.lease("judge", "b", 2, longest=600)


async def test_a_lease_that_ran_out_can_be_taken(record: Record) -> None:
    assert await record.lease("relay", "a", -1)
    assert await record.lease("relay", "b", 30)


async def test_a_lease_tells_who_holds_it_and_nobody_once_it_ran_out(record: Record) -> None:
    assert await record.holder("relay", 30) == ""
    await record.lease("relay", "a", 30)
    assert await record.holder("relay", 30) == "a"
    assert await record.holders(["relay", "judge"], 30) == {"relay": "a"}
    await record.lease("relay", "a", -1)
    assert await record.holder("relay", 30) == ""
    assert await record.holders(["relay", "judge"], 30) == {}


async def test_events_of_several_streams_come_after_their_versions_in_the_order_of_the_record(record: Record) -> None:
    writes = [Write("game-a", 0, [build_passed(1)], "cup"), Write("clock-a", 0, [build_passed(2)], "cup")]
    await record.append(Decision([*writes, Write("game-a", 0, [build_passed(3), build_passed(4)], "cup")]), Metadata())
    assert [event.version for event in await record.read_stream("game-a")] == [1, 2, 3]
    found = await record.events_after({"game-a": 1, "clock-a": 0, "game-b": 0})
    assert found == [("clock-a", build_passed(2)), ("game-a", build_passed(3)), ("game-a", build_passed(4))]
    assert await record.events_after({"game-a": 3}) == []
    assert (await verify(record)).wrong == ""


async def test_a_decision_is_made_on_one_version_of_a_stream(record: Record) -> None:
    writes = [Write("game-a", 0, [build_passed(1)], "cup"), Write("game-a", 1, [build_passed(2)], "cup")]
    with pytest.raises(ValueError, match="game-a is named with two versions"):
        await record.append(Decision(writes), Metadata())


async def test_events_of_many_streams_come_each_in_order(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faristol.event_store.record.MAX_STATEMENT_STREAMS", 2)
    names = [f"game-{name}" for name in "abcde"]
    for number, name in enumerate(names):
        await record.append(write(name, 0, number), Metadata())
        await record.append(write(name, 1, number + 10, number + 20), Metadata())
    found = await record.events_of([*names[1:], "game-z"])
    assert found == {name: await record.events(name) for name in names[1:]}
    last = await record.last_events([*names[1:], "game-z"])
    assert last == {name: (await record.read_stream(name))[-1] for name in names[1:]}
    after = await record.events_after({**{f"game-{number}": 0 for number in range(20)}, "game-c": 1})
    assert after == [("game-c", build_passed(12)), ("game-c", build_passed(22))]


async def test_a_record_as_it_was_written_is_verified(record: Record) -> None:
    for number in range(5):
        await record.append(write(f"game-{number}", 0, 1, 2), Metadata(actor="anna"))
    verdict = await verify(record)
    assert (verdict.events, verdict.streams, verdict.wrong) == (10, 5, "")


@pytest.mark.parametrize(
    "change",
    [
        {"payload": build_passed(9).SerializeToString()},
        {"metadata": '{"actor":"boris"}'},
        {"recorded_at": 1},
        {"type": "faristol.game.v1.SheetSigned"},
        {"tournament": "league"},
        {"stream": "game-z"},
        {"position": 99},
    ],
)
async def test_an_event_that_was_changed_afterwards_is_named(record: Record, change: dict[str, object]) -> None:
    await record.append(write("game-a", 0, 1, 2, 3), Metadata())
    async with record.writing() as connection:
        await connection.execute(update(tables.events).where(tables.events.c.position == 2).values(**change))
    assert (await verify(record)).wrong.startswith("position 2")


async def test_events_that_were_cut_off_are_missed(record: Record) -> None:
    await record.append(write("game-a", 0, 1, 2, 3), Metadata())
    async with record.writing() as connection:
        await connection.execute(tables.events.delete().where(tables.events.c.position == 3))
    assert "its counter is 3" in (await verify(record)).wrong


async def test_an_event_that_was_put_in_is_named(record: Record) -> None:
    await record.append(write("game-a", 0, 1), Metadata())
    async with record.writing() as connection:
        row = {
            "position": 2,
            "stream": "game-a",
            "version": 2,
            "event_id": str(uuid.uuid4()),
            "type": "faristol.game.v1.Passed",
            "schema_version": 1,
            "tournament": "cup",
            "payload": build_passed(2).SerializeToString(),
            "metadata": "{}",
            "recorded_at": 0,
            "hash": bytes(32),
        }
        await connection.execute(insert(tables.events).values(**row))
    assert "do not give the stored hash" in (await verify(record)).wrong


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://localhost/x", "a record cannot use 'mysql'"),
        ("nonsense", "is not a database URL"),
        ("postgresql://127.0.0.1:1/none", "cannot be used"),
        ("sqlite:////proc/none/record.db", "No such file or directory"),
    ],
)
async def test_a_database_that_cannot_be_used_is_told_in_one_sentence(url: str, said: str) -> None:
    with pytest.raises(RecordError, match=said) as told:
        await Record.open(url)
    assert "\n" not in str(told.value)
