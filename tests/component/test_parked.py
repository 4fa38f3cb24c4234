"""A failing event is parked and all other work continues: streams of reactions, tournaments of projections."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterable, Sequence

import pytest
from sqlalchemy import select, text, update
from sqlalchemy.ext.asyncio import AsyncConnection
from tests.component.consumers import PASSED, PROJECTION, SEEN, append, consuming, line_of, note, positions
from tests.component.contents import until

from faristol.bus import NatsServer
from faristol.consumers import Consumer, Live, Projection, Reaction, generations, parked, read
from faristol.consumers.consumer import ConsumerState
from faristol.consumers.status import State, Status
from faristol.event_store import Decision, Record, Recorded, Write
from faristol.event_store.backends.tables import events
from faristol.kernel.refusal import Refusal
from faristol.pb.game.v1 import events_pb2


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check parked events often, and retry them only if a test requests it."""
    monkeypatch.setattr("faristol.consumers.parked_retries.PARKED_POLL_SECONDS", 0.05)
    monkeypatch.setattr("faristol.consumers.parked_retries.PARKED_BACKOFF_SECONDS", 1_000.0)
    monkeypatch.setattr("faristol.consumers.parked_retries.MAX_PARKED_BACKOFF_SECONDS", 1_000.0)


def has_parked(count: int) -> Callable[[Status], bool]:
    return lambda line: len(line.parked) == count


async def refuse(event: Recorded) -> Decision | None:
    """Refuse the second event of game-b."""
    if (event.stream, event.version) == ("game-b", 2):
        raise Refusal("NO_SUCH_TABLE", "There is no table {table}.", {"table": 4}, article="FISC I.1")
    return await accept(event)


async def accept(event: Recorded) -> Decision:
    return Decision([Write(f"clock-{event.position}", 0, [events_pb2.GameStarted()], "cup")])


REFUSES = Reaction("test.clock", frozenset({PASSED}), refuse)
ACCEPTS = Reaction("test.clock", frozenset({PASSED}), accept)


async def list_answered(record: Record, stream: str) -> list[int]:
    """Return the versions of the events of a stream that were answered, in the order of the answers."""
    versions = {event.event_id: event.version for event in await record.read_stream(stream)}
    answers = await record.read(types={"faristol.game.v1.GameStarted"})
    return [versions[event.metadata.causation_id] for event in answers if event.metadata.causation_id in versions]


async def three_games(record: Record) -> int:
    """Append three turns of three games, one after the other; return the last position."""
    for version in range(3):
        for stream in ("game-a", "game-b", "game-c"):
            last = await append(record, stream, version)
    return last


async def test_a_refused_event_parks_its_stream_and_the_others_go_on(record: Record, nats_server: NatsServer) -> None:
    last = await three_games(record)
    async with consuming(record, nats_server.url, REFUSES) as progress:
        assert await progress.wait_until_reached(last, 60)
        line = await line_of(record, "test.clock", has_parked(1))
        assert (line.state, line.lag) == (State.LIVE, 0) or line.position >= last
        (row,) = line.parked
        assert (row.key, row.tournament, row.position, row.type) == ("game-b", "cup", 5, PASSED)
        assert row.event_id == (await record.read(4, limit=1))[0].event_id
        assert row.error == "Refusal: There is no table 4."
        assert row.attempts == 1
        for stream, versions in (("game-a", [1, 2, 3]), ("game-b", [1]), ("game-c", [1, 2, 3])):
            assert await list_answered(record, stream) == versions
        assert await progress.wait_until_reached(await append(record, "game-b", 3), 60), (
            "later ones of it are parked too"
        )
        assert await list_answered(record, "game-b") == [1]


async def test_a_consumer_tells_that_it_has_parked_something_and_when_all_is_taken(
    record: Record, nats_server: NatsServer
) -> None:
    told: list[bool] = []

    async def note_change(consumer: Consumer) -> None:
        told.append(consumer.state is ConsumerState.PARKED)

    last = await three_games(record)
    async with consuming(record, nats_server.url, REFUSES, changed=note_change) as progress:
        assert await progress.wait_until_reached(last, 60)
        await line_of(record, "test.clock", has_parked(1))
        assert told[-1:] == [True]
    async with consuming(record, nats_server.url, ACCEPTS, changed=note_change):
        await line_of(record, "test.clock", has_parked(0))
        async with asyncio.timeout(60):
            while told[-1]:  # noqa: ASYNC110 # what is parked is looked at now and then
                await asyncio.sleep(0.02)


