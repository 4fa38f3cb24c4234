"""The cases about challenges, rulings and appeals once more: over gRPC, NATS and a record, with judges at the queue."""

from __future__ import annotations

import pytest
from tests.rulebook.test_cases import CASES

from faristol.cli.referee.case import DIRECTOR, JUDGE, Case
from faristol.cli.referee.cell import on_cell
from faristol.cli.referee.running import run_case

RULED = [case for case in CASES if any(step.actor in {JUDGE, DIRECTOR} for step in case.steps)]
SCENARIOS = {*range(66, 82), 110}
SHOWN = [case for case in CASES if case in RULED or SCENARIOS & set(case.scenarios)]


@pytest.mark.parametrize("case", SHOWN, ids=lambda case: case.id)
async def test_a_table_comes_out_as_the_book_says(case: Case, shared_nats: str) -> None:
    verdict = await run_case(case, on_cell(shared_nats))
    assert verdict.passed, "\n".join(verdict.problems)


def test_every_scenario_of_challenges_is_played() -> None:
    assert {scenario for case in SHOWN for scenario in case.scenarios} >= SCENARIOS
