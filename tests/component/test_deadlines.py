"""Deadlines survive the processes that wait for them, and fire once however many wait."""

from __future__ import annotations

import asyncio
import signal
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.component.processes import Child, free_port, wait_until_serving
from tests.component.running_clocks import EVENT_TIMEOUT_SECONDS, list_clock_events, start, wait_for_event

from faristol.event_store import Record
from faristol.kernel.times import milliseconds_between
from faristol.pb.clock.v1 import events_pb2 as clock_events

CAP_MS = 35 * 60_000


def serve(folder: Path, name: str, database_url: str, nats_url: str) -> Child:
    """Return a clock service in a separate process, once it serves."""
    port = free_port()
    settings = {"database_url": database_url, "nats_url": nats_url, "grpc_port": port}
    child = Child(["serve", "clock"], settings, folder / f"{name}.log")
    wait_until_serving(f"127.0.0.1:{port}", child)
    return child


async def test_a_deadline_fires_after_its_process_was_killed_and_another_started(
    tmp_path: Path, database_url: str, shared_nats: str
) -> None:
    record = await Record.open(database_url)
    first = await asyncio.to_thread(serve, tmp_path, "first", database_url, shared_nats)
    await start(record, "cup-r1-t1", CAP_MS - 3_000)
    first.kill()
    assert await list_clock_events(record, "cup-r1-t1") == []
    second = await asyncio.to_thread(serve, tmp_path, "second", database_url, shared_nats)
    try:
        exceeded = (await wait_for_event(record, "cup-r1-t1", "OvertimeCapExceeded")).message
    finally:
        code = await asyncio.to_thread(second.terminate)
        corrected = (await record.read_stream("clock-cup-r1-t1"))[2].message
        await record.close()
    assert isinstance(exceeded, clock_events.OvertimeCapExceeded)
    assert isinstance(corrected, clock_events.ClockCorrected)
    assert milliseconds_between(corrected.occurred_at, exceeded.occurred_at) in {2_999, 3_000}
    assert code == 0


async def test_two_processes_that_wait_for_the_same_deadlines_fire_each_once(
    tmp_path: Path, new_database: str, shared_nats: str
) -> None:
    record = await Record.open(new_database)
    both = [await asyncio.to_thread(serve, tmp_path, name, new_database, shared_nats) for name in ("one", "other")]
    games = [f"cup-r1-t{table}" for table in range(1, 21)]
    try:
        for game_id in games:
            await start(record, game_id, CAP_MS - 1_000)
        for game_id in games:
            await wait_for_event(record, game_id, "OvertimeCapExceeded")
        await start(record, "cup-r2-t1", CAP_MS - 500)
        await wait_for_event(record, "cup-r2-t1", "OvertimeCapExceeded")
        new_events = [await list_clock_events(record, game_id) for game_id in games]
        await tell_at_one_instant_while_one_is_killed(record, both[1])
    finally:
        codes = [await asyncio.to_thread(child.terminate) for child in both]
        await record.close()
    assert new_events == [["OvertimeCapExceeded", "ClockStopped"]] * len(games)
    assert codes == [0, -signal.SIGKILL]


async def tell_at_one_instant_while_one_is_killed(record: Record, victim: Child) -> None:
    """Check that deadlines at one instant are reported once each, though one of the processes that write them is
    killed.
    """
    games = [f"cup-r3-t{table}" for table in range(1, 201)]
    at = datetime.now(UTC) + timedelta(seconds=1)
    await asyncio.gather(*(start(record, game_id, CAP_MS - 500, since=at) for game_id in games))
    last_position = await record.last_position()
    exceeded = frozenset({clock_events.OvertimeCapExceeded.DESCRIPTOR.full_name})
    give_up = time.monotonic() + EVENT_TIMEOUT_SECONDS
    told_of: list[str] = []
    while len(told_of) < len(games) and time.monotonic() < give_up:
        told_of = [event.stream for event in await record.read(last_position, types=exceeded)]
        if told_of and victim.process.poll() is None:
            victim.kill()
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.5)
    told_of = [event.stream for event in await record.read(last_position, types=exceeded)]
    assert sorted(told_of) == sorted(f"clock-{game_id}" for game_id in games)
