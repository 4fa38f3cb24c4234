"""Check that the contract still keeps what it promised: `buf breaking` against what was committed before.

The contract is compared with each of the last commits that changed it, so that nothing which was promised in any
of them breaks, however many steps ago.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
DEPTH = 20
PATHS = ("proto/faristol", "proto/buf.yaml")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def promised() -> list[str]:
    """The commits whose contracts have to be kept, the latest first; none when there is no history."""
    return _git("log", f"-{DEPTH}", "--format=%H", "--", *PATHS).split()


def main() -> int:
    """Run the check; 0 when nothing is broken."""
    commits = promised()
    if not commits:
        print("buf breaking: no history to compare with")  # noqa: T201
    with ThreadPoolExecutor(os.cpu_count()) as workers:
        for commit, compared in zip(commits, workers.map(_compared, commits), strict=True):
            if compared.returncode:
                print(compared.stdout, f"the contract breaks what commit {commit[:10]} promised", sep="")  # noqa: T201
                return compared.returncode
    return 0


def _compared(commit: str) -> subprocess.CompletedProcess[str]:
    """What `buf breaking` says of the contract beside that of a commit."""
    buf = Path(sys.executable).with_name("buf")
    return subprocess.run(
        [buf, "breaking", "proto", "--against", f".git#ref={commit},subdir=proto"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


if __name__ == "__main__":
    sys.exit(main())
