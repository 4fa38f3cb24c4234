"""The line of a hall knows since when it is lost, after a restart too."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import pytest

from faristol.hall import line
from faristol.hall.line import Line
from faristol.host.halls.heard import HEARD

NOW = datetime(2026, 5, 2, 10, 0, tzinfo=UTC)


async def start(folder: Path, at: datetime) -> Line:
    """Return the line of a cell that starts at a time, to an address without a server."""
    return Line(grpc.aio.insecure_channel("127.0.0.1:1"), lambda: at, folder)


async def test_a_cell_that_starts_again_without_a_line_knows_when_the_championship_last_answered(
    tmp_path: Path,
) -> None:
    assert (await start(tmp_path, NOW)).behind_since is None
    first = await start(tmp_path, NOW)
    first.hear()
    later = await start(tmp_path, NOW + timedelta(minutes=3))
    assert (later.heard_at, later.behind_since) == (NOW, NOW)
    later.hear()
    assert later.behind_since is None


async def test_a_damaged_file_with_the_time_stops_no_start(tmp_path: Path) -> None:
    for damaged in (b"", b"\xff", b"2026-05-02", b"2026-05-02T10:00:00"):
        (tmp_path / HEARD).write_bytes(damaged)
        assert (await start(tmp_path, NOW)).heard_at is None


async def test_all_calls_are_tried_again_when_one_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line, "FIRST_RETRY_SECONDS", 0.01)
    found = await start(tmp_path, NOW)
    attempts = line.Attempts(found, "events of the hall")
    lost = grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, grpc.aio.Metadata(), grpc.aio.Metadata(), "no line", "")
    attempts._failures = 20
    waiting = asyncio.create_task(attempts.wait(lost))
    await asyncio.sleep(0.1)
    assert not waiting.done()
    found.hear()
    await asyncio.wait_for(waiting, 1)


async def test_a_refusal_is_repeated_soon_at_first_and_seldom_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line, "FIRST_RETRY_SECONDS", 0.001)
    found = await start(tmp_path, NOW)
    attempts = line.Attempts(found, "events of the hall")
    refused = grpc.aio.AioRpcError(
        grpc.StatusCode.INVALID_ARGUMENT, grpc.aio.Metadata(), grpc.aio.Metadata(), "bent", ""
    )
    for _ in range(line.FIRST_REFUSALS_COUNT - 1):
        await asyncio.wait_for(attempts.wait(refused), 1)
    assert found.problem == "bent"
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(attempts.wait(refused), 0.2)
    attempts.reset()
    assert found.problem == ""
