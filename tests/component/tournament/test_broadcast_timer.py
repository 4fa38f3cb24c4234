"""The timer of a delayed broadcast: events are told when they are old enough, in order, each once."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

import pytest
from google.protobuf.message import Message
from tests.support.court import until
from tests.support.synthetic import append

from faristol.event_store import Record, Recorded
from faristol.event_store.delays import Delays
from faristol.kernel.event_types import broadcast_stream
from faristol.pb.game.v1 import events_pb2 as game
from faristol.pb.pairing.v1 import events_pb2 as pairing
from faristol.tournament.broadcast_timer import BroadcastTimer

ID = "lliga"
STREAM, GAME = f"tournament-{ID}", f"game-{ID}-r1-t1"
EARLY, LATE = timedelta(minutes=9, seconds=59), timedelta(minutes=10)


async def set_delay(record: Record, minutes: int) -> None:
    await append(record, {STREAM: [pairing.BroadcastDelaySet(minutes=minutes)]})


async def pass_turns(record: Record, count: int) -> list[Recorded]:
    """Append passes one by one; return them."""
    before = await record.last_position()
    for turn in range(count):
        passed: Message = game.Passed(turn=turn + 1)
        await append(record, {GAME: [passed]})
    return await record.read(before)


async def begin(record: Record, minutes: int = 10) -> int:
    """Create a tournament with a pass before its first delay; return the position of the delay."""
    await append(record, {STREAM: [pairing.TournamentCreated(tournament_id=ID, name="Lliga", rounds=2)]})
    await pass_turns(record, 1)
    await set_delay(record, minutes)
    return await record.last_position()


async def tell(record: Record, now: datetime, begun: int) -> float | None:
    """Let a timer look once at a time."""
    return await BroadcastTimer(record, lambda: now).tell_due(ID, begun)


async def list_told(record: Record) -> list[int]:
    """Return the positions of the told events, in the order in which they were told."""
    found = await record.events(broadcast_stream(ID))
    return [event.told for event in found if isinstance(event, pairing.HeldEventTold)]


async def test_an_event_is_told_at_its_age_and_not_before_and_once(record: Record) -> None:
    begun = await begin(record)
    first, second = await pass_turns(record, 2)
    wait = await tell(record, first.recorded_at + EARLY, begun)
    assert wait is not None
    assert 0 < wait <= 1
    assert await list_told(record) == []
    await tell(record, first.recorded_at + LATE, begun)
    assert (await list_told(record))[:1] == [first.position]
    for _ in range(2):
        assert await tell(record, second.recorded_at + LATE, begun) is None
    assert await list_told(record) == [first.position, second.position]


async def test_events_before_the_first_delay_are_told_neither_late_nor_again(record: Record) -> None:
    begun = await begin(record)
    (held,) = await pass_turns(record, 1)
    delays = Delays()
    await delays.read(record)
    events = await record.read(types={held.type})
    assert [delays.holds(event) for event in events] == [False, True]
    await tell(record, held.recorded_at + timedelta(hours=2), begun)
    assert await list_told(record) == [held.position]


async def test_delays_are_read_on_from_the_last_position(record: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    await begin(record)
    delays = Delays()
    await delays.read(record)
    here, after = await record.last_position(), list[int]()
    read = record.read

    async def note_reads(after_position: int = 0, **rest: Any) -> list[Recorded]:
        after.append(after_position)
        return await read(after_position, **rest)

    with monkeypatch.context() as patched:
        patched.setattr(record, "read", note_reads)
        await delays.read(record)
    assert after == []
    await pass_turns(record, 1)
    with monkeypatch.context() as patched:
        patched.setattr(record, "read", note_reads)
        await delays.read(record)
    assert after == [here]


async def test_a_shorter_delay_tells_what_is_old_enough_and_none_tells_all_in_order(record: Record) -> None:
    begun = await begin(record, 60)
    first, second, third = await pass_turns(record, 3)
    now = first.recorded_at + timedelta(minutes=10)
    await tell(record, now, begun)
    assert await list_told(record) == []
    await set_delay(record, 10)
    await tell(record, now, begun)
    told = await list_told(record)
    assert told[:1] == [first.position]
    await set_delay(record, 0)
    await tell(record, third.recorded_at, begun)
    assert await list_told(record) == [first.position, second.position, third.position]


async def test_a_longer_delay_takes_nothing_back_and_holds_the_next_longer(record: Record) -> None:
    begun = await begin(record)
    (first,) = await pass_turns(record, 1)
    await tell(record, first.recorded_at + LATE, begun)
    (second,) = await pass_turns(record, 1)
    await set_delay(record, 30)
    await tell(record, second.recorded_at + LATE, begun)
    assert await list_told(record) == [first.position]
    await tell(record, second.recorded_at + timedelta(minutes=30), begun)
    assert await list_told(record) == [first.position, second.position]


async def test_later_events_of_a_tournament_without_its_delay_still_come_in_order(record: Record) -> None:
    begun = await begin(record)
    (first,) = await pass_turns(record, 1)
    await set_delay(record, 0)
    (second,) = await pass_turns(record, 1)
    await tell(record, second.recorded_at, begun)
    assert await list_told(record) == [first.position, second.position]


async def test_several_timers_tell_each_event_once_and_a_new_one_continues(record: Record) -> None:
    await begin(record)
    held = await pass_turns(record, 5)
    late = held[-1].recorded_at + LATE
    timers = [asyncio.ensure_future(BroadcastTimer(record, lambda: late).run()) for _ in range(3)]

    async def are_told() -> bool | None:
        return len(await list_told(record)) == len(held) or None

    await until(are_told)
    await asyncio.sleep(1.5)
    for timer in timers:
        timer.cancel()
        with suppress(asyncio.CancelledError):
            await timer
    assert await list_told(record) == [event.position for event in held]
