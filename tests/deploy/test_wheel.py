"""The output of `python -m build` works in an empty folder, without the repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.component.processes import Child, free_port, wait_until_serving
from tests.support.authorities import public_environment

ROOT = Path(__file__).parents[2]
COMMAND_TIMEOUT_SECONDS = 1_200
CORE_BYTES = 330_000_000
"""Limit of the wheel with all packages that it requires, installed."""

pytestmark = [pytest.mark.nightly, pytest.mark.lexicon, pytest.mark.timeout(COMMAND_TIMEOUT_SECONDS)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built from the source distribution, as it goes to others."""
    folder = tmp_path_factory.mktemp("built")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, cwd=folder, timeout=COMMAND_TIMEOUT_SECONDS, stdout=subprocess.DEVNULL)
    assert list(folder.glob("*.tar.gz"))
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel_environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory, lexicons: Path) -> Path:
    """Return the folder of an environment with the wheel, its dependencies, and a lexicon in the expected place."""
    folder = tmp_path_factory.mktemp("elsewhere")
    run = {
        "check": True,
        "cwd": folder,
        "timeout": COMMAND_TIMEOUT_SECONDS,
        "stdout": subprocess.DEVNULL,
        "env": public_environment(),
    }
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], **run)  # type: ignore[call-overload]
    pip = [str(environment / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    before = measure_folder(environment)
    subprocess.run([*pip, "--no-compile", "--require-hashes", "-r", str(ROOT / "requirements-core.lock")], **run)  # type: ignore[call-overload]
    subprocess.run([*pip, "--no-compile", "--no-deps", str(wheel)], **run)  # type: ignore[call-overload]
    assert measure_folder(environment) - before <= CORE_BYTES
    subprocess.run([*pip[:1], "check"], **run)  # type: ignore[call-overload]
    shutil.copytree(lexicons, environment / "share" / "faristol" / "lexicons", symlinks=True)
    return environment


def measure_folder(folder: Path) -> int:
    """Return the bytes of all files of a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir())


def faristol(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
    command = [str(installed / "bin" / "faristol"), *arguments]
    return subprocess.run(
        command, env=clean, cwd=folder, capture_output=True, text=True, timeout=COMMAND_TIMEOUT_SECONDS, check=False
    )


def test_a_championship_is_played_and_its_record_verified(wheel_environment: Path, tmp_path: Path) -> None:
    played = faristol(wheel_environment, tmp_path, "demo", "--players", "6", "--rounds", "5", "--json", "--data", "cup")
    assert played.returncode == 0, played.stderr
    found: dict[str, Any] = json.loads(played.stdout)
    assert len(found["standings"]) == 6
    verified = faristol(wheel_environment, tmp_path, "record", "verify", "--data", "cup")
    assert "order and hashes are right" in verified.stdout, verified.stderr
    assert str(ROOT) not in played.stdout + played.stderr + verified.stdout


def test_uvx_starts_faristol_without_an_installation_and_without_a_lexicon(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FARISTOL_LEXICONS", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    http = free_port()
    given = ["tool", "run", "--python", sys.executable, "--from", str(wheel), "faristol", "up", "--no-browser"]
    given += ["--data", str(tmp_path / "data"), "--http", str(http), "--grpc", "0"]
    up = Child(given, {"open": "false"}, tmp_path / "up.log", str(Path(sys.executable).with_name("uv")))
    until = time.monotonic() + COMMAND_TIMEOUT_SECONDS
    try:
        while not is_served(f"http://127.0.0.1:{http}/start"):
            assert up.process.poll() is None, up.output()
            assert time.monotonic() < until, up.output()
            time.sleep(0.5)
    finally:
        assert up.terminate() == 0, up.output()


def is_served(address: str) -> bool:
    """Check whether a page is there, or leads to the sign-in."""
    try:
        return httpx.get(address).status_code in {HTTPStatus.OK, HTTPStatus.SEE_OTHER}
    except httpx.HTTPError:
        return False


def test_everything_is_served(wheel_environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.delenv("FARISTOL_LEXICONS", raising=False)
    port, http = free_port(), free_port()
    given = ["up", "--data", str(tmp_path / "data"), "--grpc", str(port), "--http", str(http)]
    up = Child(given, {}, tmp_path / "up.log", str(wheel_environment / "bin" / "faristol"))
    try:
        wait_until_serving(f"127.0.0.1:{port}", up, "gateway")
        for path in ("/", "/readyz", "/openapi.json", "/api/v1/tournaments"):
            assert httpx.get(f"http://127.0.0.1:{http}{path}").status_code == 200, path
        pages = httpx.get(f"http://127.0.0.1:{http}/").text
        assert "Faristol" in pages
        maps = Path(f"/proc/{up.process.pid}/environ").read_bytes()
        assert os.fsencode(ROOT / "libs") not in maps
    finally:
        assert up.terminate() == 0, up.output()
