"""The stop of the clock after the move: under PES and FISE's non-running time, not under the other books."""

from __future__ import annotations

import pytest
from tests.unit.table.clocks import (
    FISC,
    FISE,
    FM,
    NON_RUNNING,
    PES,
    TIMER,
    UF,
    after,
    build_clock,
    draw_tiles,
    names,
    place_play,
    start_table,
)

from faristol.kernel.refusal import Refusal
from faristol.pb.clock.v1 import clock_pb2
from faristol.rules import Ruleset
from faristol.table import Table
from faristol.table.clock import fold
from faristol.table.decide import decide

STOPPING = [PES, NON_RUNNING]


@pytest.mark.parametrize("ruleset", STOPPING)
def test_from_the_stop_to_the_press_nobody_uses_time(ruleset: Ruleset) -> None:
    game = place_play(start_table(), 30)
    clock = build_clock(game, ruleset)
    clock = fold(clock, decide(Table(ruleset, game, clock), clock_pb2.StopRequest(player_id="biel"), after(31)))
    assert (clock.held, clock.used_at("biel", after(500))) == (True, 31_000)
    clock = fold(
        clock, decide(Table(ruleset, draw_tiles(game, 50), clock), clock_pb2.PressRequest(player_id="biel"), after(60))
    )
    assert (clock.held, clock.running, clock.used_at("biel", after(90)), clock.used_at("anna", after(90))) == (
        False,
        "anna",
        31_000,
        30_000,
    )


def test_a_pass_stops_the_own_clock_and_starts_the_other_in_one() -> None:
    game = draw_tiles(start_table(), 30)
    clock = build_clock(game, PES)
    clock = fold(clock, decide(Table(PES, game, clock), clock_pb2.PressRequest(player_id="biel"), after(31)))
    assert (clock.running, clock.compute_used_ms("biel")) == ("anna", 31_000)


@pytest.mark.parametrize(("ruleset", "article"), [(FISC, "FISC I.11"), (UF, "UF 19"), (FM, "")])
def test_where_the_clock_runs_until_it_is_pressed_nobody_stops_it(ruleset: Ruleset, article: str) -> None:
    game = place_play(start_table(), 30)
    with pytest.raises(Refusal) as caught:
        decide(Table(ruleset, game, build_clock(game, ruleset)), clock_pb2.StopRequest(player_id="biel"), after(31))
    assert (caught.value.reason, caught.value.article) == ("RUNS_UNTIL_PRESSED", article)


@pytest.mark.parametrize(("seconds", "may"), [(35, False), (35.001, True)])
def test_in_running_time_the_clock_may_be_paused_for_a_check_of_over_five_seconds(seconds: float, may: bool) -> None:
    game = place_play(start_table(), 30)
    clock = build_clock(game, FISE)
    if may:
        assert fold(
            clock, decide(Table(FISE, game, clock), clock_pb2.StopRequest(player_id="biel"), after(seconds))
        ).held
        return
    with pytest.raises(Refusal) as caught:
        decide(Table(FISE, game, clock), clock_pb2.StopRequest(player_id="biel"), after(seconds))
    assert (caught.value.reason, caught.value.article) == ("VERIFICATION_TOO_SHORT", "FISE 32.1")


def test_only_the_mover_stops_and_only_after_the_move_and_once() -> None:
    thinking, game = start_table(), place_play(start_table(), 30)
    clock = build_clock(game, PES)
    held = fold(clock, decide(Table(PES, game, clock), clock_pb2.StopRequest(player_id="biel"), after(31)))
    refused = []
    for state, at_table, player in (
        (clock, game, "anna"),
        (clock, game, "carla"),
        (clock, thinking, "biel"),
        (held, game, "biel"),
    ):
        with pytest.raises(Refusal) as caught:
            decide(Table(PES, at_table, state), clock_pb2.StopRequest(player_id=player), after(40))
        refused.append(caught.value.reason)
    assert refused == ["NOT_YOUR_CLOCK", "NOT_AT_TABLE", "TURN_NOT_TAKEN", "STOPPED_ALREADY"]


def test_no_clock_is_pressed_where_a_turn_needs_no_press() -> None:
    game = draw_tiles(start_table(), 30)
    with pytest.raises(Refusal, check=lambda refusal: (refusal.reason, refusal.article) == ("NO_PRESS", "FM 1")):
        decide(Table(FM, game, build_clock(game, FM)), clock_pb2.PressRequest(player_id="biel"), after(31))


def test_a_press_after_the_time_of_the_turn_records_that_it_was_over_and_the_next_is_refused() -> None:
    game = start_table()
    clock = build_clock(game, TIMER)
    late = decide(Table(TIMER, game, clock), clock_pb2.PressRequest(player_id="biel"), after(130))
    assert names(late) == ["TurnTimedOut"]
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "TURN_TIMED_OUT"):
        decide(Table(TIMER, game, fold(clock, late)), clock_pb2.PressRequest(player_id="biel"), after(131))


def test_a_play_that_was_begun_in_time_is_pressed_after_it() -> None:
    game = start_table()
    clock = build_clock(game, TIMER)
    clock = fold(clock, decide(Table(TIMER, game, clock), clock_pb2.PressRequest(player_id="biel"), after(130)))
    finished = draw_tiles(game, 140)  # the game lets it be finished (FISE 33)
    clock = fold(clock, decide(Table(TIMER, finished, clock), clock_pb2.PressRequest(player_id="biel"), after(150)))
    assert (clock.running, clock.turn, clock.compute_used_ms("biel")) == ("anna", 2, 120_000)


def test_whoever_plays_there_says_that_a_time_is_over_and_nobody_before_it_is() -> None:
    game = start_table()
    clock = build_clock(game, FM)
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NO_TIME_OVER"):
        decide(Table(FM, game, clock), clock_pb2.ClaimTimeRequest(player_id="anna"), after(120))
    assert names(decide(Table(FM, game, clock), clock_pb2.ClaimTimeRequest(player_id="anna"), after(121))) == [
        "TurnTimedOut"
    ]
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NOT_AT_TABLE"):
        decide(Table(FM, game, clock), clock_pb2.ClaimTimeRequest(player_id="carla"), after(121))
