"""No key, token or password lies in the tree, nor in a commit of its history."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from faristol.credentials import keyring
from faristol.credentials.credential import Credential, Scope
from faristol.credentials.roles import DIRECTOR
from faristol.credentials.tokens import issue

ROOT = Path(__file__).parents[2]
KINGFISHER = Path(sys.executable).with_name("kingfisher")
FOUND = 200
"""What the scanner exits with after a finding that it did not try out; 205 after one that works."""
SKIPPED = ("--exclude", "var", "--exclude", ".venv", "--skip-word", "everybody-knows")
"""What is made here and is in no commit, and the password of the cluster that is for trying things out."""


def scan(repository: Path, scratch: Path) -> list[dict[str, Any]]:
    """What the scanner finds in the files of a repository and in all of its commits."""
    report = scratch / "report.json"
    arguments = ["--no-validate", "--no-update-check", "--git-history", "full", "--format", "json"]
    run = subprocess.run(
        [KINGFISHER, "scan", repository, *arguments, *SKIPPED, "--output", report, "--rule-cache-dir", scratch],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert run.returncode in (0, FOUND), run.stderr
    document = json.loads(report.read_text(encoding="utf-8"))
    assert document["audit"]["summary"]["scan_succeeded"] == 1, document["audit"]
    return [found["finding"] for found in document["findings"]]


def git(repository: Path, *arguments: str) -> None:
    settings = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org")
    subprocess.run(["git", "-C", repository, *settings, *arguments], check=True, capture_output=True)


def test_neither_tree_nor_history_holds_a_secret(tmp_path: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone: there is no history to look through")

    found = scan(ROOT, tmp_path)

    places = [(finding["path"], finding["line"], finding.get("git_metadata")) for finding in found]
    assert not places, "made for trying out? then SKIPPED says so"


def test_a_key_and_a_token_that_were_committed_and_removed_are_found(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    keyring.prepare(repository / "access")
    now = datetime.now(UTC).replace(microsecond=0)
    credential = Credential("c", "eva", DIRECTOR, Scope(frozenset({"open"})), now, now + timedelta(hours=1))
    token = issue(credential, keyring.Keyring(repository / "access").signer(), "record")
    (repository / "notes.txt").write_text(f"export FARISTOL_TOKEN={token}\n", encoding="utf-8")
    git(tmp_path, "init", "--quiet", str(repository))
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "Add")
    git(repository, "rm", "-r", "--quiet", "access", "notes.txt")
    git(repository, "commit", "--quiet", "--message", "Remove")

    found = scan(repository, tmp_path)

    assert {finding["path"].split("/")[0] for finding in found} == {"access", "notes.txt"}
