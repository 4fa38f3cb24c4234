"""``make planted``: plant each bug in a copy of the repository, and see whether a seed of the simulation finds it."""

from __future__ import annotations

import compileall
import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from tests.campaigns.mutants.campaign import PACKAGES, copy_repository
from tests.campaigns.planted.bugs import BUGS, Bug

OUT = Path("var/planted.json")
SEED_TIMEOUT_SECONDS = 120
"""Limit for one seed on average. A bug that makes a world longer is found."""

console = Console(stderr=True)


def main(
    seeds: Annotated[int, typer.Option(min=1, help="Seeds for each bug, from 0, until one finds it.")] = 40,
    least: Annotated[int, typer.Option(min=0, help="Number of bugs that have to be found.")] = 18,
    only: Annotated[str, typer.Option(help="Part of the descriptions of the bugs to plant.")] = "",
) -> None:
    """Exit code 1 if fewer bugs than ``least`` are found, or if a bug cannot be planted in the present code."""
    bugs = [bug for bug in BUGS if only in bug.description]
    with TemporaryDirectory() as folder:
        copy = copy_repository(Path(folder) / "copy")
        for package in (*PACKAGES, "tests/campaigns"):  # once: a planted file differs from its cached code by its time
            compileall.compile_dir(copy / package, quiet=2)
        found = {}
        for bug in bugs:
            found[bug.description] = told = _find(copy, bug, seeds)
            console.print(f"{told or 'NOT FOUND'}: {bug.description}", highlight=False, soft_wrap=True)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps({"seeds": seeds, "found": found}, indent=2) + "\n", encoding="utf-8")
    count = sum(map(bool, found.values()))
    Console().print(f"{count} of {len(bugs)} planted bugs found by {seeds} seeds; written to {OUT}")
    if count < min(least, len(bugs)):
        sys.exit(1)


def _find(copy: Path, bug: Bug, seeds: int) -> str:
    """Return the first problem that the simulation reports with a bug; empty if no seed finds it."""
    content = bug.plant(copy)
    path = os.pathsep.join([*(str(copy / package) for package in PACKAGES), str(copy)])
    command = [
        sys.executable,
        "-m",
        "tests.campaigns.simulation",
        "--seeds",
        f"0-{seeds - 1}",
        "--jobs",
        "1",
        "--first",
    ]
    try:
        done = subprocess.run(
            command,
            cwd=copy,
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
            timeout=SEED_TIMEOUT_SECONDS * seeds,
            capture_output=True,
            text=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "did not end"
    finally:
        (copy / bug.path).write_bytes(content)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"the simulation did not run: {done.stderr[-2_000:]}")
    return next((line for line in done.stdout.splitlines() if line.startswith("seed ")), "")


if __name__ == "__main__":
    typer.run(main)
