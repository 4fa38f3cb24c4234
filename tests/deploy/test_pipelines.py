"""The pipelines run their tasks."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml
from deploy import digests, release
from tests.benchmarks.run import OUT
from tests.deploy.conftest import LOADER
from tests.deploy.test_manifests import images
from tests.fuzz.__main__ import FOLDER

ROOT = Path(__file__).parents[2]


def job(workflow: str) -> dict[str, Any]:
    """Return the one job of a workflow."""
    described = yaml.safe_load((ROOT / ".github" / "workflows" / workflow).read_text())
    (only,) = described["jobs"].values()
    found: dict[str, Any] = only
    return found


PARTS = {"unit": "make unit", "component": "make component", "browser": "make browser-tests"}
"""The jobs that run tests, each with its command."""


def test_every_supported_python_passes_every_part_of_the_tests() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    supported = [line.rpartition(" ")[2] for line in project["classifiers"] if re.search(r":: 3\.\d+$", line)]
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())["jobs"]
    assert project["requires-python"] == f">={supported[0]}"
    for name, command in PARTS.items():
        assert jobs[name]["strategy"]["matrix"]["python"] == supported
        assert any(step.get("run") == command for step in jobs[name]["steps"])
    for name in ("check", "coverage"):
        assert any(step.get("run") == f"make {name}" for step in jobs[name]["steps"])


def test_the_parts_of_the_pipeline_run_every_folder_of_tests_once() -> None:
    lists = re.findall(r"^[A-Z]+_TESTS +:= (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    listed = sorted(chain.from_iterable(map(str.split, lists)))
    tests = {file.relative_to(ROOT).parts[:2] for file in (ROOT / "tests").rglob("test_*.py")}
    in_check = {"tests/style"}
    assert listed == sorted({"/".join(each) for each in tests} - in_check)


def test_the_pipeline_before_a_merge_runs_every_check_and_every_test() -> None:
    assert (ROOT / ".ci" / "run").read_text().endswith('exec make test PYTEST_ARGS="--reruns 1 -raR"\n')


def test_coverage_of_the_unit_tests_has_a_floor() -> None:
    coverage = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["coverage"]
    assert coverage["report"]["fail_under"] >= 50
    assert "coverage" in job("nightly.yml")["strategy"]["matrix"]["target"]


def test_revisions_that_blame_skips_are_commits() -> None:
    listed = (ROOT / ".git-blame-ignore-revs").read_text().splitlines()
    revisions = [line for line in listed if line and not line.startswith("#")]
    assert revisions
    assert all(re.fullmatch(r"[0-9a-f]{40} # .+", line) for line in revisions)


def test_every_target_of_the_night_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(job("nightly.yml")["strategy"]["matrix"]["target"]) <= targets


def test_figures_of_the_last_night_are_there_when_new_ones_are_measured() -> None:
    steps = job("nightly.yml")["steps"]
    (measured,) = [number for number, step in enumerate(steps) if step.get("run", "").startswith("make ${{")]
    kept = [step["with"] for step in steps[:measured] if step.get("uses", "").startswith("actions/cache@")]
    assert {each["path"] for each in kept} == {str(OUT), str(FOLDER / "corpus")}
    assert all(each["key"].startswith(each["restore-keys"]) for each in kept)


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


PINNED = re.compile(r"(?:[\w.-]+/[\w./-]+@[0-9a-f]{40}|\./\.github/workflows/[\w.-]+\.yml)")


def test_whatever_a_pipeline_uses_is_pinned_by_its_commit() -> None:
    for file in (ROOT / ".github" / "workflows").glob("*.yml"):
        for name, found in yaml.safe_load(file.read_text())["jobs"].items():
            used = [found["uses"]] if "uses" in found else [step["uses"] for step in found["steps"] if "uses" in step]
            for each in used:
                assert PINNED.fullmatch(each), f"{file.name}, {name}: {each}"


def steps_of(workflow: str, name: str) -> str:
    """Return all that a job does, as text."""
    return yaml.safe_dump(
        yaml.safe_load((ROOT / ".github" / "workflows" / workflow).read_text())["jobs"][name]["steps"]
    )


def test_a_release_is_tested_scanned_and_signed_and_says_what_is_in_it() -> None:
    described = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
    assert described[True] == {"push": {"tags": ["v[0-9]+.[0-9]+.[0-9]+"]}}
    assert described["jobs"]["image"]["needs"] == "test"
    assert described["jobs"]["release"]["needs"] == ["image", "wheel", "bundle"]
    assert "bash .ci/run" in steps_of("release.yml", "test")
    image = steps_of("image.yml", "image")
    at = [image.index(word) for word in ("sbom-action", "scan-action", "linux/amd64,linux/arm64", "cosign sign")]
    assert at == sorted(at), "what is known to be vulnerable is not published"
    wheel = steps_of("release.yml", "wheel")
    assert wheel.index("release.py urls") < wheel.index("pip wheel")
    release = steps_of("release.yml", "release")
    for word in ("release.py pin", "cosign sign-blob", "gh release create"):
        assert word in release


def test_a_release_is_published_with_attestations_and_without_a_token() -> None:
    job = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]["pypi"]
    assert job["permissions"] == {"id-token": "write"}
    assert job["environment"] == "pypi"
    assert job["steps"][-1]["with"] == {"attestations": True}
    assert "secrets" not in yaml.safe_dump(job)


def test_a_release_has_a_bundle_for_each_system() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]
    systems = jobs["bundle"]["strategy"]["matrix"]["system"]
    assert [system.partition("-")[0] for system in systems] == ["ubuntu", "macos", "macos", "windows"]
    assert [system.endswith("-intel") for system in systems if system.startswith("macos")] == [False, True]
    assert "deploy/bundle.py wheel dist" in steps_of("release.yml", "bundle")


def test_the_metadata_of_a_release_link_to_its_repository(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    release.urls("https://code.example/cat/faristol", tmp_path)
    written = tomllib.loads((tmp_path / "pyproject.toml").read_text())
    assert written["project"]["urls"]["Repository"] == "https://code.example/cat/faristol"
    assert written["tool"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    with pytest.raises(SystemExit, match="is no address"):
        release.urls("code.example", tmp_path)


def test_the_changelog_speaks_of_this_version_and_of_no_other_in_its_place(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    release.main("notes", f"v{version}")
    assert "\n## " not in capsys.readouterr().out
    with pytest.raises(SystemExit, match="differs from the version in pyproject"):
        release.notes("v99.0.0")


def test_the_manifests_of_a_release_run_its_image_everywhere(tmp_path: Path) -> None:
    if shutil.which("kubectl") is None:
        pytest.skip("there is no kubectl on this machine to render the manifests with")
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    reference = f"ghcr.io/somebody/faristol@sha256:{'0123456789abcdef' * 4}"
    release.pin(reference, tmp_path)
    for overlay in ("dev", "small", "production"):
        folder = tmp_path / "deploy" / "overlays" / overlay
        done = subprocess.run(["kubectl", "kustomize", str(folder)], capture_output=True, text=True, check=True)
        named = set(chain.from_iterable(map(images, yaml.load_all(done.stdout, Loader=LOADER))))
        assert reference in named
        assert all("@sha256:" in image for image in named)
    with pytest.raises(SystemExit, match="no image with a digest"):
        release.pin("faristol:0.1.0", tmp_path)


def test_digests_are_asked_of_a_registry_and_a_tag_that_moved_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "deploy", tmp_path / "deploy")
    monkeypatch.setattr(digests, "DEPLOY", tmp_path / "deploy")
    tool = tmp_path / "bin" / "crane"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho sha256:$(printf '%s' \"$2\" | sha256sum | cut -c1-64)\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:/usr/bin:/bin")

    assert digests.main("--check") == 1
    assert "nats:2.11.8-alpine is sha256:" in capsys.readouterr().out
    assert "@sha256:" in (ROOT / "deploy" / "stores" / "nats" / "nats.yaml").read_text()
    assert digests.main() == 0
    assert digests.main("--check") == 0
    written = (tmp_path / "deploy" / "image" / "Dockerfile").read_text()
    assert re.search(r"^ARG PYTHON=python:[\w.-]+@sha256:[0-9a-f]{64}$", written, re.MULTILINE)
    assert set(tmp_path.rglob("*.yaml")) == {
        tmp_path / file.relative_to(ROOT) for file in (ROOT / "deploy").rglob("*.yaml")
    }