async def test_a_mended_process_takes_what_is_parked_in_order_when_it_starts(
    record: Record, nats_server: NatsServer
) -> None:
    last = await three_games(record)
    async with consuming(record, nats_server.url, REFUSES) as progress:
        assert await progress.wait_until_reached(last, 60)
    async with consuming(record, nats_server.url, ACCEPTS):
        await line_of(record, "test.clock", has_parked(0))
    assert await list_answered(record, "game-b") == [1, 2, 3]


async def test_what_is_parked_is_tried_again_by_itself_less_and_less_often(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faristol.consumers.parked_retries.PARKED_BACKOFF_SECONDS", 0.2)
    tried: list[float] = []

    async def react(event: Recorded) -> Decision | None:
        if event.stream == "game-b" and len(tried) < 5:
            tried.append(asyncio.get_running_loop().time())
            raise ZeroDivisionError
        return await accept(event)

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)):
        await three_games(record)
        await line_of(record, "test.clock", has_parked(1))
        await line_of(record, "test.clock", has_parked(0))
    assert await list_answered(record, "game-b") == [1, 2, 3]
    pauses = [later - earlier for earlier, later in itertools.pairwise(tried)]
    assert all(pause >= 0.2 * 2**attempt for attempt, pause in enumerate(pauses)), pauses


async def test_an_operator_has_a_key_tried_at_once(record: Record, nats_server: NatsServer) -> None:
    poison = {"game-a", "game-b"}

    async def react(event: Recorded) -> Decision | None:
        if event.stream in poison:
            raise ZeroDivisionError(event.stream)
        return await accept(event)

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)):
        await three_games(record)
        await line_of(record, "test.clock", has_parked(2))
        assert await parked.retry(record, "test.clock", "game-c") == []
        assert await parked.retry(record, "test.clock", "game-b") == [("test.clock", "game-b")]
        await line_of(record, "test.clock", lambda line: [row.attempts for row in line.parked] == [1, 2])
        poison.discard("game-b")
        assert await parked.retry(record, key="game-b") == [("test.clock", "game-b")]
        await line_of(record, "test.clock", has_parked(1))
        assert (await list_answered(record, "game-a"), await list_answered(record, "game-b")) == ([], [1, 2, 3])
        poison.clear()
        assert await parked.retry(record) == [("test.clock", "game-a")]
        await line_of(record, "test.clock", has_parked(0))


async def test_a_second_failure_of_a_stream_parks_it_from_there(record: Record, nats_server: NatsServer) -> None:
    poison = {1, 3}

    async def react(event: Recorded) -> Decision | None:
        if event.version in poison:
            raise ZeroDivisionError(str(event.version))
        return await accept(event)

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)):
        await append(record, "game-a", 0, 4)
        since = (await line_of(record, "test.clock", has_parked(1))).parked[0].since
        poison.discard(1)
        await parked.retry(record)
        line = await line_of(record, "test.clock", lambda line: [row.position for row in line.parked] == [3])
        assert line.parked[0].error == "ZeroDivisionError: 3"
        assert (line.parked[0].attempts, line.parked[0].since) == (2, since)
        assert await list_answered(record, "game-a") == [1, 2]


async def test_a_reaction_that_loses_every_race_pauses_longer_each_time_and_parks_the_stream(
    record: Record, nats_server: NatsServer
) -> None:
    tried: list[float] = []

    async def react(event: Recorded) -> Decision | None:
        if event.stream != "game-a":
            return await accept(event)
        tried.append(asyncio.get_running_loop().time())
        return Decision([Write("game-a", 7, [events_pb2.GameStarted()], "cup")])  # which it never has

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)):
        await append(record, "game-a", 0)
        await append(record, "game-b", 0)
        (row,) = (await line_of(record, "test.clock", has_parked(1))).parked
        assert "Conflict: stream game-a was expected at version 7 and is at 1" in row.error
        await until(lambda: list_answered(record, "game-b"))
    pauses = [later - earlier for earlier, later in itertools.pairwise(tried)]
    assert len(tried) == 8
    assert pauses[0] < pauses[-1]
    assert pauses[-1] >= 0.3


async def test_what_is_missing_for_one_event_alone_parks_its_stream(record: Record, nats_server: NatsServer) -> None:
    async def react(event: Recorded) -> Decision | None:
        if event.stream == "game-a":
            raise FileNotFoundError("a lexicon")  # as with an unavailable disk, which is waited for
        return await accept(event)

    async with consuming(record, nats_server.url, Reaction("test.clock", frozenset({PASSED}), react)):
        await append(record, "game-a", 0)
        await append(record, "game-b", 0)
        (row,) = (await line_of(record, "test.clock", has_parked(1))).parked
        assert row.error == "FileNotFoundError: a lexicon"
        await until(lambda: list_answered(record, "game-b"))


# --- projections -----------------------------------------------------------------------------------------------------


