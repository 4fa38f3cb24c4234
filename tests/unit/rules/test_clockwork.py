from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faristol.kernel.refusal import Refusal
from faristol.rules import load_ruleset
from faristol.rules.clockwork import (
    Activity,
    absence_loses_at_ms,
    lost_by_timeout,
    overtime_penalty,
    postponement_in_time,
    round_ms,
    runs,
    stops_both_clocks,
    thinking_ms,
    turn_ms,
)
from faristol.rules.ruleset.with_options import with_options

FISC = load_ruleset("fisc-2023")


@given(st.integers(0, 20 * 60_000))
def test_each_minute_of_overtime_or_part_of_one_costs_ten_up_to_a_hundred(over: int) -> None:
    begun = len(range(0, over, 60_000))
    assert overtime_penalty(over, FISC) == min(100, 10 * begun)


def test_without_a_cap_overtime_goes_on_costing() -> None:
    clock = dataclasses.replace(FISC.clock, overtime_cap_minutes=None)
    lateness = dataclasses.replace(FISC.lateness, loses_after_minutes=None, loses_with="arbiter")
    ruleset = dataclasses.replace(FISC, clock=clock, lateness=lateness)
    assert overtime_penalty(3_600_001, ruleset) == 610
    assert absence_loses_at_ms(ruleset) is None


def test_the_clock_runs_until_it_is_pressed_and_stops_for_what_the_book_names() -> None:
    assert all(runs(activity, FISC) for activity in Activity)
    still = dataclasses.replace(FISC.clock, runs_while_counting=False, runs_while_drawing=False, neutralised_by=())
    ruleset = dataclasses.replace(FISC, clock=still)
    assert [runs(activity, ruleset) for activity in Activity] == [True, False, False]
    assert stops_both_clocks("count-dispute", FISC)
    assert not stops_both_clocks("count-dispute", ruleset)


def test_time_does_not_run_back() -> None:
    with pytest.raises(ValueError, match="0 ms or more, not -1"):
        overtime_penalty(-1, FISC)


UF, FM, FISE, PES = (load_ruleset(name) for name in ("uf-2007", "festa-major", "fise", "pes-2024"))
MINUTE_MS = 60_000


@given(st.sampled_from(["uf-2007", "fise", "pes-2024"]), st.integers(0, 3_600_000))
def test_overtime_costs_ten_for_each_minute_begun_without_end_elsewhere(name: str, over: int) -> None:
    ruleset = load_ruleset(name)
    assert overtime_penalty(over, ruleset) == 10 * len(range(0, over, 60_000))


def test_overtime_is_counted_to_the_second() -> None:
    seconds = {0: 0, 1: 10, 60: 10, 61: 20, 120: 20, 121: 30}
    assert {second: overtime_penalty(second * 1000, PES) for second in seconds} == seconds


def test_a_clock_for_which_nobody_set_the_minutes_is_not_started() -> None:
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "OPTION_NEEDED"):
        thinking_ms(UF)
    assert thinking_ms(with_options(UF, {"minutes": 30})) == 30 * MINUTE_MS
    with pytest.raises(ValueError, match="no time for a whole game: its clock is per-turn"):
        thinking_ms(FM)


def test_a_clock_stops_in_each_book_for_what_it_names() -> None:
    books = {"UF": UF, "FISC": FISC, "FISE": FISE, "PES": PES}
    for reason, names in {
        "challenge": {"UF", "FISC", "FISE", "PES"},
        "count-dispute": {"UF", "FISC", "FISE", "PES"},
        "overdraw": {"UF", "FISE"},
        "arbiter-call": {"UF", "FISC", "FISE"},
        "force-majeure": {"FISC"},
        "correction": {"PES"},
    }.items():
        assert {name for name, book in books.items() if reason in book.clock.neutralised_by} == names


def test_running_and_non_running_time() -> None:
    stopped = with_options(FISE, {"time": "non-running"})
    for ruleset, expected in ((FISE, [True, True, True]), (stopped, [True, False, False]), (PES, [True, False, False])):
        assert [runs(activity, ruleset) for activity in Activity] == expected
    assert [thinking_ms(ruleset) for ruleset in (FISC, FISE, stopped)] == [
        25 * MINUTE_MS,
        30 * MINUTE_MS,
        25 * MINUTE_MS,
    ]
    assert stopped.turn.steps == ("place", "stop", "announce", "write", "draw", "press")


def test_two_minutes_for_a_turn_and_what_lies_then_counts_if_it_is_a_play() -> None:
    for ruleset in (FM, with_options(UF, {"clock": "timer"}), with_options(FISE, {"time": "timer"})):
        assert turn_ms(ruleset) == 2 * MINUTE_MS
        begun = ruleset.name != "fise"  # FISE 33 lets a play that was begun be finished
        assert [lost_by_timeout(laid, ruleset) for laid in (True, False, None)] == [False, begun, True]
    strict = with_options(FM, {"turn_timeout": "turn-lost"})
    assert lost_by_timeout(True, strict)
    assert turn_ms(FISC) is None
    with pytest.raises(ValueError, match="does not time turns"):
        lost_by_timeout(None, FISC)


def test_a_round_lasts_twice_a_clock_or_what_was_said_or_for_ever() -> None:
    assert round_ms(with_options(UF, {"minutes": 25})) == 50 * MINUTE_MS
    assert round_ms(with_options(UF, {"clock": "timer", "round_minutes": 70})) == 70 * MINUTE_MS
    assert round_ms(with_options(FISC, {"round_minutes": 60})) == 60 * MINUTE_MS
    assert round_ms(PES) is None


def test_who_is_absent_loses_by_the_limit_or_by_the_own_time() -> None:
    from_signal = with_options(PES, {"absent_after": "from-signal"})
    assert absence_loses_at_ms(FISC) == 15 * MINUTE_MS + 1  # over fifteen minutes, so not at their end
    assert [absence_loses_at_ms(ruleset) for ruleset in (PES, FISE)] == [30 * MINUTE_MS, 30 * MINUTE_MS]
    assert (absence_loses_at_ms(from_signal), absence_loses_at_ms(UF)) == (20 * MINUTE_MS, None)


def test_a_postponement_is_asked_two_hours_before() -> None:
    assert [postponement_in_time(minutes * MINUTE_MS, PES) for minutes in (119, 120)] == [False, True]
    assert not postponement_in_time(999 * MINUTE_MS, FISC)
