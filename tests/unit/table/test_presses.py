"""The rules of the clock: FISC I.11, and their relation to I.5, I.8 and I.10."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import pytest
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.table.clocks import names, settle, write_scores

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
START_NS = 1_700_000_000_000_000_000
SECOND_NS = 1_000_000_000
MINUTE_NS = 60 * SECOND_NS

STARTED = Game(
    game_id="cup-r1-t1",
    tournament_id="cup",
    player_ids=("anna", "biel"),
    ruleset=Pin("fisc-2023", FISC.digest),
    starter="biel",
    started_at=START_NS,
    phase=Phase.TURN,
    turn=1,
    mover="biel",
    bag_left=86,
    racks={"anna": ("A",) * 7, "biel": ("E",) * 7},
    scores={"anna": 0, "biel": 0},
    last_at=START_NS,
)


def running(game: Game = STARTED) -> Clock:
    return fold(Clock(), settle(Clock(), game, FISC))


def draw_tiles(at: Instant, game: Game = STARTED) -> Game:
    return replace(game, phase=Phase.DRAWN, last_at=at)


def challenge_play(at: Instant, *, ruled_at: Instant | None = None, valid: bool = True) -> Game:
    new_events: list[Message] = [
        game_events.PlayPlaced(turn=1, player_id="biel", occurred_at=timestamp(at)),
        game_events.ChallengeRaised(turn=1, challenge=1, player_id="anna", occurred_at=timestamp(at)),
    ]
    if ruled_at:
        ruled = timestamp(ruled_at)
        new_events.append(game_events.ChallengeRuled(turn=1, challenge=1, valid=valid, occurred_at=ruled))
        if not valid:
            new_events.append(game_events.PlayWithdrawn(turn=1, player_id="biel", occurred_at=ruled))
    return reduce(evolve_game, new_events, STARTED)


def end_game(at: Instant, game: Game = STARTED) -> Game:
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
        occurred_at=timestamp(START_NS),
    )
    assert started == events_pb2.ClockStarted(player_id="biel", occurred_at=timestamp(START_NS))


def test_no_clock_stands_at_a_table_whose_racks_are_not_filled() -> None:
    assert settle(Clock(), Game(game_id="cup-r1-t1", player_ids=("anna", "biel")), FISC) == []


def test_a_press_stops_the_mover_and_starts_the_opponent() -> None:
    at = START_NS + 90 * SECOND_NS
    (pressed,) = decide(Table(FISC, draw_tiles(at), running()), clock_pb2.PressRequest(player_id="biel"), at)
    assert pressed == events_pb2.ClockPressed(
        player_id="biel", turn=1, used_ms=90_000, occurred_at=timestamp(at), next_player_id="anna"
    )
    clock = fold(running(), [pressed])
    assert (clock.running, clock.running_since, clock.compute_used_ms("biel")) == ("anna", at, 90_000)


def test_a_press_with_an_empty_bag_needs_no_draw() -> None:
    game = replace(STARTED, phase=Phase.PLACED, bag_left=0)
    (pressed,) = decide(Table(FISC, game, running()), clock_pb2.PressRequest(player_id="biel"), START_NS + SECOND_NS)
    assert isinstance(pressed, events_pb2.ClockPressed)


def test_a_press_before_the_rack_is_refilled_is_refused() -> None:
    game = replace(STARTED, phase=Phase.PLACED, bag_left=3)
    refused = refusal(running(), game, "biel", START_NS + SECOND_NS)
    assert (refused.reason, refused.article) == ("RACK_NOT_REFILLED", "FISC I.11")
    assert "3 tiles" in str(refused)


def test_a_press_before_the_turn_is_taken_is_refused() -> None:
    refused = refusal(running(), STARTED, "biel", START_NS + SECOND_NS)
    assert (refused.reason, refused.article) == ("TURN_NOT_TAKEN", "FISC I.11")


def test_the_opponent_does_not_press_the_movers_clock() -> None:
    refused = refusal(running(), draw_tiles(START_NS), "anna", START_NS + SECOND_NS)
    assert (refused.reason, refused.article) == ("NOT_YOUR_CLOCK", "FISC I.11")


def test_a_turn_is_completed_by_one_press_even_if_the_game_has_not_heard_of_it() -> None:
    at = START_NS + SECOND_NS
    clock = fold(
        running(), decide(Table(FISC, draw_tiles(at), running()), clock_pb2.PressRequest(player_id="biel"), at)
    )
    assert refusal(clock, draw_tiles(at), "biel", at + SECOND_NS).reason == "NOT_YOUR_CLOCK"
    assert refusal(clock, draw_tiles(at), "anna", at + SECOND_NS).reason == "TURN_NOT_TAKEN"


def test_who_is_not_at_the_table_is_refused() -> None:
    refused = refusal(running(), draw_tiles(START_NS), "carla", START_NS + SECOND_NS)
    assert refused.reason == "NOT_AT_TABLE"
    assert refused.article
    assert "carla" in str(refused)


def test_a_press_before_the_start_is_refused() -> None:
    game = Game(game_id="cup-r1-t1", player_ids=("anna", "biel"))
    refused = refusal(Clock(), game, "biel", START_NS)
    assert (refused.reason, refused.article) == ("NOT_STARTED", "FISC I.5")


def test_time_does_not_run_back_and_the_error_says_both_times() -> None:
    with pytest.raises(Invalid) as caught:
        decide(
            Table(FISC, draw_tiles(START_NS + 2 * SECOND_NS), running()),
            clock_pb2.PressRequest(player_id="biel"),
            START_NS + SECOND_NS,
        )
    assert "2023-11-14T22:13:21.000Z" in str(caught.value)
    assert "2023-11-14T22:13:22.000Z" in str(caught.value)


def test_neither_clock_runs_from_a_challenge_to_its_ruling() -> None:
    (neutralised,) = settle(running(), challenge_play(START_NS + MINUTE_NS), FISC)
    assert neutralised == events_pb2.ClockNeutralised(
        player_id="biel",
        reason=events_pb2.NEUTRALISATION_REASON_CHALLENGE,
        used_ms=60_000,
        occurred_at=timestamp(START_NS + MINUTE_NS),
        challenge=1,
        interruption=1,
    )
    clock = fold(running(), [neutralised])
    assert (clock.running, clock.neutralised) == ("", True)
    assert clock.used_at("biel", START_NS + 9 * MINUTE_NS) == 60_000
    refused = refusal(clock, challenge_play(START_NS + MINUTE_NS), "biel", START_NS + 2 * MINUTE_NS)
    assert (refused.reason, refused.article) == ("CLOCK_NEUTRALISED", "FISC I.11")


@pytest.mark.parametrize(("valid", "resumes"), [(True, "biel"), (False, "anna")])
def test_the_mover_resumes_when_the_play_stands_and_is_written_and_else_the_opponent(valid: bool, resumes: str) -> None:
    game = challenge_play(
        START_NS + MINUTE_NS, ruled_at=START_NS + 2 * MINUTE_NS if valid else START_NS + 3 * MINUTE_NS, valid=valid
    )
    if valid:
        assert names(settle(running(), game, FISC)) == ["ClockNeutralised"]
        game = write_scores(game, 180, "biel")
    neutralised, resumed = settle(running(), game, FISC)
    assert resumed == events_pb2.ClockResumed(
        player_id=resumes, occurred_at=timestamp(START_NS + 3 * MINUTE_NS), turn=1 if valid else 2
    )
    clock = fold(running(), [neutralised, resumed])
    assert clock.used_at("biel", START_NS + 4 * MINUTE_NS) == (120_000 if valid else 60_000)
    assert clock.used_at("anna", START_NS + 4 * MINUTE_NS) == (0 if valid else 60_000)


def test_the_clock_stops_with_the_game_and_says_both_times() -> None:
    game = end_game(START_NS + 26 * MINUTE_NS)
    (stopped,) = settle(running(), game, FISC)
    assert stopped == events_pb2.ClockStopped(
        times=[
            events_pb2.SideTime(player_id="anna"),
            events_pb2.SideTime(player_id="biel", used_ms=26 * 60_000, overtime_ms=60_000),
        ],
        occurred_at=timestamp(START_NS + 26 * MINUTE_NS),
    )


def test_time_beyond_the_cap_is_said_even_when_the_game_ended_otherwise() -> None:
    game = end_game(START_NS + 36 * MINUTE_NS)
    exceeded, stopped = settle(running(), game, FISC)
    assert isinstance(exceeded, events_pb2.OvertimeCapExceeded)
    assert isinstance(stopped, events_pb2.ClockStopped)
    assert [side.overtime_ms for side in stopped.times] == [0, 10 * 60_000]


def test_a_stopped_clock_is_not_pressed() -> None:
    game = end_game(START_NS + MINUTE_NS)
    clock = fold(Clock(), settle(Clock(), game, FISC))
    refused = refusal(clock, game, "biel", START_NS + 2 * MINUTE_NS)
    assert (refused.reason, refused.article) == ("GAME_OVER", "FISC I.8")


def test_the_cap_may_be_used_to_its_last_millisecond() -> None:
    at = START_NS + 35 * MINUTE_NS
    (pressed,) = decide(Table(FISC, draw_tiles(at), running()), clock_pb2.PressRequest(player_id="biel"), at)
    assert pressed == events_pb2.ClockPressed(
        player_id="biel", turn=1, used_ms=35 * 60_000, occurred_at=timestamp(at), next_player_id="anna"
    )


@given(st.integers(0, 20 * 60_000))
def test_overtime_ends_the_game_beyond_the_cap_and_not_before(over_ms: int) -> None:
    at = START_NS + 25 * MINUTE_NS + over_ms * 1_000_000
    (event,) = decide(Table(FISC, draw_tiles(at), running()), clock_pb2.PressRequest(player_id="biel"), at)
    assert isinstance(event, events_pb2.OvertimeCapExceeded) == (over_ms > 10 * 60_000)


@pytest.mark.parametrize("player_id", ["biel", "anna"])
def test_overtime_beyond_the_cap_is_recorded_instead_of_the_press_whoever_presses(player_id: str) -> None:
    at = START_NS + 35 * MINUTE_NS + 1_000_000
    (exceeded,) = decide(Table(FISC, draw_tiles(at), running()), clock_pb2.PressRequest(player_id=player_id), at)
    assert exceeded == events_pb2.OvertimeCapExceeded(
        player_id="biel", overtime_ms=10 * 60_000, occurred_at=timestamp(START_NS + 35 * MINUTE_NS)
    )
    clock = fold(running(), [exceeded])
    assert (clock.running, clock.compute_used_ms("biel")) == ("", 35 * 60_000)
    assert refusal(clock, draw_tiles(at), "biel", at + SECOND_NS).reason == "GAME_OVER"


def test_no_cap_is_recorded_while_the_game_has_not_taken_up_the_last_press_which_may_have_ended_it() -> None:
    game = draw_tiles(START_NS + MINUTE_NS)
    clock = fold(
        running(), decide(Table(FISC, game, running()), clock_pb2.PressRequest(player_id="biel"), START_NS + MINUTE_NS)
    )
    for player_id in ("anna", "biel"):
        late = refusal(clock, game, player_id, START_NS + 60 * MINUTE_NS)
        assert late.reason in {"TURN_NOT_TAKEN", "NOT_YOUR_CLOCK"}


def test_who_is_over_the_cap_cannot_be_challenged_into_more_time() -> None:
    (exceeded,) = settle(running(), challenge_play(START_NS + 36 * MINUTE_NS, ruled_at=START_NS + 36 * MINUTE_NS), FISC)
    assert exceeded == events_pb2.OvertimeCapExceeded(
        player_id="biel", overtime_ms=10 * 60_000, occurred_at=timestamp(START_NS + 35 * MINUTE_NS)
    )


def test_the_clock_stops_after_the_cap_with_the_times_up_to_the_cap() -> None:
    at = START_NS + 40 * MINUTE_NS
    clock = fold(
        running(), decide(Table(FISC, draw_tiles(at), running()), clock_pb2.PressRequest(player_id="biel"), at)
    )
    game = end_game(START_NS + 35 * MINUTE_NS, draw_tiles(at))
    (stopped,) = settle(clock, game, FISC)
    assert isinstance(stopped, events_pb2.ClockStopped)
    assert [(side.player_id, side.used_ms, side.overtime_ms) for side in stopped.times] == [
        ("anna", 0, 0),
        ("biel", 35 * 60_000, 10 * 60_000),
    ]


def test_a_ruleset_without_a_cap_lets_overtime_run() -> None:
    uncapped = replace(FISC, clock=replace(FISC.clock, overtime_cap_minutes=None))
    clock = fold(Clock(), settle(Clock(), STARTED, uncapped))
    at = START_NS + 300 * MINUTE_NS
    (pressed,) = decide(Table(uncapped, draw_tiles(at), clock), clock_pb2.PressRequest(player_id="biel"), at)
    assert isinstance(pressed, events_pb2.ClockPressed)


def test_allowance_and_cap_are_those_of_the_ruleset() -> None:
    quick = replace(FISC, clock=replace(FISC.clock, minutes=15, overtime_cap_minutes=5))
    clock = fold(Clock(), settle(Clock(), STARTED, quick))
    assert (clock.allowance_ms, clock.overtime_cap_ms) == (15 * 60_000, 5 * 60_000)
