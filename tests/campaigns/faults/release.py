"""The version before this one, as it was committed, to be run beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.campaigns.faults.load import Place
from tests.component.processes import FARISTOL, environment, standings

from faristol.host.renamed_settings import RENAMED_SETTINGS

ROOT = Path(__file__).parents[3]
EARLIER = "d271724a0f857b217bfe6cc9e12ff4005c3503f0"
"""The version before, as long as none was tagged: a commit with the same services and format 2 of the record."""
START = "start"
"""Name of the script that starts a version."""
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
        """The command with which Faristol is started, so that it has this version and its names of settings."""
        return (str(self.folder / START),)

    def play(self, seed: int, players: int, rounds: int, ruleset: str) -> list[Place]:
        """Return the final places of an undisturbed championship of this version.

        Raises ``subprocess.CalledProcessError`` if it fails.
        """
        plan = ("--seed", str(seed), "--players", str(players), "--rounds", str(rounds), "--ruleset", ruleset)
        command = [*self.by, FARISTOL, "demo", *plan, "--json"]
        done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
        return [
            (line["rank"], line["player_id"], line["wins"], line["losses"], line["spread"], line["total"])
            for line in standings(done.stdout)
        ]

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
    _write_start(folder)
    return Release(_git("describe", "--always", "--tags", chosen), folder)


def _write_start(folder: Path) -> None:
    """Write the script that starts the version in ``folder``, with settings under the names that it knows."""
    renamed = folder / "libs/faristol/host/renamed_settings.py"
    known = renamed.read_text(encoding="utf-8") if renamed.exists() else ""
    lines = ["#!/bin/sh"]
    for old, new in RENAMED_SETTINGS.items():
        if new not in known:
            lines.append(f'[ -z "${{{new}+given}}" ] || {{ export {old}="${new}"; unset {new}; }}')
    path = os.pathsep.join(str(folder / part) for part in ("libs", "services", "apps"))
    lines.append(f"PYTHONPATH='{path}' exec \"$@\"")
    start = folder / START
    start.write_text("\n".join(lines) + "\n", encoding="utf-8")
    start.chmod(0o755)


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
