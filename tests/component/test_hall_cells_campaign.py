"""The campaign of a hall with its own cell (`make hall-cells`) on a small scale."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.campaigns.hall_cells.campaign import run
from tests.component.test_hall_cell import install_words


@pytest.mark.nightly
async def test_a_hall_and_its_championship_agree_after_failures_of_the_line_and_of_both(tmp_path: Path) -> None:
    outcome = await run(tmp_path, install_words(tmp_path / "lexicons"), seed=35, faults=12)
    assert outcome.problems == []
    assert outcome.games >= 2
    assert outcome.faults.total() == 12
