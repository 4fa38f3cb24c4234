"""No play is possible in a turn whose time is over, except those that FISE lets players finish."""

from __future__ import annotations

from dataclasses import replace

import pytest
from google.protobuf.message import Message
from tests.support.table_games import after, build_press, start_game, tiles

from faristol.kernel.refusal import Refusal
from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.rules import load_ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.table import Table
from faristol.table.clock import Clock, evolve
from faristol.table.decide.checks import check_in_time
from faristol.table.game.state import Course

FM, FISC = load_ruleset("festa-major"), load_ruleset("fisc-2023")
TIMER = with_options(load_ruleset("fise"), {"time": "timer"})
STARTED = clock_events.ClockStarted(player_id="anna", occurred_at=timestamp(after(0)), turn_until=timestamp(after(120)))
RUNNING = evolve(Clock(player_ids=("anna", "biel"), used_ms=(0, 0)), STARTED)


def test_a_turn_may_be_taken_to_its_last_moment_and_not_after_it() -> None:
    check_in_time(Table(FM, start_game(), RUNNING), after(120))
    for ruleset, article in ((FM, "FM 2"), (TIMER, "FISE 33"), (FISC, "FISC I.11")):
        with pytest.raises(Refusal) as caught:
            check_in_time(Table(ruleset, start_game(), RUNNING), after(120) + 1)
        assert (caught.value.reason, caught.value.article) in {
            ("TURN_TIMED_OUT", article),
            ("TURN_TIMED_OUT", ruleset.article("clock.turn_timeout")),
        }


def test_under_fise_a_play_that_was_begun_may_be_finished() -> None:
    begun = replace(start_game(), course=Course(laid=tiles("H8 C A S")))
    check_in_time(Table(TIMER, begun, RUNNING), after(200))
    with pytest.raises(Refusal):
        check_in_time(Table(FM, begun, RUNNING), after(200))


@pytest.mark.parametrize(
    "event",
    [
        clock_events.ClockHeldByMover(player_id="anna", turn=1),
        clock_events.ClockNeutralised(player_id="anna"),
        clock_events.ClockResumed(player_id="anna", turn=1, turn_until=timestamp(after(500))),
        clock_events.ClockSwitched(player_id="anna", turn=1, turn_until=timestamp(after(90))),
        build_press("anna", 1, after(10)),
    ],
)
def test_no_time_is_over_that_does_not_run_or_is_that_of_another_turn(event: Message) -> None:
    check_in_time(Table(FM, start_game(), evolve(RUNNING, event)), after(200))
