"""Check that the contract still keeps what it promised: `buf breaking` against what was committed before.

A changed working tree is compared with the last commit; a clean one with the commit that changed `proto/`
before the last did. As every step is compared with the one before it, nothing that was ever promised breaks.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PATHS = ("proto/faristol", "proto/buf.yaml")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def promised() -> str:
    """The commit whose contract has to be kept; empty when this contract is the first, or there is no history."""
    commits = _git("log", "--format=%H", "--", *PATHS).split()
    changed = bool(_git("status", "--porcelain", "--", *PATHS))
    return next(iter(commits if changed else commits[1:]), "")


def main() -> int:
    """Run the check; 0 when nothing is broken."""
    commit = promised()
    if not commit:
        print("buf breaking: no earlier contract to compare with")  # noqa: T201
        return 0
    buf = Path(sys.executable).with_name("buf")
    return subprocess.run(
        [buf, "breaking", "proto", "--against", f".git#ref={commit},subdir=proto"], cwd=ROOT, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
