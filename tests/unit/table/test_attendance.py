"""Late and absent players: each book defines the waiting time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.table.clocks import (
    FISC,
    FISE,
    FM,
    PES,
    START_NS,
    UF,
    after,
    build_clock,
    complete_play,
    draw_tiles,
    end_game,
    names,
    place_play,
    settle,
    start_table,
    write_scores,
)

from faristol.kernel.errors import Invalid
from faristol.kernel.refusal import Refusal
from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.clock.v1 import events_pb2 as events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.rules import Ruleset, TurnKind
from faristol.rules.ruleset.with_options import with_options
from faristol.table import Table
from faristol.table.clock import Clock, fold
from faristol.table.deadlines import Deadline, next_deadline
from faristol.table.decide import decide
from faristol.table.game.state import Course, Game

MINUTE_SECONDS = 60
FROM_SIGNAL = with_options(PES, {"absent_after": "from-signal"})


def absent(ruleset: Ruleset, *players: str, noted: float = 30) -> tuple[Game, Clock]:
    game = start_table()
    clock = build_clock(game, ruleset)
    for player in players:
        clock = fold(
            clock,
            decide(
                Table(ruleset, game, clock),
                clock_pb2.ReportAbsenceRequest(arbiter_id="arbiter-1", player_id=player),
                after(noted),
            ),
        )
    return game, clock


def deadline(clock: Clock, game: Game, ruleset: Ruleset) -> Deadline:
    found = next_deadline(clock, game, ruleset)
    assert found is not None
    return found


def losers(clock: Clock, game: Game, ruleset: Ruleset) -> tuple[int, list[str]]:
    """Return the players who lose and the times, in seconds from the signal."""
    found = deadline(clock, game, ruleset)
    assert all(isinstance(event, events.TimeForfeited) for event in found.new_events)
    return (found.due - START_NS) // 1_000_000, [str(getattr(event, "player_id", "")) for event in found.new_events]


@pytest.mark.parametrize(
    ("ruleset", "runs_after", "loses_at_ms"),
    [(FISC, 30, 15 * 60_000 + 1), (FISE, 0, 30 * 60_000), (PES, 600, 30 * 60_000)],
)
def test_the_time_of_an_absent_player_runs_and_is_lost_as_the_book_says(
    ruleset: Ruleset, runs_after: int, loses_at_ms: int
) -> None:
    game, clock = absent(ruleset, "anna")
    assert (clock.running, clock.used_at("biel", after(900))) == ("", 0)
    assert clock.used_at("anna", after(900)) == (900 - runs_after) * 1_000
    assert clock.used_at("anna", after(5)) == max(0, 5 - runs_after) * 1_000
    assert losers(clock, game, ruleset) == (loses_at_ms, ["anna"])


def test_under_pes_the_twenty_minutes_can_be_counted_from_the_signal() -> None:
    game, clock = absent(FROM_SIGNAL, "anna")
    assert losers(clock, game, FROM_SIGNAL) == (20 * 60_000, ["anna"])


@pytest.mark.parametrize("ruleset", [UF, FM])
def test_where_the_book_is_silent_nothing_runs_and_an_arbiter_decides(ruleset: Ruleset) -> None:
    game, clock = absent(ruleset, "anna")
    assert clock.used_at("anna", after(3_000)) == 0
    found = next_deadline(clock, game, ruleset)
    assert found is None or not isinstance(found.new_events[0], events.TimeForfeited)


def test_who_comes_at_the_last_moment_plays_and_who_comes_after_it_has_lost() -> None:
    game, clock = absent(FISC, "anna")
    arrived = decide(
        Table(FISC, game, clock), clock_pb2.RecordArrivalRequest(player_id="anna"), after(15 * MINUTE_SECONDS)
    )
    assert names(arrived) == ["PlayerArrived"]
    late = decide(
        Table(FISC, game, clock), clock_pb2.RecordArrivalRequest(player_id="anna"), after(15 * MINUTE_SECONDS + 1)
    )
    assert late == [
        events.TimeForfeited(
            player_id="anna",
            reason=events.FORFEIT_REASON_LATE,
            occurred_at=timestamp(after(15 * MINUTE_SECONDS) + 1_000_000),
        )
    ]
    on_the_limit = decide(
        Table(PES, game, absent(PES, "anna")[1]),
        clock_pb2.RecordArrivalRequest(player_id="anna"),
        after(30 * MINUTE_SECONDS),
    )
    assert names(on_the_limit) == ["TimeForfeited"]


@given(
    st.sampled_from([(FISC, 15 * 60_000 + 1), (FISE, 30 * 60_000), (PES, 30 * 60_000), (FROM_SIGNAL, 20 * 60_000)]),
    st.integers(30_000, 60 * 60_000),
)
def test_who_comes_has_lost_exactly_from_the_moment_of_the_book(law: tuple[Ruleset, int], late_ms: int) -> None:
    ruleset, loses_at_ms = law
    for moment_ms in (late_ms, loses_at_ms - 1, loses_at_ms):
        game, clock = absent(ruleset, "anna")
        new_events = decide(
            Table(ruleset, game, clock), clock_pb2.RecordArrivalRequest(player_id="anna"), after(moment_ms / 1_000)
        )
        assert ("TimeForfeited" in names(new_events)) == (moment_ms >= loses_at_ms)


@given(st.integers(30_000, 30 * 60_000 - 1))
def test_under_fise_the_first_of_two_absent_players_has_what_is_left_of_the_own_time(late_ms: int) -> None:
    game, clock = absent(FISE, "anna", "biel")
    clock = fold(
        clock,
        decide(Table(FISE, game, clock), clock_pb2.RecordArrivalRequest(player_id="anna"), after(late_ms / 1_000)),
    )
    assert clock.allowance_ms - clock.compute_used_ms("anna") == 30 * 60_000 - late_ms


def test_when_the_last_has_come_the_game_begins_with_what_is_left() -> None:
    game, clock = absent(FISE, "anna")
    clock = fold(clock, decide(Table(FISE, game, clock), clock_pb2.RecordArrivalRequest(player_id="anna"), after(360)))
    clock = build_clock(game, FISE, clock)
    assert (clock.running, clock.running_since, clock.compute_used_ms("anna")) == ("biel", after(360), 360_000)
    assert clock.used_at("biel", after(400)) == 40_000


def test_of_two_absent_players_the_first_has_what_is_left_and_the_others_time_goes_on() -> None:
    game, clock = absent(FISE, "anna", "biel")
    assert losers(clock, game, FISE) == (30 * 60_000, ["anna", "biel"])
    clock = fold(clock, decide(Table(FISE, game, clock), clock_pb2.RecordArrivalRequest(player_id="biel"), after(360)))
    assert clock.allowance_ms - clock.used_at("biel", after(900)) == 24 * 60_000
    assert clock.used_at("anna", after(900)) == 900_000
    assert settle(clock, game, FISE) == []
    assert losers(clock, game, FISE) == (30 * 60_000, ["anna"])


@pytest.mark.parametrize("ruleset", [FISC, PES])
def test_where_an_arbiter_decides_on_two_absent_players_the_limit_waits_for_the_first(ruleset: Ruleset) -> None:
    game, clock = absent(ruleset, "anna", "biel")
    assert next_deadline(clock, game, ruleset) is None
    clock = fold(
        clock,
        decide(
            Table(ruleset, game, clock), clock_pb2.RecordArrivalRequest(player_id="biel"), after(40 * MINUTE_SECONDS)
        ),
    )
    assert losers(clock, game, ruleset) == (40 * 60_000, ["anna"])


def test_an_absence_noted_after_the_limit_loses_at_once() -> None:
    game, clock = absent(FISC, "anna", noted=20 * MINUTE_SECONDS)
    assert losers(clock, game, FISC) == (20 * 60_000, ["anna"])


def test_a_correction_moves_what_is_counted_on_the_clock() -> None:
    game, clock = absent(PES, "anna")
    corrected = events.ClockCorrected(player_id="anna", used_ms=120_000, occurred_at=timestamp(after(700)))
    clock = fold(clock, [corrected])
    assert losers(clock, game, PES) == (28 * 60_000, ["anna"])


def test_nobody_is_noted_absent_twice_nor_after_a_turn_nor_at_another_table() -> None:
    game, clock = absent(FISC, "anna")
    reasons = []
    for at_table, state, player in (
        (game, clock, "anna"),
        (place_play(game, 20), build_clock(place_play(game, 20), FISC), "anna"),
        (game, build_clock(game, FISC), "carla"),
    ):
        with pytest.raises(Refusal) as caught:
            decide(
                Table(FISC, at_table, state),
                clock_pb2.ReportAbsenceRequest(arbiter_id="arbiter-1", player_id=player),
                after(60),
            )
        reasons.append(caught.value.reason)
    assert reasons == ["ABSENT_ALREADY", "PLAY_BEGUN", "NOT_AT_TABLE"]
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NOT_ABSENT"):
        decide(Table(FISC, game, clock), clock_pb2.RecordArrivalRequest(player_id="biel"), after(60))
    with pytest.raises(Invalid):
        decide(
            Table(FISC, game, build_clock(game, FISC)),
            clock_pb2.ReportAbsenceRequest(arbiter_id="", player_id="anna"),
            after(60),
        )


def test_no_clock_is_pressed_while_a_player_is_absent() -> None:
    game, clock = absent(FISC, "anna")
    with pytest.raises(
        Refusal, check=lambda refusal: (refusal.reason, refusal.article) == ("PLAYER_ABSENT", "FISC I.5")
    ):
        decide(Table(FISC, draw_tiles(game, 60), clock), clock_pb2.PressRequest(player_id="biel"), after(60))


def test_a_game_lost_by_absence_stops_the_clock_with_the_time_of_the_absent() -> None:
    game, clock = absent(FISC, "anna")
    clock = fold(clock, deadline(clock, game, FISC).new_events)
    over = end_game(game, 900.001)
    (stopped,) = settle(clock, over, FISC)
    assert isinstance(stopped, events.ClockStopped)
    assert [side.used_ms for side in stopped.times] == [870_001, 0], "the arbiter pressed after thirty seconds"
    assert next_deadline(clock, game, FISC) is None


def test_under_fise_who_leaves_has_played_and_presses_without_drawing() -> None:
    game = write_scores(place_play(start_table(), 10), 11, "anna")
    clock = build_clock(game, FISE)
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "SCORE_NOT_WRITTEN"):
        decide(Table(FISE, game, clock), clock_pb2.PressRequest(player_id="biel"), after(12))
    game = write_scores(game, 11, "biel")
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "RACK_NOT_REFILLED"):
        decide(Table(FISE, game, clock), clock_pb2.PressRequest(player_id="biel"), after(12))
    clock = fold(
        clock, decide(Table(FISE, game, clock), clock_pb2.LeaveTableRequest(player_id="biel", told=True), after(12))
    )
    clock = fold(clock, decide(Table(FISE, game, clock), clock_pb2.PressRequest(player_id="biel"), after(13)))
    game = write_scores(place_play(complete_play(game, 13), 40), 40, "anna")
    # the other player does not draw either, and the absent one writes that score after the return
    clock = fold(clock, decide(Table(FISE, game, clock), clock_pb2.PressRequest(player_id="anna"), after(41)))
    game = complete_play(game, 41)
    assert (clock.running, clock.away) == ("biel", frozenset({"biel"}))
    found = deadline(clock, game, FISE)
    assert found.new_events == (
        events.TimeForfeited(
            player_id="biel",
            reason=events.FORFEIT_REASON_ABSENT,
            occurred_at=timestamp(after(41 + 30 * MINUTE_SECONDS - 13)),
        ),
    )
    back = fold(clock, decide(Table(FISE, game, clock), clock_pb2.ReturnToTableRequest(player_id="biel"), after(60)))
    assert (back.away, next_deadline(back, game, FISE)) == (frozenset(), None)


def lay_tiles(game: Game, tiles: int) -> Game:
    """Return the game with so many tiles in the play on the board."""
    play = game_events.PlayPlaced(turn=1, player_id="biel", placements=[game_events.Placement()] * tiles)
    return game.but(course=Course(taken=TurnKind.PLAY, pending=play))


def test_who_leaves_under_pes_has_laid_two_tiles_and_drawn_none() -> None:
    thinking, game = start_table(), place_play(start_table(), 10)
    clock = build_clock(game, PES)
    for at_table, reason in (
        (thinking, "LEAVES_AFTER_PLAYING"),
        (draw_tiles(start_table(), 10), "LEAVES_AFTER_PLAYING"),
        (lay_tiles(game, 1), "TOO_FEW_TILES_TO_LEAVE"),
    ):
        with pytest.raises(Refusal) as caught:
            decide(Table(PES, at_table, clock), clock_pb2.LeaveTableRequest(player_id="biel", told=True), after(12))
        assert (caught.value.reason, caught.value.article) == (reason, "PES Δ.η")
    assert names(
        decide(
            Table(PES, lay_tiles(game, 2), clock), clock_pb2.LeaveTableRequest(player_id="biel", told=True), after(12)
        )
    ) == ["PlayerLeft"]


@pytest.mark.parametrize(("ruleset", "loses"), [(UF, True), (FISE, True), (FISC, False), (FM, False)])
def test_who_tells_nobody_loses_where_the_book_says_so(ruleset: Ruleset, loses: bool) -> None:
    game = start_table()
    new_events = decide(
        Table(ruleset, game, build_clock(game, ruleset)),
        clock_pb2.LeaveTableRequest(player_id="biel", told=False),
        after(12),
    )
    assert names(new_events) == ["PlayerLeft", *["TimeForfeited"] * loses]


def test_who_is_away_leaves_once_and_comes_back_once() -> None:
    game = start_table()
    clock = build_clock(game, FISC)
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "NOT_AWAY"):
        decide(Table(FISC, game, clock), clock_pb2.ReturnToTableRequest(player_id="biel"), after(12))
    clock = fold(
        clock, decide(Table(FISC, game, clock), clock_pb2.LeaveTableRequest(player_id="biel", told=True), after(12))
    )
    with pytest.raises(Refusal, check=lambda refusal: refusal.reason == "AWAY_ALREADY"):
        decide(Table(FISC, game, clock), clock_pb2.LeaveTableRequest(player_id="biel", told=True), after(13))
