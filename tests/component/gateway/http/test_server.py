"""The HTTP server as a part of a process: its end, and its dependencies."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx
import pytest
from tests.support.stage import Stage, open_stage
from tests.support.synthetic import Championship, append

from faristol.fanout import Fanout
from faristol.gateway.live import feed

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_an_answer_that_is_being_made_is_given_before_the_process_ends(tmp_path: Path) -> None:
    hall = Championship()
    async with open_stage(tmp_path, grace_seconds=10) as stage:
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


async def start_requests(stage: Stage, last: int) -> list[asyncio.Task[httpx.Response]]:
    """Return requests that the results do not answer yet: two for one answer, and one for another."""
    paths = [f"/api/v1/tournaments?min_position={last + ahead}" for ahead in (1, 1, 2)]
    found = [asyncio.create_task(stage.http.get(path)) for path in paths]
    await asyncio.sleep(0.5)
    assert not any(task.done() for task in found)
    return found


def check_away(answer: httpx.Response, path: str = "/api") -> None:
    assert answer.status_code == 503, answer.text
    assert int(answer.headers["Retry-After"]) > 0
    if path.startswith("/api"):
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert answer.json()["status"] == 503
    assert "Content-Security-Policy" in answer.headers


async def test_an_answer_that_takes_longer_than_the_end_may_is_asked_for_again_later(tmp_path: Path) -> None:
    async with open_stage(tmp_path, grace_seconds=1) as stage:
        waiting = await start_requests(stage, await stage.add(*Championship().create()))
        await stage.running.process.stop()
        for answer in await asyncio.gather(*waiting):
            check_away(answer)


async def test_requests_are_told_to_come_again_when_the_way_to_a_service_is_closed_under_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stay(_: Fanout) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(Fanout, "run", stay)  # it fails without the way, and the process ends: here it still answers
    monkeypatch.setattr(feed, "UPSTREAM_RETRY_SECONDS", 60.0)  # the subscription fails too, when it is retried
    async with open_stage(tmp_path) as stage:
        waiting = await start_requests(stage, await stage.add(*Championship().create()))
        await stage.running.runtime.channel("results").close(None)
        for answer in await asyncio.gather(*waiting):
            check_away(answer)
        for path in ("/api/v1/tournaments", "/api/v1/tournaments?as_of_position=1", "/api/v1/status", "/"):
            check_away(await stage.http.get(path), path)


async def test_a_process_whose_streams_have_failed_ends_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_: Fanout) -> None:
        raise KeyError("a defect")

    monkeypatch.setattr(Fanout, "run", fail)
    async with open_stage(tmp_path) as stage, asyncio.timeout(60):
        await stage.running.process.wait_for_failure()
        assert "gateway.http stopped: 'a defect'" in stage.running.process.problem
