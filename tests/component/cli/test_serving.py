"""A process that serves."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from faristol.cli import main
from faristol.host import Settings
from faristol.launcher import processes


async def test_who_has_started_without_the_collector_of_garbage_serves_with_it(
    tmp_path: Path, shared_nats: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[bool] = []

    async def serve_until(*_: object) -> None:
        found.append(gc.isenabled())

    monkeypatch.setattr(processes, "serve_until", serve_until)
    settings = Settings.model_validate({"data": tmp_path, "nats_url": shared_nats, "grpc_port": 0})
    try:
        await main._serve(settings, ("rating",), json_output=False)
    finally:
        gc.unfreeze()
        gc.enable()
    assert found == [True]
