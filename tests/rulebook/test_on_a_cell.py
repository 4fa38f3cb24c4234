"""Cases over gRPC, NATS and a record: those with judges at the queue, some tournaments, all of teams and at tables."""

from __future__ import annotations

import logging

import pytest
from tests.rulebook.test_cases import CASES

from faristol.bus import Bus
from faristol.casebook.case import DIRECTOR, JUDGE, Case, TableCase, TournamentCase
from faristol.casebook.runner import on_cell, run_case, world_of

TABLES = [case for case in CASES if isinstance(case, TableCase)]
RULED = [case for case in TABLES if any(step.actor in {JUDGE, DIRECTOR} for step in case.steps)]
SCENARIOS = {62, *range(66, 82), 97, 98, 104, 106, 107, 110, 111}
OF_TEAMS = [case for case in CASES if "FISE 4.4" in case.articles]
AT_TABLES = [
    case for case in CASES if isinstance(case, TournamentCase) and any(map(world_of(case).is_at_table, case.steps))
]
CHOSEN = [*RULED, *OF_TEAMS, *AT_TABLES]
SHOWN = [case for case in CASES if case in CHOSEN or SCENARIOS & set(case.scenarios)]


NIGHTLY_FACTOR = 16
"""One of this number of cases is played for every change, the others every night; all are played without a cell
(`test_cases.py`).
"""


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.id, marks=[pytest.mark.nightly] * (place % NIGHTLY_FACTOR != 0))
        for place, case in enumerate(SHOWN)
    ],
)
async def test_it_comes_out_as_the_book_says(case: Case, shared_nats: str, caplog: pytest.LogCaptureFixture) -> None:
    verdict = await run_case(case, on_cell(shared_nats))
    assert verdict.passed, "\n".join(verdict.problems)
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR] == []


async def test_a_cell_that_has_ended_leaves_no_consumer_on_the_server(shared_nats: str) -> None:
    bus = await Bus.connect(shared_nats)
    try:
        verdict = await run_case(CHOSEN[0], on_cell(shared_nats))
        assert verdict.passed, verdict.problems
        before = await bus.list_consumers()
        verdict = await run_case(CHOSEN[0], on_cell(shared_nats))
        assert verdict.passed, verdict.problems
        assert await bus.list_consumers() == before
    finally:
        await bus.close()


def test_every_scenario_that_is_chosen_is_played() -> None:
    assert {scenario for case in SHOWN for scenario in case.scenarios} >= SCENARIOS


def test_tables_of_tournaments_are_played() -> None:
    assert {case.file.parent.name for case in AT_TABLES} >= {"fise", "pes"}
