from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.rules import load_ruleset
from faristol.rules.clockwork import (
    Activity,
    cap_exceeded,
    lost_by_absence,
    neutralised,
    overtime_ms,
    overtime_penalty,
    runs,
    thinking_ms,
)

FISC = load_ruleset("fisc-2023")


@given(st.integers(0, 20 * 60_000))
def test_each_minute_of_overtime_or_part_of_one_costs_ten_up_to_a_hundred(over: int) -> None:
    begun = len(range(0, over, 60_000))
    assert overtime_penalty(over, FISC) == min(100, 10 * begun)
    assert cap_exceeded(over, FISC) == (over > 600_000)


@given(st.integers(0, 40 * 60_000))
def test_overtime_begins_after_twenty_five_minutes(used: int) -> None:
    assert thinking_ms(FISC) == 1_500_000
    assert overtime_ms(used, FISC) == max(0, used - 1_500_000)


def test_without_a_cap_overtime_goes_on_costing() -> None:
    clock = dataclasses.replace(FISC.clock, overtime_cap_minutes=None, absence_minutes=None)
    ruleset = dataclasses.replace(FISC, clock=clock)
    assert overtime_penalty(3_600_001, ruleset) == 610
    assert not cap_exceeded(3_600_001, ruleset)
    assert not lost_by_absence(3_600_001, ruleset)


def test_the_clock_runs_until_it_is_pressed_and_stops_for_what_the_book_names() -> None:
    assert all(runs(activity, FISC) for activity in Activity)
    still = dataclasses.replace(FISC.clock, runs_while_counting=False, runs_while_drawing=False, neutralised_by=())
    ruleset = dataclasses.replace(FISC, clock=still)
    assert [runs(activity, ruleset) for activity in Activity] == [True, False, False]
    assert neutralised("count-dispute", FISC)
    assert not neutralised("count-dispute", ruleset)


def test_time_does_not_run_back() -> None:
    with pytest.raises(ValueError, match="0 ms or more, not -1"):
        overtime_penalty(-1, FISC)
