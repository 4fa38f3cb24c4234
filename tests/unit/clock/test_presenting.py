"""What is shown of a clock, and what may not be: nobody is reminded where the book forbids it."""

from __future__ import annotations

import pytest
from tests.unit.clock.tables import FISC, FISE, FM, PES, UF, after, clocked, drawn, placed, started

from faristol.clock.attendance import report_absence
from faristol.clock.model import timestamp
from faristol.clock.presenting import forgotten, shown
from faristol.clock.settling import fold, held
from faristol.record import Loaded
from faristol.rules import Ruleset


@pytest.mark.parametrize(("ruleset", "reminded"), [(UF, ""), (FISE, ""), (FISC, "biel"), (PES, "biel"), (FM, "")])
def test_a_forgotten_clock_is_told_only_where_somebody_may_say_so(ruleset: Ruleset, reminded: str) -> None:
    table = drawn(started(), 10)
    assert forgotten(clocked(table, ruleset), table, ruleset) == reminded
    assert shown(Loaded(clocked(table, ruleset), 3), table, ruleset).forgotten_player_id == reminded


def test_a_clock_that_the_mover_stopped_and_did_not_start_for_the_other_is_forgotten_too() -> None:
    table = drawn(started(), 10)
    clock = clocked(table, PES)
    assert forgotten(fold(clock, [held(clock, after(12))]), table, PES) == "biel"


def test_nothing_is_forgotten_while_something_of_the_turn_is_left_to_do() -> None:
    for table in (started(), placed(started(), 10)):
        assert forgotten(clocked(table, FISC), table, FISC) == ""


def test_a_clock_says_what_it_comes_to_next_and_who_is_not_there() -> None:
    table = started()
    clock = clocked(table, FISC)
    answer = shown(Loaded(clock, 2), table, FISC)
    assert (answer.deadline, answer.deadline_at) == ("OvertimeCapExceeded", timestamp(after(35 * 60) + 1_000_000))
    clock = fold(clock, report_absence(clock, table, FISC, "arbiter-1", "anna", after(30)))
    answer = shown(Loaded(clock, 3), table, FISC)
    assert (answer.deadline, list(answer.absent_player_ids)) == ("TimeForfeited", ["anna"])
