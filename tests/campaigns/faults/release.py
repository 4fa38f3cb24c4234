"""The version before this one, as it was committed, to be run beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
EARLIER = "f4010a451ed3035c99012dc21ec3f53d4a13c51e"
"""The version before, as long as none was tagged: a commit with the same services and the same format."""
FORMAT = re.compile(r"^(?:RECORD_)?FORMAT = (\d+)$", re.MULTILINE)
TABLES = ("libs/faristol/event_store/backends/tables.py", "libs/faristol/record/tables.py")
"""Where versions say their format, the newest layout first."""


@dataclass(frozen=True)
class Release:
    """A version in a folder."""

    name: str
    folder: Path

    @property
    def by(self) -> Sequence[str]:
        """The command with which Faristol is started, so that it has this version."""
        return (
            "env",
            "PYTHONPATH=" + os.pathsep.join(str(self.folder / part) for part in ("libs", "services", "apps")),
        )

    @property
    def format(self) -> int:
        """The format of the record that it reads."""
        tables = next(self.folder / file for file in TABLES if (self.folder / file).exists())
        found = FORMAT.search(tables.read_text(encoding="utf-8"))
        assert found
        return int(found[1])


def before(folder: Path, commit: str | None = None) -> Release:
    """Return the newest release, or a commit, laid out in ``folder`` with its generated code.

    Raises ``subprocess.CalledProcessError`` where the history does not reach so far.
    """
    chosen = commit or _tag() or EARLIER
    folder.mkdir(parents=True)
    parts = _git("ls-tree", "--name-only", chosen, "libs", "services", "apps", "proto").split()
    archive = subprocess.Popen(["git", "-C", ROOT, "archive", chosen, *parts], stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=True)
    assert archive.wait() == 0
    subprocess.run([sys.executable, folder / "proto" / "generate.py"], check=True, cwd=folder, capture_output=True)
    return Release(_git("describe", "--always", "--tags", chosen), folder)


def _tag() -> str:
    """Return the newest tag of a release before this commit; empty if there is none."""
    found = subprocess.run(
        ["git", "-C", ROOT, "describe", "--tags", "--abbrev=0", "--match", "v[0-9]*", "HEAD~1"],
        capture_output=True,
        text=True,
        check=False,
    )
    return found.stdout.strip()


def _git(*arguments: str) -> str:
    return subprocess.run(["git", "-C", ROOT, *arguments], check=True, capture_output=True, text=True).stdout.strip()
