"""The end of a duplicate turn is called automatically, and the database is not queried while no turn runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from sqlalchemy import event
from tests.component.running_clocks import add, ago, wait_for_event

from faristol.clock.turns import TurnTimer
from faristol.event_store import Record
from faristol.event_store.tasks import cancel_tasks
from faristol.kernel.times import to_timestamp
from faristol.pb.clock.v1 import turn_events_pb2 as ticks
from faristol.pb.game.v1 import duplicate_events_pb2 as events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules.ruleset.file import load_ruleset


async def begin(record: Record, game_id: str, left_ms: int, ruleset: str = "fisc-2023-duplicate") -> None:
    """Begin a game with so much time left in its first turn. Rules without a digest are stored nowhere."""
    at = to_timestamp(ago(0))
    known = load_ruleset(ruleset).digest if ruleset.startswith("fisc-2023") else ""
    opened = events.DuplicateOpened(
        game_id=game_id,
        tournament_id="cup",
        round=1,
        ruleset=game_events.Pin(name=ruleset, digest=known),
        seed=bytes(32),
        halls=[events.DuplicateHall(name="Nord")],
        occurred_at=at,
    )
    called = events.RackCalled(turn=1, faces=["C", "A", "S", "E", "R", "N", "A"], by_hand=True, occurred_at=at)
    started = ticks.TurnTimerStarted(turn=1, milliseconds=left_ms, occurred_at=at)
    await add(record, f"duplicate-{game_id}", opened, called, started)


@asynccontextmanager
async def ticking(record: Record) -> AsyncIterator[None]:
    """Yield a timer that runs beside the block."""
    task = asyncio.create_task(TurnTimer(record, lambda: datetime.now(UTC)).run())
    yield
    assert not task.done()
    await cancel_tasks([task])


async def wait_for_call(record: Record, game_id: str) -> ticks.TimeCalled:
    """Return the end of the time of a game's turn, once it is on the record."""
    message = (await wait_for_event(record, game_id, "TimeCalled", stream="duplicate")).message
    assert isinstance(message, ticks.TimeCalled)
    return message


async def test_time_is_called_when_it_is_over_in_games_before_the_timer_began_and_after(record: Record) -> None:
    await begin(record, "cup-r1", 200)
    async with ticking(record):
        await wait_for_call(record, "cup-r1")
        await begin(record, "cup-r2", 200)
        await wait_for_call(record, "cup-r2")
    for game_id in ("cup-r1", "cup-r2"):
        told_of = [message.message for message in await record.read_stream(f"duplicate-{game_id}")]
        (start,) = [message for message in told_of if isinstance(message, ticks.TurnTimerStarted)]
        (over,) = [message for message in told_of if isinstance(message, ticks.TimeCalled)]
        assert over.occurred_at.ToNanoseconds() - start.occurred_at.ToNanoseconds() == 200_000_000


async def test_what_goes_wrong_with_one_game_leaves_the_others_their_time(
    record: Record, caplog: pytest.LogCaptureFixture
) -> None:
    await begin(record, "cup-r1", 200, ruleset="club-1999")
    await begin(record, "cup-r2", 200)
    async with ticking(record):
        await wait_for_call(record, "cup-r2")
        await begin(record, "cup-r3", 200)
        await wait_for_call(record, "cup-r3")
    assert [line.getMessage() for line in caplog.records if "cup-r1" in line.getMessage()] == [
        "the deadlines of cup-r1 fail; other games are not affected"
    ]


async def test_a_cell_in_which_no_turn_runs_is_not_asked_for_events_again_and_again(record: Record) -> None:
    await begin(record, "cup-r1", 100)
    async with ticking(record):
        await wait_for_call(record, "cup-r1")
        await asyncio.sleep(1.2)  # it reads the game that it has ended once more
        asked: list[str] = []
        event.listen(record.engine.sync_engine, "before_cursor_execute", lambda *said: asked.append(said[2]))
        await asyncio.sleep(2.5)
    assert len([statement for statement in asked if "FROM events" in statement]) <= 3
