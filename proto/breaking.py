"""Check that the contract is compatible with its earlier commits, by `buf breaking`.

The contract is compared with each of the last commits that changed it, so that a program that was built
for any of them still works.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
COMPARED_COMMITS_COUNT = 8
PATHS = ("proto/faristol", "proto/buf.yaml")
BUF = Path(sys.executable).with_name("buf")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def list_commits() -> list[str]:
    """List the commits whose contracts must be kept, the latest first; empty without a history."""
    return _git("log", f"-{COMPARED_COMMITS_COUNT}", "--format=%H", "--", *PATHS).split()


def main() -> int:
    """Run the check; return 0 if the contract keeps every promise."""
    commits = list_commits()
    if not commits:
        print("buf breaking: no history to compare with")  # noqa: T201
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as workers:
        contracts = {image.read_bytes(): image for image in workers.map(lambda it: _build(it, Path(folder)), commits)}
        for image, result in zip(contracts.values(), workers.map(_compare, contracts.values()), strict=True):
            if result.returncode:
                print(result.stdout, f"the contract breaks what commit {image.stem[:10]} promised", sep="")  # noqa: T201
                return result.returncode
    return 0


def _build(commit: str, folder: Path) -> Path:
    """Build the contract of a commit without its comments, so that commits that change only comments are equal.

    The commit is given as an archive: for a reference to the repository, buf clones all of it each time.
    """
    archive = folder / f"{commit}.tar"
    subprocess.run(["git", "archive", "--output", archive, commit, "proto"], cwd=ROOT, check=True)
    image = archive.with_suffix(".binpb")
    subprocess.run([BUF, "build", "--exclude-source-info", f"{archive}#subdir=proto", "--output", image], check=True)
    return image


def _compare(image: Path) -> subprocess.CompletedProcess[str]:
    """Run `buf breaking` for the contract against that of a commit."""
    return subprocess.run(
        [BUF, "breaking", "proto", "--against", image],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main())
