"""The reasons to stop all clocks, and the clock that runs afterwards, by book."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
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
    complete_play,
    draw_tiles,
    end_game,
    evolve_table,
    interrupt_table,
    names,
    place_play,
    settle,
    start_table,
)

from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules import Ruleset, load_ruleset
from faristol.rules.ruleset.sections import Neutraliser
from faristol.table import Table
from faristol.table.clock import Clock, fold
from faristol.table.decide import decide
from faristol.table.game.evolution import evolve as evolve_game
from faristol.table.game.state import Game
from faristol.table.settlement.clock import REASONS

STOPS: dict[str, set[Neutraliser]] = {
    "UF 20": {"challenge", "count-dispute", "overdraw", "arbiter-call"},
    "FISC I.11": {"challenge", "count-dispute", "arbiter-call", "force-majeure"},
    "FISE 34": {"challenge", "count-dispute", "overdraw", "arbiter-call"},
    "PES Δ.δ.i": {"challenge", "count-dispute", "correction"},
    "FM": {"challenge"},
}
BOOKS = {"UF 20": UF, "FISC I.11": FISC, "FISE 34": FISE, "PES Δ.δ.i": PES, "FM": FM}


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("reason", get_args(Neutraliser))
def test_a_clock_stands_for_what_its_book_names_and_for_nothing_else(book: str, reason: Neutraliser) -> None:
    ruleset, game = BOOKS[book], start_table()
    clock = build_clock(game, ruleset)
    halted = build_clock(interrupt_table(game, reason, 10), ruleset, clock)
    resumed = build_clock(interrupt_table(game, reason, 10, until=40), ruleset, clock)
    if reason in STOPS[book]:
        assert (halted.running, halted.reason) == ("", REASONS[reason])
        assert (resumed.running, resumed.neutralised) == ("biel", False)
        assert resumed.used_at("biel", after(50)) == 20_000
    else:
        assert halted == resumed == clock
        assert resumed.used_at("biel", after(50)) == 50_000


def test_every_reason_of_the_rules_has_a_word_in_the_contract() -> None:
    assert set(REASONS) == set(get_args(Neutraliser))
    assert len(set(REASONS.values())) == len(events.NeutralisationReason.values()) - 1


def test_a_clock_goes_on_when_the_last_of_several_interruptions_is_over() -> None:
    game = interrupt_table(interrupt_table(start_table(), "count-dispute", 10), "arbiter-call", 20, until=30)
    clock = build_clock(game, FISC)
    assert (clock.neutralised, clock.running, clock.compute_used_ms("biel")) == (True, "", 10_000)


@pytest.mark.parametrize("at_once", [True, False])
def test_it_does_not_matter_when_the_clock_hears_of_interruptions_that_overlap(at_once: bool) -> None:
    new_events = [
        game_events.PlayPlaced(turn=1, player_id="biel", occurred_at=timestamp(after(5))),
        game_events.ChallengeRaised(turn=1, challenge=1, player_id="anna", occurred_at=timestamp(after(10))),
        game_events.ChallengeRuled(turn=1, challenge=1, valid=False, occurred_at=timestamp(after(40))),
        game_events.PlayWithdrawn(turn=1, player_id="biel", occurred_at=timestamp(after(40))),
    ]
    game, clock = start_table(), build_clock(start_table(), FISC)
    for event in new_events:
        game = evolve_game(game, event)
        clock = build_clock(game, FISC, clock) if at_once else clock
    clock = build_clock(game, FISC, clock)
    assert (clock.running, clock.turn, clock.compute_used_ms("biel"), clock.running_since) == (
        "anna",
        2,
        10_000,
        after(40),
    )
    assert settle(clock, game, FISC) == []


@pytest.mark.parametrize("ruleset", [PES, NON_RUNNING])
def test_where_the_mover_stops_the_clock_a_play_that_stands_leaves_it_standing(ruleset: Ruleset) -> None:
    game = place_play(start_table(), 5)
    clock = build_clock(game, ruleset)
    clock = fold(clock, [events.ClockHeldByMover(player_id="biel", turn=1, used_ms=6_000, occurred_at=_at(6))])
    challenged = interrupt_table(game, "challenge", 8, until=60)
    neutralised, resumed = settle(clock, challenged, ruleset)
    assert isinstance(neutralised, events.ClockNeutralised)
    assert neutralised.player_id == ""
    assert resumed == events.ClockResumed(player_id="", turn=1, occurred_at=_at(60))
    clock = fold(clock, [neutralised, resumed])
    assert (clock.held, clock.running, clock.used_at("biel", after(90))) == (True, "", 6_000)


def test_a_play_withdrawn_starts_the_next_clock_whoever_held_the_own() -> None:
    game = place_play(start_table(), 5)
    clock = fold(
        build_clock(game, PES), [events.ClockHeldByMover(player_id="biel", turn=1, used_ms=6_000, occurred_at=_at(6))]
    )
    game = evolve_table(
        game,
        game_events.ChallengeRaised(turn=1, challenge=1, player_id="anna", occurred_at=_at(8)),
        game_events.ChallengeRuled(turn=1, challenge=1, valid=False, occurred_at=_at(60)),
        game_events.PlayWithdrawn(turn=1, player_id="biel", occurred_at=_at(60)),
    )
    clock = build_clock(game, PES, clock)
    assert (clock.held, clock.running, clock.turn) == (False, "anna", 2)
    assert (clock.used_at("biel", after(90)), clock.used_at("anna", after(90))) == (6_000, 30_000)


def test_where_turns_are_timed_the_timer_stops_with_the_play() -> None:
    game = place_play(start_table(), 119)
    opened, _, held = settle(Clock(), game, TIMER)
    assert isinstance(opened, events.ClockOpened)
    assert (opened.allowance_ms, opened.turn_ms) == (0, 120_000)
    assert held == events.ClockHeldByMover(player_id="biel", turn=1, used_ms=119_000, occurred_at=_at(119))
    clock = fold(
        build_clock(game, TIMER),
        decide(
            Table(TIMER, draw_tiles(game, 400), build_clock(game, TIMER)),
            clock_pb2.PressRequest(player_id="biel"),
            after(400),
        ),
    )
    assert (clock.running, clock.turn_used_ms, clock.times()[1].overtime_ms) == ("anna", 0, 0)


@pytest.mark.parametrize(("seconds", "in_time"), [(120, True), (120.001, False)])
def test_a_play_at_the_last_moment_of_a_turn_is_in_time_and_one_after_it_is_not(seconds: float, in_time: bool) -> None:
    new_events = settle(Clock(), place_play(start_table(), seconds), TIMER)
    assert names(new_events)[2:] == (["ClockHeldByMover"] if in_time else ["TurnTimedOut"])


def test_a_turn_that_timed_out_stops_the_clock_until_the_game_has_passed_it() -> None:
    late = place_play(start_table(), 130)
    clock = build_clock(late, TIMER)
    assert (clock.timed_out_turn, clock.running, clock.compute_used_ms("biel"), clock.last_at) == (
        1,
        "",
        120_000,
        after(120),
    )
    clock = build_clock(complete_play(late, 130), TIMER, clock)
    assert (clock.running, clock.mover, clock.turn, clock.running_since) == ("anna", "anna", 2, after(130))


def test_without_a_press_the_clock_goes_round_the_table_with_the_turns() -> None:
    game = start_table(("anna", "biel", "carla"), first="biel")
    clock, seen_running = build_clock(game, FM), []
    for second in (10, 30, 60, 100):
        game = complete_play(place_play(game, second), second)
        clock = build_clock(game, FM, clock)
        seen_running.append(clock.running)
    assert seen_running == ["carla", "anna", "biel", "carla"]
    assert clock.used_ms == (30_000, 50_000, 20_000)


def test_a_turn_that_passes_while_the_clock_stands_leaves_it_standing() -> None:
    game = interrupt_table(place_play(start_table(), 5), "arbiter-call", 10)
    game = complete_play(game, 20)
    clock = build_clock(game, FISC)
    assert (clock.running, clock.mover, clock.turn, clock.neutralised) == ("", "anna", 2, True)
    assert clock.compute_used_ms("biel") == 10_000


def test_a_game_without_a_clock_has_none() -> None:
    assert settle(Clock(), end_game(place_play(start_table(), 5), 9), load_ruleset("box")) == []


def test_a_clock_stops_with_its_game_even_while_it_is_neutralised() -> None:
    game = end_game(interrupt_table(start_table(), "arbiter-call", 10), 20)
    new_events = settle(build_clock(start_table(), FISC), game, FISC)
    assert names(new_events) == ["ClockNeutralised", "ClockStopped"]
    clock = fold(build_clock(start_table(), FISC), new_events)
    assert (clock.stopped, clock.neutralised, clock.compute_used_ms("biel")) == (True, False, 10_000)


def _at(seconds: float) -> Timestamp:
    return timestamp(after(seconds))


def going_out() -> Game:
    """Return a table whose mover has laid the last tiles, after 20 seconds."""
    game = replace(start_table(), bag_left=0, racks={"anna": ("A",) * 3, "biel": ("E",) * 2})
    two = [game_events.Placement(row=7, column=column, face="E") for column in (7, 8)]
    return evolve_table(game, game_events.PlayPlaced(turn=1, player_id="biel", placements=two, occurred_at=_at(20)))


def write_score(game: Game, seconds: float) -> Game:
    return evolve_table(game, game_events.ScoreWritten(turn=1, player_id="biel", occurred_at=_at(seconds)))


@pytest.mark.parametrize(("ruleset", "stops_at"), [(PES, 20), (FISC, 30), (UF, 30), (FISE, 30)])
def test_the_last_play_of_a_game_stops_the_clock_when_the_book_says(ruleset: Ruleset, stops_at: int) -> None:
    clock = build_clock(start_table(), ruleset)
    game = write_score(going_out(), 30)
    (held,) = settle(clock, game, ruleset)
    assert held == events.ClockHeldByMover(
        player_id="biel", turn=1, used_ms=stops_at * 1_000, occurred_at=_at(stops_at)
    )
    assert settle(fold(clock, [held]), game, ruleset) == []


def test_a_last_play_that_is_withdrawn_lets_the_game_and_the_next_clock_go_on() -> None:
    clock = build_clock(going_out(), PES)
    game = evolve_table(
        going_out(),
        game_events.ChallengeRaised(turn=1, challenge=1, player_id="anna", occurred_at=_at(25)),
        game_events.ChallengeRuled(turn=1, challenge=1, valid=False, occurred_at=_at(60)),
        game_events.PlayWithdrawn(turn=1, player_id="biel", occurred_at=_at(60)),
    )
    clock = build_clock(game, PES, clock)
    assert (clock.running, clock.compute_used_ms("biel"), len(game.racks["biel"])) == ("anna", 20_000, 2)


def test_a_play_that_is_not_the_last_lets_the_clock_run() -> None:
    game = write_score(place_play(start_table(), 20), 30)
    assert settle(build_clock(start_table(), FISC), game, FISC) == []
    assert settle(build_clock(start_table(), PES), game, PES) == []


def test_a_clock_paused_while_a_count_is_checked_goes_on_when_the_score_is_written() -> None:
    game = write_score(place_play(start_table(), 20), 21)  # the mover has written before the other has checked
    clock = build_clock(game, FISE)
    clock = fold(clock, decide(Table(FISE, game, clock), clock_pb2.StopRequest(player_id="biel"), after(26)))
    assert settle(clock, game, FISE) == []
    (resumed,) = settle(clock, write_score(game, 50), FISE)
    assert resumed == events.ClockResumed(player_id="biel", turn=1, occurred_at=_at(50))
    assert fold(clock, [resumed]).used_at("biel", after(60)) == 36_000


def test_what_lets_the_time_of_a_turn_run_says_when_it_is_over() -> None:
    _, begun = settle(Clock(), start_table(), TIMER)
    assert isinstance(begun, events.ClockStarted)
    assert begun.turn_until == _at(120)
    clock = build_clock(start_table(), TIMER)
    _, resumed = settle(clock, interrupt_table(start_table(), "challenge", 30, until=90), TIMER)
    assert isinstance(resumed, events.ClockResumed)
    assert resumed.turn_until == _at(180)
    _, begun = settle(Clock(), start_table(), FISC)
    assert isinstance(begun, events.ClockStarted)
    assert not begun.HasField("turn_until")
