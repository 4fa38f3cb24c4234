"""A demonstration follows only from its plan, at any time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from faristol.demo.plan import Plan

moments = st.datetimes(min_value=datetime(2026, 1, 1), max_value=datetime(2036, 1, 1)).map(
    lambda moment: moment.replace(tzinfo=UTC)
)


@given(moments, st.integers(1, 30))
def test_every_round_is_over_before_now_and_before_the_next_begins(now: datetime, rounds: int) -> None:
    plan = Plan(players=16, rounds=rounds, seed=7, ruleset="fisc-2023")
    assert now - timedelta(minutes=10) < plan.round_end(rounds, now) < now
    for number in range(1, rounds):
        assert plan.round_start(number, now) + timedelta(minutes=80) < plan.round_end(number, now)
        assert plan.round_end(number, now) < plan.round_start(number + 1, now)


@given(moments, st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=30)), st.integers(1, 30))
def test_a_demonstration_that_goes_on_later_does_not_go_back_in_time(
    now: datetime, later: timedelta, rounds: int
) -> None:
    plan = Plan(players=16, rounds=rounds, seed=7, ruleset="fisc-2023")
    assert plan.round_start(1, now) <= plan.round_start(1, now + later)


@given(moments, st.integers(1, 30), st.sampled_from(["fisc-2023", "uf-2007", "festa-major"]))
def test_a_demonstration_that_continues_at_any_time_has_the_times_of_its_first_run(
    now: datetime, rounds: int, ruleset: str
) -> None:
    plan = Plan(players=16, rounds=rounds, seed=7, ruleset=ruleset)
    again = plan.end_of(plan.round_start(1, now))
    for number in range(1, rounds + 1):
        assert plan.round_start(number, again) == plan.round_start(number, now)
        assert plan.round_end(number, again) == plan.round_end(number, now)


def test_four_hundred_players_have_ids_and_names_of_their_own() -> None:
    entrants = Plan(players=400, rounds=9, seed=1, ruleset="fisc-2023").entrants
    assert len({entrant.player_id for entrant in entrants}) == 400
    assert len({entrant.name for entrant in entrants}) == 400
    assert not any(part.lower() in entrant.player_id for entrant in entrants for part in entrant.name.split())


def test_commands_have_the_same_ids_every_time_and_each_its_own() -> None:
    plan = Plan(players=16, rounds=5, seed=7, ruleset="fisc-2023")
    assert plan.command_id("close", 1) == Plan(16, 5, 7, "fisc-2023").command_id("close", 1)
    assert plan.command_id("close", 1) != plan.command_id("close", 2)
    assert plan.command_id("close", 1) != Plan(16, 5, 8, "fisc-2023").command_id("close", 1)
