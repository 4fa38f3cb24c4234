"""Deadlines fire automatically, at their time, by the time of day."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from tests.component.running_clocks import add, ago, list_clock_events, start, wait_for_event

from faristol.clock import replicas
from faristol.clock.timer import NANOSECONDS_FACTOR, ClockTimer
from faristol.event_store import Record
from faristol.event_store.tasks import cancel_tasks
from faristol.kernel.times import milliseconds_between, to_timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events

CAP_MS = 35 * 60_000
TURN_MS = 120_000


@asynccontextmanager
async def ticking(record: Record, number: int = 1) -> AsyncIterator[list[ClockTimer]]:
    """Run timers beside the block."""
    timers = [ClockTimer(record, lambda: datetime.now(UTC)) for _ in range(number)]
    tasks = [asyncio.create_task(timer.run()) for timer in timers]
    yield timers
    assert not any(task.done() for task in tasks)
    await cancel_tasks(tasks)


async def test_a_deadline_fires_and_is_dated_at_its_moment(record: Record) -> None:
    await start(record, "cup-r1-t1", CAP_MS - 300)
    await start(record, "cup-r1-t2", TURN_MS - 300, ruleset="festa-major")
    async with ticking(record):
        exceeded = (await wait_for_event(record, "cup-r1-t1", "OvertimeCapExceeded")).message
        timed_out = (await wait_for_event(record, "cup-r1-t2", "TurnTimedOut")).message
    assert isinstance(exceeded, clock_events.OvertimeCapExceeded)
    assert isinstance(timed_out, clock_events.TurnTimedOut)
    for game_id, over in (("cup-r1-t1", exceeded.occurred_at), ("cup-r1-t2", timed_out.occurred_at)):
        corrected = (await record.read_stream(f"clock-{game_id}"))[2].message
        assert isinstance(corrected, clock_events.ClockCorrected)
        assert milliseconds_between(corrected.occurred_at, over) in {299, 300}  # both are cut to the millisecond


async def test_a_deadline_that_passed_while_no_timer_ran_fires_when_one_does_and_once_with_several(
    record: Record,
) -> None:
    await start(record, "cup-r1-t1", CAP_MS - 1)
    await asyncio.sleep(0.1)
    async with ticking(record, 3):
        await wait_for_event(record, "cup-r1-t1", "OvertimeCapExceeded")
        await start(record, "cup-r1-t2", CAP_MS - 200)
        await wait_for_event(record, "cup-r1-t2", "OvertimeCapExceeded")
        await asyncio.sleep(0.3)
    assert await list_clock_events(record, "cup-r1-t1") == ["OvertimeCapExceeded", "ClockStopped"]
    assert await list_clock_events(record, "cup-r1-t2") == ["OvertimeCapExceeded", "ClockStopped"]


async def test_no_deadline_fires_at_a_table_that_is_not_live_or_goes_by_a_clock_of_its_own(record: Record) -> None:
    await start(record, "cup-r1-t1", CAP_MS - 1, since=ago(3_600))
    await start(record, "cup-r1-t2", CAP_MS - 1, keeping=game_events.KEEPING_RECORDED)
    await start(record, "cup-r1-t3", CAP_MS - 200)
    async with ticking(record):
        await wait_for_event(record, "cup-r1-t3", "OvertimeCapExceeded")
        await start(record, "cup-r1-t4", CAP_MS - 200)
        await wait_for_event(record, "cup-r1-t4", "OvertimeCapExceeded")
    assert await list_clock_events(record, "cup-r1-t1") == []
    assert await list_clock_events(record, "cup-r1-t2") == []


async def test_who_does_something_in_time_has_no_deadline_any_more(record: Record) -> None:
    async with ticking(record):
        await start(record, "cup-r1-t1", CAP_MS - 1_500)
        await add(
            record,
            "clock-cup-r1-t1",
            clock_events.ClockCorrected(
                player_id="anna",
                before_ms=CAP_MS - 1_500,
                reason=clock_events.CORRECTION_REASON_RULING,
                arbiter_id="arbiter-1",
                occurred_at=to_timestamp(ago(0)),
            ),
        )
        await start(record, "cup-r1-t2", CAP_MS - 2_000)
        await wait_for_event(record, "cup-r1-t2", "OvertimeCapExceeded")
    assert await list_clock_events(record, "cup-r1-t1") == ["ClockCorrected"]


async def test_a_deadline_writes_what_it_means_for_the_game_and_what_was_missing_there(record: Record) -> None:
    await start(record, "cup-r1-t1", 0)
    at = to_timestamp(ago(0))
    await add(record, "game-cup-r1-t1", game_events.Passed(turn=1, player_id="anna", occurred_at=at))
    await add(
        record,
        "clock-cup-r1-t1",
        clock_events.ClockPressed(player_id="anna", turn=1, next_player_id="biel", occurred_at=at),
        clock_events.ClockCorrected(
            player_id="biel",
            used_ms=CAP_MS - 100,
            reason=clock_events.CORRECTION_REASON_DEVICE,
            arbiter_id="arbiter-1",
            occurred_at=at,
        ),
    )
    async with ticking(record):
        await wait_for_event(record, "cup-r1-t1", "OvertimeCapExceeded")
    written = [event.name for event in await record.read_stream("game-cup-r1-t1")]
    assert written[-4:] == ["Passed", "PlayCompleted", "GameEnded", "TimePenalty"]
    assert (await list_clock_events(record, "cup-r1-t1"))[-1] == "ClockStopped"


async def test_a_ruleset_that_is_not_here_leaves_the_other_clocks_their_deadlines(
    record: Record, caplog: pytest.LogCaptureFixture
) -> None:
    at = to_timestamp(ago(0))
    await add(
        record,
        "game-cup-r1-t1",
        game_events.GameOpened(
            game_id="cup-r1-t1", player_ids=["anna", "biel"], ruleset=game_events.Pin(name="fisc-1999"), occurred_at=at
        ),
    )
    await add(record, "clock-cup-r1-t1", clock_events.ClockOpened(game_id="cup-r1-t1", occurred_at=at))
    await start(record, "cup-r1-t2", CAP_MS - 100)
    async with ticking(record):
        await wait_for_event(record, "cup-r1-t2", "OvertimeCapExceeded")
    assert "fisc-1999" in caplog.text


async def test_what_goes_wrong_with_one_clock_is_logged_once_and_leaves_the_others_their_deadlines(
    record: Record, caplog: pytest.LogCaptureFixture
) -> None:
    await start(record, "cup-r1-t1", CAP_MS - 200)
    stray = pairing_events.RoundClosed(round=1, occurred_at=to_timestamp(ago(0)))
    await add(record, "clock-cup-r1-t1", stray)
    await start(record, "cup-r1-t2", CAP_MS - 400)
    async with ticking(record):
        await wait_for_event(record, "cup-r1-t2", "OvertimeCapExceeded")
        await start(record, "cup-r1-t3", CAP_MS - 200)
        await wait_for_event(record, "cup-r1-t3", "OvertimeCapExceeded")
    failures = [line for line in caplog.records if "deadlines of cup-r1-t1 fail" in line.getMessage()]
    assert [line.exc_info is not None for line in failures] == [True]


async def test_replicas_that_know_of_each_other_split_the_clocks_and_write_no_deadline_twice(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replicas, "REPLICA_RENEWAL_SECONDS", 0.1)
    monkeypatch.setattr(
        "faristol.clock.timer.OWNER_GRACE_NANOSECONDS", 10 * NANOSECONDS_FACTOR
    )  # on a busy machine one may be late
    games = [f"cup-r1-t{table}" for table in range(1, 41)]
    async with ticking(record, 2) as timers:
        async with asyncio.timeout(30):
            while len(await record.holders(["clock.timer/0", "clock.timer/1"], replicas.REPLICA_LEASE_SECONDS)) < 2:  # noqa: ASYNC110 # nobody tells of that
                await asyncio.sleep(0.05)
        await asyncio.sleep(1)  # ten polls: they know each other
        at = datetime.now(UTC) + timedelta(seconds=0.5)
        for game_id in games:
            await start(record, game_id, CAP_MS - 500, since=at)
        for game_id in games:
            await wait_for_event(record, game_id, "OvertimeCapExceeded")
    assert [await list_clock_events(record, game_id) for game_id in games] == [
        ["OvertimeCapExceeded", "ClockStopped"]
    ] * len(games)
    assert sum(timer.written for timer in timers) == len(games)
    assert all(timer.written for timer in timers)


async def test_deadlines_that_a_dead_replica_keeps_are_told_by_another(record: Record) -> None:
    async def hold_a_place() -> None:
        while True:
            await record.lease("clock.timer/0", "dead", replicas.REPLICA_LEASE_SECONDS)
            await asyncio.sleep(1)

    dead = asyncio.create_task(hold_a_place())
    games = [f"cup-r1-t{table}" for table in range(1, 21)]
    for game_id in games:
        await start(record, game_id, CAP_MS - 300)
    async with ticking(record) as (timer,):
        for game_id in games:
            await wait_for_event(record, game_id, "OvertimeCapExceeded")
    await cancel_tasks([dead])
    assert timer.written == len(games)


async def test_a_game_that_goes_on_after_its_deadline_was_prepared_has_its_deadline_all_the_same(
    record: Record,
) -> None:
    await start(record, "cup-r1-t1", CAP_MS - 1_000)
    async with ticking(record):
        await asyncio.sleep(0.3)  # the timer has prepared its events for the present state of the game
        await add(
            record,
            "game-cup-r1-t1",
            game_events.TilesLaid(turn=1, player_id="anna", occurred_at=to_timestamp(ago(0))),
        )
        await wait_for_event(record, "cup-r1-t1", "OvertimeCapExceeded")
    assert (await list_clock_events(record, "cup-r1-t1"))[-2:] == ["OvertimeCapExceeded", "ClockStopped"]