async def two_tournaments(record: Record) -> int:
    """Append five turns of a game in each of two tournaments, alternately; return the last position."""
    for version in range(5):
        await append(record, "game-a", version, tournament="cup")
        last = await append(record, "game-b", version, tournament="league")
    return last


def failing(fails: Callable[[Recorded], bool]) -> Projection:
    async def apply(connection: AsyncConnection, batch: Sequence[Recorded]) -> None:
        await note(connection, batch)
        for event in batch:
            if fails(event):
                raise ZeroDivisionError(event.position)

    return Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, apply)


async def position_of(record: Record, tournament: str) -> int:
    async def look(_: AsyncConnection, live: Live) -> int:
        return live.position

    return (await read(record, PROJECTION, look, tournament))[0]


async def test_a_projection_parks_the_tournament_and_shows_how_far_its_rows_are(
    record: Record, nats_server: NatsServer
) -> None:
    last = await two_tournaments(record)
    async with consuming(record, nats_server.url, failing(lambda event: event.position == 6)) as progress:
        assert await progress.wait_until_reached(last, 60)
        (row,) = (await line_of(record, "seen@1", has_parked(1))).parked
        assert (row.key, row.position, row.stream, row.error) == ("league", 6, "game-b", "ZeroDivisionError: 6")
        assert await positions(record) == [1, 2, 3, 4, 5, 7, 9]
        assert (await position_of(record, "cup"), await position_of(record, "league")) == (10, 5)
        assert await progress.wait_until_reached(await append(record, "game-c", 0, tournament="league"), 60)
        assert 11 not in await positions(record), "another stream of the tournament waits, too"
    async with consuming(record, nats_server.url, PROJECTION):
        await line_of(record, "seen@1", has_parked(0))
    assert await positions(record) == list(range(1, 12))
    assert await position_of(record, "league") == 11


async def test_a_replica_of_an_older_version_parks_what_a_newer_one_takes(
    record: Record, nats_server: NatsServer
) -> None:
    older = failing(lambda event: event.tournament == "league")
    async with consuming(record, nats_server.url, older) as old:
        assert await old.wait_until_reached(await two_tournaments(record), 60)
        await line_of(record, "seen@1", has_parked(1))
        async with consuming(record, nats_server.url, PROJECTION):
            await until(lambda: _equal(record, list(range(1, 11))))
            for version in range(5, 8):
                await append(record, "game-b", version, tournament="league")
            await until(lambda: _equal(record, list(range(1, 14))))


async def _equal(record: Record, wanted: Iterable[int]) -> bool:
    return await positions(record) == list(wanted)


async def test_an_event_of_an_unknown_kind_parks_its_tournament_for_those_who_depend_on_its_context(
    record: Record, nats_server: NatsServer
) -> None:
    last = await two_tournaments(record)
    async with record.writing() as connection:  # a later version wrote it
        written = update(events).where(events.c.position == 4)
        await connection.execute(written.values(type="faristol.game.v1.TilesTurned"))
    clock = Projection("ticks", 1, frozenset({"faristol.clock.v1.ClockPressed"}), SEEN.metadata, note)
    async with (
        consuming(record, nats_server.url, PROJECTION) as progress,
        consuming(record, nats_server.url, clock, relay=False) as other,
    ):
        (row,) = (await line_of(record, "seen@1", has_parked(1))).parked
        assert (row.key, row.position) == ("league", 4)
        assert "does not support the event faristol.game.v1.TilesTurned" in row.error
        assert await progress.wait_until_reached(last, 60)
        assert await positions(record) == [1, 2, 3, 5, 7, 9]
        assert await other.wait_until_reached(last, 60)
        assert (await line_of(record, "ticks@1", has_parked(0))).state is State.LIVE


async def test_a_row_that_cannot_be_written_is_the_events_fault_and_not_the_databases(
    record: Record, nats_server: NatsServer
) -> None:
    async def twice(connection: AsyncConnection, batch: Sequence[Recorded]) -> None:
        await note(connection, [*batch, *(event for event in batch if event.position == 4)])

    last = await two_tournaments(record)
    projection = Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, twice)
    async with consuming(record, nats_server.url, projection) as progress:
        assert await progress.wait_until_reached(last, 60)
        (row,) = (await line_of(record, "seen@1", has_parked(1))).parked
        assert row.position == 4
        assert "unique" in row.error.lower(), "the constraint is named"
        assert "INSERT" not in row.error, "the statement and its parameters are not"


