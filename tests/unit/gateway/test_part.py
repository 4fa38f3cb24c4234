"""The HTTP server as a part of a process: how it ends, and that it does not go on without what it needs."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.unit.gateway.stage import opened
from tests.unit.results.synthetic import Championship, append

from faristol.gateway.viewers import Fanout

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_an_answer_that_is_being_made_is_given_before_the_process_ends(tmp_path: Path) -> None:
    hall = Championship()
    async with opened(tmp_path, grace_seconds=10) as stage:
        last = await stage.add(*hall.create())
        first, *_ = hall.first_round()
        asked = asyncio.create_task(stage.http.get(f"/api/v1/tournaments?min_position={last + 1}"))
        await asyncio.sleep(0.3)
        stopping = asyncio.create_task(stage.running.process.stop())
        await asyncio.sleep(1)
        assert "gateway.http" in {task.get_name() for task in asyncio.all_tasks()}
        await append(stage.record, first)
        assert (await asked).status_code == 200
        await stopping


async def test_a_process_whose_streams_have_failed_ends_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: Fanout) -> None:
        raise KeyError("a defect")

    monkeypatch.setattr(Fanout, "run", fail)
    async with opened(tmp_path) as stage, asyncio.timeout(10):
        await stage.running.process.failed()
        assert "gateway.http stopped: 'a defect'" in stage.running.process.problem
