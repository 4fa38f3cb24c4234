"""The campaign of viewers (`make viewers`) on a small scale."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.campaigns.viewers.campaign import VICTIMS, Campaign, Outcome, Site


@pytest.mark.nightly
async def test_viewers_miss_nothing_and_hear_nothing_twice_whatever_is_killed(tmp_path: Path) -> None:
    site = Site(tmp_path)
    try:
        outcome = await Campaign(site, 7, Outcome(viewers=60, news=800)).run(per_second=60)
    finally:
        site.stop()
    assert (outcome.missed, outcome.repeated, outcome.late, outcome.wrong) == (0, 0, 0, [])
    assert outcome.told == 60 * 800
    assert set(outcome.kills) == set(VICTIMS)
    assert outcome.connections > 60, "the gateway was killed"
    assert set(outcome.program_events.values()) == {800}, "both programs list the same plays"
