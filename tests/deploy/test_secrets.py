"""The tree and the commits of its history contain no key, token or password."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from faristol.access_control import keyring
from faristol.access_control.credential import Credential, Scope
from faristol.access_control.roles import DIRECTOR
from faristol.access_control.tokens import issue

ROOT = Path(__file__).parents[2]
KINGFISHER = Path(sys.executable).with_name("kingfisher")
FINDING_STATUS = 200
"""Exit status of the scanner after an unverified finding; 205 after a verified one."""
SKIPPED = ("--skip-word", "everybody-knows")
"""The password of the cluster that is for trying things out."""


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the compiled rules of the scanner; the compilation takes longer than a scan."""
    return tmp_path_factory.mktemp("rules")


def scan(repository: Path, scratch: Path, rules: Path) -> list[dict[str, Any]]:
    """Return the findings of the scanner in the files of a folder and, for a repository, in all of its commits."""
    report = scratch / "report.json"
    arguments = ["--no-validate", "--no-update-check", "--git-history", "full", "--format", "json"]
    run = subprocess.run(
        [KINGFISHER, "scan", repository, *arguments, *SKIPPED, "--output", report, "--rule-cache-dir", rules],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode in (0, FINDING_STATUS), run.stderr
    document = json.loads(report.read_text(encoding="utf-8"))
    assert document["audit"]["summary"]["scan_succeeded"] == 1, document["audit"]
    return [found["finding"] for found in document["findings"]]


def git(repository: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org")
    subprocess.run(["git", "-C", repository, *settings, *arguments], check=True, capture_output=True)


@pytest.fixture
def clone() -> Path:
    """Return this repository."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone: there is no history to look through")
    return ROOT


def tree(clone: Path, copy: Path) -> Path:
    """Return a copy of the committed files and of new ones: parallel tests write files that must not be read."""
    listed = ["git", "-C", str(clone), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        if (clone / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(clone / name, copy / name)
    return copy


def places(findings: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return the places of these findings."""
    return [(finding["path"], finding["line"], finding.get("git_metadata")) for finding in findings]


def test_the_tree_holds_no_secret(clone: Path, tmp_path: Path, rules: Path) -> None:
    found = scan(tree(clone, tmp_path / "tree"), tmp_path, rules)

    assert not places(found), "made for trying out? then SKIPPED says so"


@pytest.mark.nightly
def test_history_holds_no_secret(clone: Path, tmp_path: Path, rules: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(clone), "history")

    found = scan(tmp_path / "history", tmp_path, rules)

    assert not places(found), "made for trying out? then SKIPPED says so"


def test_a_key_and_a_token_that_were_committed_and_removed_are_found(tmp_path: Path, rules: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    keyring.prepare(repository / "access")
    now = datetime.now(UTC).replace(microsecond=0)
    credential = Credential("c", "eva", DIRECTOR, Scope(frozenset({"open"})), now, now + timedelta(hours=1))
    token = issue(credential, keyring.Keyring(repository / "access").signer(), "record")
    (repository / "notes.txt").write_text(f"export FARISTOL_CLIENT_TOKEN={token}\n", encoding="utf-8")
    git(tmp_path, "init", "--quiet", str(repository))
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "Add")
    git(repository, "rm", "-r", "--quiet", "access", "notes.txt")
    git(repository, "commit", "--quiet", "--message", "Remove")

    found = scan(repository, tmp_path, rules)

    assert {finding["path"].split("/")[0] for finding in found} == {"access", "notes.txt"}
