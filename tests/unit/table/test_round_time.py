"""The time of the round: the continuation that each book defines, or no such time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.table.clocks import (
    FISC,
    FISE,
    FM,
    MINUTE_NS,
    PES,
    UF,
    after,
    build_clock,
    complete_play,
    draw_tiles,
    interrupt_table,
    names,
    settle,
    start_table,
)

from faristol.kernel.refusal import Refusal
from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.rules import Ruleset
from faristol.rules.ruleset.with_options import with_options
from faristol.table import Table
from faristol.table.clock import Clock, fold
from faristol.table.deadlines import next_deadline
from faristol.table.decide import decide
from faristol.table.game.state import Game

HOUR_SECONDS = 3_600


def after_turns(number: int, ruleset: Ruleset) -> tuple[Game, Clock]:
    """Return a table whose players took this number of turns of 10 seconds."""
    game = start_table()
    clock = build_clock(game, ruleset)
    for turn in range(1, number + 1):
        game = draw_tiles(game, 10 * turn)
        clock = fold(
            clock, decide(Table(ruleset, game, clock), clock_pb2.PressRequest(player_id=game.mover), after(10 * turn))
        )
        game = complete_play(game, 10 * turn)
    return game, clock


def reset_used(clock: Clock, seconds: float) -> events.ClockCorrected:
    """Return the correction of the running clock to no used time."""
    before_ms = clock.used_at(clock.running, after(seconds))
    return events.ClockCorrected(player_id=clock.running, before_ms=before_ms, occurred_at=timestamp(after(seconds)))


@pytest.mark.parametrize(
    ("ruleset", "turns", "last"),
    [
        (FISC, 14, 18),  # in the starter's turn: the current round of turns, and one more (FISC I.11)
        (FISC, 15, 18),
        (FISE, 14, 14),  # no player has a missing turn (FISE 30)
        (FISE, 15, 16),
        (UF, 14, 14),  # scores stand (UF 27.4)
        (UF, 15, 15),
    ],
)
def test_the_turns_that_are_still_played_are_those_of_the_book(ruleset: Ruleset, turns: int, last: int) -> None:
    game, clock = after_turns(turns, ruleset)
    (expired,) = decide(
        Table(ruleset, game, clock), clock_pb2.ExpireRoundTimeRequest(arbiter_id="arbiter-1"), after(500)
    )
    assert isinstance(expired, events.RoundTimeExpired)
    assert (expired.turns_taken, expired.last_turn, expired.arbiter_id) == (turns, last, "arbiter-1")
    assert fold(clock, [expired]).played_out == (last == turns)


def test_a_round_with_a_length_ends_by_itself_at_its_moment() -> None:
    ruleset = with_options(FISC, {"round_minutes": 60})
    game, clock = after_turns(2, ruleset)
    clock = fold(clock, [reset_used(clock, HOUR_SECONDS - 60)])
    deadline = next_deadline(clock, game, ruleset)
    assert deadline is not None
    (expired,) = deadline.new_events
    assert isinstance(expired, events.RoundTimeExpired)
    assert (expired.occurred_at, expired.last_turn, expired.arbiter_id) == (timestamp(after(HOUR_SECONDS)), 6, "")


def test_under_uf_a_round_lasts_twice_the_clock_and_a_press_after_it_comes_too_late() -> None:
    game = start_table()
    clock = build_clock(game, UF)
    at = after(HOUR_SECONDS) + MINUTE_NS
    new_events = decide(Table(UF, draw_tiles(game, HOUR_SECONDS), clock), clock_pb2.PressRequest(player_id="biel"), at)
    assert names(new_events) == ["RoundTimeExpired"]
    clock = fold(clock, new_events)
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "GAME_OVER"):
        decide(Table(UF, draw_tiles(game, HOUR_SECONDS), clock), clock_pb2.PressRequest(player_id="biel"), at)


def test_a_press_that_ends_a_turn_still_played_goes_on_the_record_after_the_time_of_the_round() -> None:
    ruleset = with_options(FISC, {"round_minutes": 40})
    game = start_table()
    clock = build_clock(game, ruleset)
    clock = fold(clock, [reset_used(clock, 2_390)])
    new_events = decide(
        Table(ruleset, draw_tiles(game, 2_395), clock), clock_pb2.PressRequest(player_id="biel"), after(2_430)
    )
    assert names(new_events) == ["RoundTimeExpired", "ClockPressed"]
    assert fold(clock, new_events).last_turn == 4


def test_in_the_last_turns_under_fisc_two_minutes_are_all_that_a_turn_may_take() -> None:
    game, clock = after_turns(1, FISC)
    clock = fold(
        clock, decide(Table(FISC, game, clock), clock_pb2.ExpireRoundTimeRequest(arbiter_id="arbiter-1"), after(100))
    )
    deadline = next_deadline(clock, game, FISC)
    assert deadline is not None
    (over,) = deadline.new_events
    assert isinstance(over, events.TurnTimedOut)  # the turn that was begun has two minutes from then
    assert (over.turn, over.player_id, over.occurred_at) == (2, "anna", timestamp(after(220)))
    clock = fold(
        clock, decide(Table(FISC, draw_tiles(game, 219), clock), clock_pb2.PressRequest(player_id="anna"), after(219))
    )
    game = complete_play(draw_tiles(game, 219), 219)
    deadline = next_deadline(clock, game, FISC)
    assert deadline is not None
    assert deadline.due == after(339) + 1
    assert names(
        decide(Table(FISC, draw_tiles(game, 338), clock), clock_pb2.PressRequest(player_id="biel"), after(400))
    ) == ["ClockPressed"]
    assert names(decide(Table(FISC, game, clock), clock_pb2.PressRequest(player_id="biel"), after(400))) == [
        "TurnTimedOut"
    ]


@pytest.mark.parametrize("ruleset", [PES, FM])
def test_where_the_book_knows_no_time_of_a_round_nobody_ends_a_game_by_it(ruleset: Ruleset) -> None:
    game = start_table()
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NO_ROUND_TIME"):
        decide(
            Table(ruleset, game, build_clock(game, ruleset)),
            clock_pb2.ExpireRoundTimeRequest(arbiter_id="arbiter-1"),
            after(500),
        )


def test_the_time_of_a_round_is_over_once() -> None:
    game, clock = after_turns(2, FISC)
    clock = fold(
        clock, decide(Table(FISC, game, clock), clock_pb2.ExpireRoundTimeRequest(arbiter_id="arbiter-1"), after(100))
    )
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "ROUND_TIME_OVER"):
        decide(Table(FISC, game, clock), clock_pb2.ExpireRoundTimeRequest(arbiter_id="arbiter-1"), after(101))
    assert settle(clock, game, FISC) == []


def test_the_time_of_a_round_waits_for_challenges_where_it_does_not_run_meanwhile() -> None:
    waits = replace(UF, round_time=replace(UF.round_time, runs_while_challenged=False))
    game = interrupt_table(draw_tiles(start_table(), 10), "challenge", 20, 50)
    lasting = interrupt_table(draw_tiles(start_table(), 10), "challenge", 20)
    over = {}
    for ruleset in (UF, waits):
        clock = build_clock(game, ruleset)
        found = next_deadline(clock, game, ruleset)
        assert found is not None
        assert isinstance(found.new_events[0], events.RoundTimeExpired)
        over[ruleset.round_time.runs_while_challenged] = found.due
    assert over[False] - over[True] == 30 * 1_000_000_000
    assert next_deadline(build_clock(lasting, waits), lasting, waits) is None
    assert next_deadline(build_clock(lasting, UF), lasting, UF) is not None
