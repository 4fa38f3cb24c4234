"""The campaigns of halls with their own cells (`make hall-cells`) on a small scale."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.campaigns.hall_cells import campaign, scale
from tests.component.test_hall_cell import install_words


@pytest.mark.nightly
async def test_a_hall_and_its_championship_end_as_without_failures_of_the_line_and_of_both(tmp_path: Path) -> None:
    outcome = await campaign.run(tmp_path, install_words(tmp_path / "lexicons"), seed=35, faults=12)
    assert outcome.problems == []
    assert outcome.games >= 2
    assert outcome.faults.total() == 12


@pytest.mark.nightly
async def test_halls_that_were_cut_off_for_a_round_are_back_soon(tmp_path: Path) -> None:
    words = install_words(tmp_path / "lexicons")
    found = await scale.run(tmp_path, words, scale.Size(halls=3, tables=4, cut=2, events=200), seed=35)
    assert found.problems == []
    assert all(count >= 200 for count in found.events.values())
    assert found.return_seconds < scale.RETURN_TIMEOUT_SECONDS
    assert max(found.memory_mb.values()) < 400
