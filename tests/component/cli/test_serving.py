"""A process that serves."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from tests.component.processes import faristol

from faristol.cli import main
from faristol.host import Settings
from faristol.launcher import processes
from faristol.launcher.director_link import REDIRECT
from faristol.launcher.processes import hold_folder


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


def test_a_start_that_is_refused_says_why_and_leaves_the_page_of_another_process(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data")
    with hold_folder(settings):
        page = settings.data / REDIRECT
        page.touch()
        refused = faristol("up", data=settings.data)
        assert (refused.returncode, "is in use by process" in refused.stderr) == (2, True), refused.stderr
        assert page.exists()
    refused = faristol("up", data=page)
    assert (refused.returncode, "cannot be made" in refused.stderr) == (2, True), refused.stderr
