"""The shown and the hidden parts of a clock: no reminder is given if the book forbids it."""

from __future__ import annotations

import pytest
from tests.unit.table.clocks import FISC, FISE, FM, PES, UF, after, build_clock, draw_tiles, place_play, start_table

from faristol.clock.answers import COMMAND_EVENTS, build_clock_response, find_forgotten_press
from faristol.host.table_store import Settled
from faristol.kernel.times import timestamp
from faristol.pb.clock.v1 import clock_pb2
from faristol.rules import Ruleset
from faristol.table import Table
from faristol.table.clock import Clock, fold
from faristol.table.decide import decide
from faristol.table.game.state import Game
from faristol.table.settlement.clock import hold_clock


def seat(clock: Clock, game: Game, ruleset: Ruleset) -> Settled:
    return Settled(Table(ruleset, game, clock), (), {"game-cup-r1-t1": 3, "clock-cup-r1-t1": 3})


@pytest.mark.parametrize(("ruleset", "reminded"), [(UF, ""), (FISE, ""), (FISC, "biel"), (PES, "biel"), (FM, "")])
def test_a_forgotten_clock_is_told_only_where_somebody_may_say_so(ruleset: Ruleset, reminded: str) -> None:
    table = draw_tiles(start_table(), 10)
    assert find_forgotten_press(build_clock(table, ruleset), table, ruleset) == reminded
    assert (
        build_clock_response(seat(build_clock(table, ruleset), table, ruleset), at=after(10)).forgotten_player_id
        == reminded
    )


def test_a_clock_that_the_mover_stopped_and_did_not_start_for_the_other_is_forgotten_too() -> None:
    table = draw_tiles(start_table(), 10)
    clock = build_clock(table, PES)
    assert find_forgotten_press(fold(clock, [hold_clock(clock, after(12))]), table, PES) == "biel"


def test_nothing_is_forgotten_while_something_of_the_turn_is_left_to_do() -> None:
    for table in (start_table(), place_play(start_table(), 10)):
        assert find_forgotten_press(build_clock(table, FISC), table, FISC) == ""


def test_a_clock_says_what_it_comes_to_next_and_who_is_not_there() -> None:
    table = start_table()
    clock = build_clock(table, FISC)
    answer = build_clock_response(seat(clock, table, FISC), at=after(10))
    assert (answer.deadline, answer.deadline_at) == ("OvertimeCapExceeded", timestamp(after(35 * 60) + 1_000_000))
    clock = fold(
        clock,
        decide(
            Table(FISC, table, clock),
            clock_pb2.ReportAbsenceRequest(arbiter_id="arbiter-1", player_id="anna"),
            after(30),
        ),
    )
    answer = build_clock_response(seat(clock, table, FISC), at=after(40))
    assert (answer.deadline, list(answer.absent_player_ids)) == ("TimeForfeited", ["anna"])
    assert (answer.running_player_id, answer.running_since) == ("anna", timestamp(after(30)))


def test_the_clock_of_an_absent_player_is_shown_as_running_from_when_the_book_says() -> None:
    """PES Γ.β: not before ten minutes are over."""
    table = start_table()
    clock = build_clock(table, PES)
    clock = fold(
        clock,
        decide(
            Table(PES, table, clock),
            clock_pb2.ReportAbsenceRequest(arbiter_id="arbiter-1", player_id="anna"),
            after(30),
        ),
    )
    before = build_clock_response(seat(clock, table, PES), at=after(599))
    assert (before.running_player_id, before.HasField("running_since"), list(before.running)) == ("", False, [])
    later = build_clock_response(seat(clock, table, PES), at=after(601))
    assert (later.running_player_id, later.running_since) == ("anna", timestamp(after(600)))


def test_both_clocks_of_two_absent_players_are_shown_as_running() -> None:
    table = start_table()
    clock = build_clock(table, FISE)
    for player_id in ("biel", "anna"):
        clock = fold(
            clock,
            decide(
                Table(FISE, table, clock),
                clock_pb2.ReportAbsenceRequest(arbiter_id="arbiter-1", player_id=player_id),
                after(30),
            ),
        )
    answer = build_clock_response(seat(clock, table, FISE), at=after(40))
    assert [(clock.player_id, clock.since) for clock in answer.running] == [
        (player_id, timestamp(after(0))) for player_id in table.player_ids
    ]
    assert answer.running_player_id == table.player_ids[0]


def test_every_command_that_can_come_too_late_means_an_event() -> None:
    methods = clock_pb2.DESCRIPTOR.services_by_name["ClockService"].methods
    late = {method.input_type.name for method in methods if "too_late" in method.output_type.fields_by_name}
    assert {request.DESCRIPTOR.name for request in COMMAND_EVENTS} == late
