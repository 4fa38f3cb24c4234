"""Cases once more over gRPC, NATS and a record: challenges with judges at the queue, some tournaments, all of teams."""

from __future__ import annotations

import pytest
from tests.rulebook.test_cases import CASES

from faristol.cli.referee.case import DIRECTOR, JUDGE, Case, TableCase
from faristol.cli.referee.running import on_cell, run_case

TABLES = [case for case in CASES if isinstance(case, TableCase)]
RULED = [case for case in TABLES if any(step.actor in {JUDGE, DIRECTOR} for step in case.steps)]
SCENARIOS = {62, *range(66, 82), 97, 98, 104, 106, 107, 110, 111}
OF_TEAMS = [case for case in CASES if "FISE 4.4" in case.articles]
SHOWN = [case for case in CASES if case in RULED or case in OF_TEAMS or SCENARIOS & set(case.scenarios)]


@pytest.mark.parametrize("case", SHOWN, ids=lambda case: case.id)
async def test_it_comes_out_as_the_book_says(case: Case, shared_nats: str) -> None:
    verdict = await run_case(case, on_cell(shared_nats))
    assert verdict.passed, "\n".join(verdict.problems)


def test_every_scenario_that_is_chosen_is_played() -> None:
    assert {scenario for case in SHOWN for scenario in case.scenarios} >= SCENARIOS
