"""The pipelines run what they are there for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml
from tests.benchmarks.run import OUT

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


def test_figures_of_the_last_night_are_there_when_new_ones_are_measured() -> None:
    steps = job("nightly.yml")["steps"]
    (measured,) = [number for number, step in enumerate(steps) if step.get("run", "").startswith("make ")]
    (kept,) = [step for step in steps[:measured] if step.get("uses", "").startswith("actions/cache@")]
    assert kept["with"]["path"] == str(OUT)
    assert kept["with"]["key"].startswith(kept["with"]["restore-keys"])


def test_every_lock_is_audited_when_it_changes_and_every_night() -> None:
    described = yaml.safe_load((ROOT / ".github" / "workflows" / "audit.yml").read_text())
    when = described[True]  # YAML 1.1 reads the word `on` as a truth value
    locks = {path for path in ROOT.rglob("*.lock") if not {".venv", "var"} & set(path.relative_to(ROOT).parts)}
    for event in ("push", "pull_request"):
        watched = {path for pattern in when[event]["paths"] for path in ROOT.glob(pattern)}
        assert watched == locks
    assert when["schedule"]
    assert any(step.get("run") == "make audit" for step in described["jobs"]["audit"]["steps"])
    recipe = (ROOT / "Makefile").read_text().partition("\naudit:")[2].partition("\n\n")[0]
    assert all(str(lock.relative_to(ROOT)) in recipe for lock in locks)
    assert "--strict" in recipe
