"""The pipelines run what they are there for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]


def job(workflow: str) -> dict[str, Any]:
    """The one job of a workflow."""
    described = yaml.safe_load((ROOT / ".github" / "workflows" / workflow).read_text())
    (only,) = described["jobs"].values()
    found: dict[str, Any] = only
    return found


def test_every_supported_python_passes_the_whole_of_the_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    supported = [line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r":: 3\.\d+$", line)]
    tests = job("test.yml")
    assert tests["strategy"]["matrix"]["python"] == supported
    assert project["requires-python"] == f">={supported[0]}"
    assert any(step.get("run") == "bash .ci/run" for step in tests["steps"])


def test_every_target_of_the_night_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(job("nightly.yml")["strategy"]["matrix"]["target"]) <= targets
