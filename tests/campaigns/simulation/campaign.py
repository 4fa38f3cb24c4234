"""``make simulate SEEDS=0-1999 JOBS=2``: run many worlds, and report the seeds with errors."""

from __future__ import annotations

import argparse
import gc
import signal
import sys
import time
import traceback
from collections.abc import Iterable
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from tests.campaigns.simulation.report import Report
from tests.campaigns.simulation.run import Outcome, install_lexicon, run

MAX_PROCESS_RUNS = 60
"""Limits the memory that runs leave behind. The start of a process takes as long as two runs."""
MAX_RUN_CPU_SECONDS = 60
"""Fifty times what a run usually takes."""


def main() -> int:
    """Run the requested seeds. Return 0 if every seed is clean, else 1."""
    given = _arguments()
    report = Report()
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with TemporaryDirectory(prefix="faristol-lexicon-") as lexicons, Progress(*columns, console=console) as progress:
        install_lexicon(Path(lexicons))
        bar = progress.add_task("clean so far", total=len(given.seeds))
        with get_context("spawn").Pool(given.jobs, gc.freeze, maxtasksperchild=MAX_PROCESS_RUNS) as pool:
            for outcome, seconds in pool.imap_unordered(partial(_time_run, Path(lexicons)), given.seeds):
                report.add(outcome, seconds, given.out / "simulation")
                if outcome.problems:
                    progress.print(f"seed {outcome.seed}: {'; '.join(outcome.problems)}", markup=False)
                failed = f"{len(report.failures)} failed" if report.failures else "clean so far"
                if not console.is_terminal and not report.seeds % 50:
                    progress.print(f"{report.seeds} of {len(given.seeds)}: {failed}")
                progress.update(bar, advance=1, description=failed)
                if outcome.problems and given.first:
                    break
    report.write(given.out / "simulation.json")
    _tell(report, given.out)
    return 1 if report.failures else 0


class Endless(KeyboardInterrupt):
    """A run takes too much processor time: a step of it may never end. No handler of the platform catches it."""


def _end_run(*_: object) -> NoReturn:
    raise Endless(f"more than {MAX_RUN_CPU_SECONDS} s of processor time")


def _time_run(lexicons: Path, seed: int) -> tuple[Outcome, float]:
    """Return one run and its CPU seconds. Every exception in it is a problem of its seed."""
    start = time.process_time()
    signal.signal(signal.SIGPROF, _end_run)
    signal.setitimer(signal.ITIMER_PROF, MAX_RUN_CPU_SECONDS)
    try:
        outcome = run(seed, lexicons)
    except (Exception, Endless) as problem:  # noqa: BLE001 # the campaign goes on with the other seeds
        told = f"the simulation broke: {problem!r}"
        outcome = Outcome(seed, [told], "", traceback.format_exc().splitlines(), {}, {}, 0, 0, 0.0)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return outcome, time.process_time() - start


def _tell(report: Report, out: Path) -> None:
    for failure in report.failures:
        sys.stdout.write(f"seed {failure.seed}: {'; '.join(failure.problems)[:500]}\n")
        sys.stdout.write(f"    again, alone: {failure.command}    its trace: {failure.trace}\n")
    for situation, runs in sorted(report.reached.items(), key=lambda item: (item[1], item[0])):
        sys.stdout.write(f"reached in {runs:5} of {report.seeds} runs: {situation}\n")
    clean = report.seeds - len(report.failures)
    sys.stdout.write(
        f"{clean} of {report.seeds} seeds clean; {report.events:,} events, {report.steps:,} steps, "
        f"{report.world_seconds:,.0f} s in the worlds, {report.cpu_seconds:,.0f} s of CPU; {out / 'simulation.json'}\n"
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--seeds", type=seeds_of, required=True, help="7, 0-1999, or 3,5,10-20")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time")
    parser.add_argument("--first", action="store_true", help="stop at the first seed with an error")
    parser.add_argument("--out", type=Path, default=Path("var"), help="where the report goes")
    given = parser.parse_args()
    if given.jobs < 1:
        parser.error(f"--jobs is {given.jobs}: expected 1 or more")
    return given


def seeds_of(text: str) -> list[int]:
    """Return the seeds that ``3,5,10-20`` names, in order. Raises ``argparse.ArgumentTypeError``."""
    try:
        found = sorted({seed for part in text.split(",") for seed in _range(part)})
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} names no seeds: expected 7, 0-1999, or 3,5,10-20") from None
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} names no seeds: expected 7, 0-1999, or 3,5,10-20")
    return found


def _range(part: str) -> Iterable[int]:
    first, dash, last = part.partition("-")
    return range(int(first), int(last) + 1) if dash else (int(part),)
