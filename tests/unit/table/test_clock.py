"""The state of the clock after its events."""

from __future__ import annotations

from functools import reduce
from itertools import pairwise

import pytest

from faristol.kernel.times import instant, timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.table.clock import Clock, elapsed_ms, evolve

START_NS = 1_700_000_000_000_000_000
SECOND_NS = 1_000_000_000


STARTED = game_events.GameStarted(first_player_id="biel", occurred_at=timestamp(START_NS))


def test_an_instant_keeps_every_nanosecond() -> None:
    at = START_NS + 123_456_789
    assert instant(timestamp(at)) == at


def test_what_is_cut_off_one_turn_is_counted_on_the_next() -> None:
    moments = [START_NS + part * 700_000 for part in range(101)]
    turns = [elapsed_ms(since, until) for since, until in pairwise(moments)]
    assert sum(turns) == elapsed_ms(moments[0], moments[-1]) == 70


def test_time_does_not_run_back() -> None:
    assert elapsed_ms(START_NS + SECOND_NS, START_NS) == 0


def test_a_clock_takes_no_events_but_its_own() -> None:
    with pytest.raises(TypeError, match=r"faristol\.game\.v1\.GameStarted is not an event of a clock"):
        evolve(Clock(), STARTED)


def test_the_last_word_of_a_clock_stands_for_both_players() -> None:
    opened = clock_events.ClockOpened(
        game_id="cup-r1-t1", player_ids=["anna", "biel"], allowance_ms=1_000, occurred_at=timestamp(START_NS)
    )
    stopped = clock_events.ClockStopped(
        times=[
            clock_events.SideTime(player_id="biel", used_ms=1_500, overtime_ms=500),
            clock_events.SideTime(player_id="anna", used_ms=900),
        ],
        occurred_at=timestamp(START_NS + SECOND_NS),
    )
    clock = reduce(evolve, [opened, stopped], Clock())
    assert clock.stopped
    assert [(side.player_id, side.used_ms, side.overtime_ms) for side in clock.times()] == [
        ("anna", 900, 0),
        ("biel", 1_500, 500),
    ]
