"""``make fuzz``: fuzz every parser that strangers reach, each in a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

SEEDS = Path(__file__).parent / "corpus"
"""Committed inputs of each target: what it must read or refuse, and every input that once found an error."""

FOLDER, OUT = Path("var/fuzz"), Path("var/fuzz.json")

START_TIMEOUT_SECONDS = 300
"""Seconds in which a target must be imported, beside those of its fuzzing."""

_EXECUTED = re.compile(r"stat::number_of_executed_units:\s+(\d+)")
_TRACE = re.compile(r"=== Uncaught Python exception: ===\n(.*?)\n==", re.DOTALL)

console = Console(highlight=False)


@dataclass
class Outcome:
    """The fuzzing of one target."""

    target: str
    seconds: float = 0
    inputs: int = 0
    """Inputs that were tried."""
    corpus: int = 0
    """Inputs in the corpus, each of which reaches code that no other reaches."""
    error: str = ""
    """The end of the output of a failed process; empty without an error."""
    artifact: str = ""
    """File with the input of the error."""


def main(
    targets: Annotated[list[str] | None, typer.Argument(help="Names of targets; all by default.")] = None,
    seconds: Annotated[int, typer.Option(min=1, help="Seconds for all targets together, on one core.")] = 1_800,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at a time.")] = os.cpu_count() or 1,
) -> None:
    """Fuzz the targets; exit code 1 if one refuses an input. The corpora are kept in var/fuzz for the next run."""
    from tests.fuzz.targets import TARGETS  # only for the names

    names = targets or list(TARGETS)
    if unknown := sorted(set(names) - set(TARGETS)):
        raise typer.BadParameter(f"no target {', '.join(unknown)}; expected some of {', '.join(TARGETS)}")
    each = max(1, seconds * jobs // len(names))
    with ThreadPoolExecutor(jobs) as pool:
        outcomes = list(pool.map(partial(fuzz, seconds=each), names))
    OUT.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=2) + "\n", encoding="utf-8")
    table = Table("target", "inputs", "a second", "corpus", "error")
    for outcome in outcomes:
        rate = outcome.inputs / outcome.seconds if outcome.seconds else 0
        table.add_row(outcome.target, f"{outcome.inputs:,}", f"{rate:,.0f}", str(outcome.corpus), outcome.artifact)
    console.print(table)
    failed = [outcome for outcome in outcomes if outcome.error]
    for outcome in failed:
        console.print(f"{outcome.target}: {outcome.artifact}\n{outcome.error}", markup=False)
    sys.exit(1 if failed else 0)


def fuzz(target: str, seconds: int) -> Outcome:
    """Fuzz one target, and return what was tried and found."""
    corpus, artifacts, seeds = FOLDER / "corpus" / target, FOLDER / "errors" / target, SEEDS / target
    shutil.rmtree(artifacts, ignore_errors=True)
    for folder in (corpus, artifacts):
        folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.fuzz.child", target, str(seconds), *map(str, (corpus, artifacts, seeds))]
    began = time.monotonic()
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=seconds + START_TIMEOUT_SECONDS
        )
        output, failed = ended.stdout + ended.stderr, ended.returncode != 0
    except subprocess.TimeoutExpired as late:
        output, failed = f"no end after {late.timeout:.0f} seconds", True
    executed, trace = _EXECUTED.search(output), _TRACE.search(output)
    found = sorted(artifacts.iterdir())
    return Outcome(
        target,
        time.monotonic() - began,
        int(executed[1]) if executed else 0,
        sum(1 for _ in corpus.iterdir()),
        (trace[1] if trace else output[-2_000:]) if failed else "",
        str(found[0]) if found else "",
    )


if __name__ == "__main__":
    typer.run(main)
