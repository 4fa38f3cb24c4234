"""The campaign of a day (`make day`) on a small scale."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.campaigns.day.__main__ import hold
from tests.campaigns.day.campaign import MAX_ROUND_ACTS, Plan

BUSY_P99_MS = 20_000
"""Limit for phones while other tests run on the machine, in milliseconds."""


@pytest.mark.nightly
async def test_a_day_needs_few_forms_of_its_officials_and_tells_everyone_everything_once(
    tmp_path: Path, lexicons: Path
) -> None:
    plan = Plan(players=40, rounds=5, halls=2, per_second=20, max_p99_ms=BUSY_P99_MS)
    outcome = await hold(plan, tmp_path)
    assert outcome.broken == []
    assert len(outcome.round_acts) == plan.rounds
    assert max(outcome.round_acts) <= MAX_ROUND_ACTS
    assert outcome.mails > 3 * plan.players, "a link, the reception and the acceptance of each"
    assert outcome.pushes > plan.rounds * plan.players, "a pairing and a result for two thirds of the players"
    assert outcome.gone > 0
    assert outcome.certificates > 0
