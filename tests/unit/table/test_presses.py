"""The law of the clock: FISC I.11, and what it owes to I.5, I.8 and I.10."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.table.clocks import names, settle, written

from faristol.kernel.errors import Invalid
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import Instant, timestamp
from faristol.pb.clock.v1 import clock_pb2, events_pb2
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules.ruleset.file import load_ruleset
from faristol.table import Table
from faristol.table.clock import Clock, fold
from faristol.table.decide import decide
from faristol.table.game.evolution import evolve as evolve_game
from faristol.table.game.state import Game, Phase

FISC = load_ruleset("fisc-2023")
START = 1_700_000_000_000_000_000
SECOND = 1_000_000_000
MINUTE = 60 * SECOND

STARTED = Game(
    game_id="cup-r1-t1",
    tournament_id="cup",
    player_ids=("anna", "biel"),
    ruleset=Pin("fisc-2023", FISC.digest),
    starter="biel",
    started_at=START,
    phase=Phase.TURN,
    turn=1,
    mover="biel",
    bag_left=86,
    racks={"anna": ("A",) * 7, "biel": ("E",) * 7},
    scores={"anna": 0, "biel": 0},
    last_at=START,
)


def running(game: Game = STARTED) -> Clock:
    return fold(Clock(), settle(Clock(), game, FISC))


def drawn(at: Instant, game: Game = STARTED) -> Game:
    return replace(game, phase=Phase.DRAWN, last_at=at)


def challenged(at: Instant, *, ruled_at: Instant | None = None, valid: bool = True) -> Game:
    facts: list[Message] = [
        game_events.PlayPlaced(turn=1, player_id="biel", occurred_at=timestamp(at)),
        game_events.ChallengeRaised(turn=1, challenge=1, player_id="anna", occurred_at=timestamp(at)),
    ]
    if ruled_at:
        ruled = timestamp(ruled_at)
        facts.append(game_events.ChallengeRuled(turn=1, challenge=1, valid=valid, occurred_at=ruled))
        if not valid:
            facts.append(game_events.PlayWithdrawn(turn=1, player_id="biel", occurred_at=ruled))
    return reduce(evolve_game, facts, STARTED)


def ended(at: Instant, game: Game = STARTED) -> Game:
    return evolve_game(game, game_events.GameEnded(occurred_at=timestamp(at)))


def refusal(clock: Clock, game: Game, player_id: str, at: Instant) -> Refusal:
    with pytest.raises(Refusal) as caught:
        decide(Table(FISC, game, clock), clock_pb2.PressRequest(player_id=player_id), at)
    return caught.value


def test_the_first_players_clock_runs_from_the_start_of_the_game() -> None:
    opened, started = settle(Clock(), STARTED, FISC)
    assert opened == events_pb2.ClockOpened(
        game_id="cup-r1-t1",
        tournament_id="cup",
        player_ids=["anna", "biel"],
        allowance_ms=25 * 60_000,
        overtime_cap_ms=10 * 60_000,
        occurred_at=timestamp(START),
    )
    assert started == events_pb2.ClockStarted(player_id="biel", occurred_at=timestamp(START))


def test_no_clock_stands_at_a_table_whose_racks_are_not_filled() -> None:
    assert settle(Clock(), Game(game_id="cup-r1-t1", player_ids=("anna", "biel")), FISC) == []


def test_a_press_stops_the_mover_and_starts_the_opponent() -> None:
    at = START + 90 * SECOND
    (pressed,) = decide(Table(FISC, drawn(at), running()), clock_pb2.PressRequest(player_id="biel"), at)
    assert pressed == events_pb2.ClockPressed(
        player_id="biel", turn=1, used_ms=90_000, occurred_at=timestamp(at), next_player_id="anna"
    )
    clock = fold(running(), [pressed])
    assert (clock.running, clock.running_since, clock.compute_used_ms("biel")) == ("anna", at, 90_000)


def test_a_press_with_an_empty_bag_needs_no_draw() -> None:
    game = replace(STARTED, phase=Phase.PLACED, bag_left=0)
    (pressed,) = decide(Table(FISC, game, running()), clock_pb2.PressRequest(player_id="biel"), START + SECOND)
    assert isinstance(pressed, events_pb2.ClockPressed)


def test_a_press_before_the_rack_is_refilled_is_refused() -> None:
    game = replace(STARTED, phase=Phase.PLACED, bag_left=3)
    refused = refusal(running(), game, "biel", START + SECOND)
    assert (refused.reason, refused.article) == ("RACK_NOT_REFILLED", "FISC I.11")
    assert "3 tiles" in str(refused)


def test_a_press_before_the_turn_is_taken_is_refused() -> None:
    refused = refusal(running(), STARTED, "biel", START + SECOND)
    assert (refused.reason, refused.article) == ("TURN_NOT_TAKEN", "FISC I.11")


def test_the_opponent_does_not_press_the_movers_clock() -> None:
    refused = refusal(running(), drawn(START), "anna", START + SECOND)
    assert (refused.reason, refused.article) == ("NOT_YOUR_CLOCK", "FISC I.11")


def test_a_turn_is_completed_by_one_press_even_if_the_game_has_not_heard_of_it() -> None:
    at = START + SECOND
    clock = fold(running(), decide(Table(FISC, drawn(at), running()), clock_pb2.PressRequest(player_id="biel"), at))
    assert refusal(clock, drawn(at), "biel", at + SECOND).reason == "NOT_YOUR_CLOCK"
    assert refusal(clock, drawn(at), "anna", at + SECOND).reason == "TURN_NOT_TAKEN"


def test_who_is_not_at_the_table_is_refused() -> None:
    refused = refusal(running(), drawn(START), "carla", START + SECOND)
    assert refused.reason == "NOT_AT_TABLE"
    assert refused.article
    assert "carla" in str(refused)


def test_a_press_before_the_start_is_refused() -> None:
    game = Game(game_id="cup-r1-t1", player_ids=("anna", "biel"))
    refused = refusal(Clock(), game, "biel", START)
    assert (refused.reason, refused.article) == ("NOT_STARTED", "FISC I.5")


def test_time_does_not_run_back_and_the_error_says_both_times() -> None:
    with pytest.raises(Invalid) as caught:
        decide(
            Table(FISC, drawn(START + 2 * SECOND), running()), clock_pb2.PressRequest(player_id="biel"), START + SECOND
        )
    assert "2023-11-14T22:13:21.000Z" in str(caught.value)
    assert "2023-11-14T22:13:22.000Z" in str(caught.value)


def test_neither_clock_runs_from_a_challenge_to_its_ruling() -> None:
    (neutralised,) = settle(running(), challenged(START + MINUTE), FISC)
    assert neutralised == events_pb2.ClockNeutralised(
        player_id="biel",
        reason=events_pb2.NEUTRALISATION_REASON_CHALLENGE,
        used_ms=60_000,
        occurred_at=timestamp(START + MINUTE),
        challenge=1,
        interruption=1,
    )
    clock = fold(running(), [neutralised])
    assert (clock.running, clock.neutralised) == ("", True)
    assert clock.used_at("biel", START + 9 * MINUTE) == 60_000
    refused = refusal(clock, challenged(START + MINUTE), "biel", START + 2 * MINUTE)
    assert (refused.reason, refused.article) == ("CLOCK_NEUTRALISED", "FISC I.11")


@pytest.mark.parametrize(("valid", "resumes"), [(True, "biel"), (False, "anna")])
def test_the_mover_resumes_when_the_play_stands_and_is_written_and_else_the_opponent(valid: bool, resumes: str) -> None:
    game = challenged(START + MINUTE, ruled_at=START + 2 * MINUTE if valid else START + 3 * MINUTE, valid=valid)
    if valid:
        assert names(settle(running(), game, FISC)) == ["ClockNeutralised"]
        game = written(game, 180, "biel")
    neutralised, resumed = settle(running(), game, FISC)
    assert resumed == events_pb2.ClockResumed(
        player_id=resumes, occurred_at=timestamp(START + 3 * MINUTE), turn=1 if valid else 2
    )
    clock = fold(running(), [neutralised, resumed])
    assert clock.used_at("biel", START + 4 * MINUTE) == (120_000 if valid else 60_000)
    assert clock.used_at("anna", START + 4 * MINUTE) == (0 if valid else 60_000)


def test_the_clock_stops_with_the_game_and_says_both_times() -> None:
    game = ended(START + 26 * MINUTE)
    (stopped,) = settle(running(), game, FISC)
    assert stopped == events_pb2.ClockStopped(
        times=[
            events_pb2.SideTime(player_id="anna"),
            events_pb2.SideTime(player_id="biel", used_ms=26 * 60_000, overtime_ms=60_000),
        ],
        occurred_at=timestamp(START + 26 * MINUTE),
    )


def test_time_beyond_the_cap_is_said_even_when_the_game_ended_otherwise() -> None:
    game = ended(START + 36 * MINUTE)
    exceeded, stopped = settle(running(), game, FISC)
    assert isinstance(exceeded, events_pb2.OvertimeCapExceeded)
    assert isinstance(stopped, events_pb2.ClockStopped)
    assert [side.overtime_ms for side in stopped.times] == [0, 10 * 60_000]


def test_a_stopped_clock_is_not_pressed() -> None:
    game = ended(START + MINUTE)
    clock = fold(Clock(), settle(Clock(), game, FISC))
    refused = refusal(clock, game, "biel", START + 2 * MINUTE)
    assert (refused.reason, refused.article) == ("GAME_OVER", "FISC I.8")


def test_the_cap_may_be_used_to_its_last_millisecond() -> None:
    at = START + 35 * MINUTE
    (pressed,) = decide(Table(FISC, drawn(at), running()), clock_pb2.PressRequest(player_id="biel"), at)
    assert pressed == events_pb2.ClockPressed(
        player_id="biel", turn=1, used_ms=35 * 60_000, occurred_at=timestamp(at), next_player_id="anna"
    )


@given(st.integers(0, 20 * 60_000))
def test_overtime_ends_the_game_beyond_the_cap_and_not_before(over_ms: int) -> None:
    at = START + 25 * MINUTE + over_ms * 1_000_000
    (fact,) = decide(Table(FISC, drawn(at), running()), clock_pb2.PressRequest(player_id="biel"), at)
    assert isinstance(fact, events_pb2.OvertimeCapExceeded) == (over_ms > 10 * 60_000)


@pytest.mark.parametrize("player_id", ["biel", "anna"])
def test_overtime_beyond_the_cap_is_recorded_instead_of_the_press_whoever_presses(player_id: str) -> None:
    at = START + 35 * MINUTE + 1_000_000
    (exceeded,) = decide(Table(FISC, drawn(at), running()), clock_pb2.PressRequest(player_id=player_id), at)
    assert exceeded == events_pb2.OvertimeCapExceeded(
        player_id="biel", overtime_ms=10 * 60_000, occurred_at=timestamp(START + 35 * MINUTE)
    )
    clock = fold(running(), [exceeded])
    assert (clock.running, clock.compute_used_ms("biel")) == ("", 35 * 60_000)
    assert refusal(clock, drawn(at), "biel", at + SECOND).reason == "GAME_OVER"


def test_no_cap_is_recorded_while_the_game_has_not_taken_up_the_last_press_which_may_have_ended_it() -> None:
    game = drawn(START + MINUTE)
    clock = fold(
        running(), decide(Table(FISC, game, running()), clock_pb2.PressRequest(player_id="biel"), START + MINUTE)
    )
    for player_id in ("anna", "biel"):
        late = refusal(clock, game, player_id, START + 60 * MINUTE)
        assert late.reason in {"TURN_NOT_TAKEN", "NOT_YOUR_CLOCK"}


def test_who_is_over_the_cap_cannot_be_challenged_into_more_time() -> None:
    (exceeded,) = settle(running(), challenged(START + 36 * MINUTE, ruled_at=START + 36 * MINUTE), FISC)
    assert exceeded == events_pb2.OvertimeCapExceeded(
        player_id="biel", overtime_ms=10 * 60_000, occurred_at=timestamp(START + 35 * MINUTE)
    )


def test_the_clock_stops_after_the_cap_with_the_times_up_to_the_cap() -> None:
    at = START + 40 * MINUTE
    clock = fold(running(), decide(Table(FISC, drawn(at), running()), clock_pb2.PressRequest(player_id="biel"), at))
    game = ended(START + 35 * MINUTE, drawn(at))
    (stopped,) = settle(clock, game, FISC)
    assert isinstance(stopped, events_pb2.ClockStopped)
    assert [(side.player_id, side.used_ms, side.overtime_ms) for side in stopped.times] == [
        ("anna", 0, 0),
        ("biel", 35 * 60_000, 10 * 60_000),
    ]


def test_a_ruleset_without_a_cap_lets_overtime_run() -> None:
    uncapped = replace(FISC, clock=replace(FISC.clock, overtime_cap_minutes=None))
    clock = fold(Clock(), settle(Clock(), STARTED, uncapped))
    at = START + 300 * MINUTE
    (pressed,) = decide(Table(uncapped, drawn(at), clock), clock_pb2.PressRequest(player_id="biel"), at)
    assert isinstance(pressed, events_pb2.ClockPressed)


def test_allowance_and_cap_are_those_of_the_ruleset() -> None:
    quick = replace(FISC, clock=replace(FISC.clock, minutes=15, overtime_cap_minutes=5))
    clock = fold(Clock(), settle(Clock(), STARTED, quick))
    assert (clock.allowance_ms, clock.overtime_cap_ms) == (15 * 60_000, 5 * 60_000)