@pytest.mark.parametrize(
    "statement",
    ["SELECT nothing FROM seen", "INSERT INTO seen (colour) VALUES (1)", "SELECT FROM,"],
)
async def test_a_statement_that_no_database_takes_is_not_waited_for(
    record: Record, nats_server: NatsServer, statement: str
) -> None:
    async def mistaken(connection: AsyncConnection, batch: Sequence[Recorded]) -> None:
        await note(connection, batch)
        if any(event.position == 4 for event in batch):
            await connection.execute(text(statement))

    last = await two_tournaments(record)
    projection = Projection("seen", 1, frozenset({PASSED}), SEEN.metadata, mistaken)
    async with consuming(record, nats_server.url, projection) as progress:
        assert await progress.wait_until_reached(last, 60)
        (row,) = (await line_of(record, "seen@1", has_parked(1))).parked
        assert row.position == 4
    assert await positions(record) == [1, 2, 3, 5, 7, 9]


async def test_tables_that_were_dropped_take_what_was_parked_with_them(record: Record, nats_server: NatsServer) -> None:
    last = await two_tournaments(record)
    async with consuming(record, nats_server.url, failing(lambda event: event.position == 6)) as progress:
        assert await progress.wait_until_reached(last, 60)
    async with record.writing() as connection:
        newer = Projection("seen", 2, PROJECTION.types, SEEN.metadata, note)
        await generations.add(connection, newer)
        await generations._read_from_now_on(connection, newer)
    await generations.drop(record, "seen", 1)
    async with record.reading() as connection:
        assert await parked.all_parked(connection) == {}


# --- the bound -------------------------------------------------------------------------------------------------------


async def test_one_key_more_than_may_be_parked_stops_the_consumer_until_there_is_room(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parked, "MAX_PARKED_KEYS", 2)
    poison = {"a", "b", "c"}
    told: list[str] = []

    async def note_change(consumer: Consumer) -> None:
        told.append(str(consumer.problem))

    projection = failing(lambda event: event.tournament in poison)
    async with consuming(record, nats_server.url, projection, changed=note_change) as progress:
        for tournament in ("a", "b", "fine", "c", "good"):
            last = await append(record, f"game-{tournament}", 0, 2, tournament)
        line = await line_of(record, "seen@1", lambda line: line.state is State.STOPPED)
        assert [row.key for row in line.parked] == ["a", "b"]
        assert line.stopped is not None
        assert (line.position, line.lag, line.stopped.position) == (6, 4, 7)
        assert line.stopped.error == "ZeroDivisionError: 7"
        assert await positions(record) == [5, 6], "what comes before is done, and nothing after it"

        poison.discard("a")
        assert await parked.retry(record, "seen", "a") == [("seen@1", "a")], "a projection goes by its name too"
        assert await progress.wait_until_reached(last, 60)
        line = await line_of(record, "seen@1", lambda line: line.state is State.LIVE)
        assert [row.key for row in line.parked] == ["b", "c"]
        assert await positions(record) == [1, 2, 5, 6, 9, 10]
    # it reports parked events before it stops and after it resumes, too
    stops = [said for said, _ in itertools.groupby(told)]
    assert stops[stops[0] == "None" :] == ["event 7 (Passed on game-c): ZeroDivisionError: 7", "None"]


async def test_a_replica_that_has_stopped_goes_on_once_another_has_passed(
    record: Record, nats_server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parked, "MAX_PARKED_KEYS", 0)
    last = await append(record, "game-a", 0, 3)
    async with consuming(record, nats_server.url, failing(lambda event: event.position == 2)) as older:
        await line_of(record, "seen@1", lambda line: line.state is State.STOPPED)
        async with consuming(record, nats_server.url, PROJECTION) as newer:
            assert await newer.wait_until_reached(last, 60)
        assert await older.wait_until_reached(await append(record, "game-b", 0, 2), 60)
    assert await positions(record) == [1, 2, 3, 4, 5]
    await line_of(record, "seen@1", lambda line: line.state is State.LIVE)


async def test_the_parked_table_and_what_it_counts_are_of_one_moment(record: Record, nats_server: NatsServer) -> None:
    """A reader sees either the rows of a parked tournament with its position, or all of them with the record's."""
    last = await two_tournaments(record)
    async with consuming(record, nats_server.url, failing(lambda event: event.position == 6)) as progress:
        assert await progress.wait_until_reached(last, 60)
    seen: set[tuple[int, int]] = set()

    async def look(connection: AsyncConnection, live: Live) -> tuple[int, int]:
        rows = await connection.execute(select(SEEN.c.position).where(SEEN.c.stream == "game-b"))
        return live.position, len(rows.all())

    async with consuming(record, nats_server.url, PROJECTION):
        while (10, 5) not in seen:
            seen.add((await read(record, PROJECTION, look, "league"))[0])
    assert all(count == sum(at <= position for at in (2, 4, 6, 8, 10)) for position, count in seen), seen
