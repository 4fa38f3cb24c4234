"""``make faults``: faults of a cell of two replicas, and their effect on players and viewers."""

from __future__ import annotations

import os

# as in tests/conftest.py: PostgreSQL is started as a separate user, which forks beside gRPC's threads
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

import asyncio
import json
import logging
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from tests.campaigns.faults import release, report
from tests.campaigns.faults.campaign import Outcome, Tools, Trial, compare
from tests.campaigns.faults.faults import FAULTS, NOTHING, Fault
from tests.campaigns.faults.load import PLAYERS, ROUNDS, RULESET, SERIES_COUNT, Standings
from tests.campaigns.faults.scene import Untried

from faristol.host import Settings
from faristol.words import DEFAULT_NAME, Library

OUT = Path("var/faults.json")
FOLDER = Path("var/faults")
"""Folder of the cells, and of the data of failed trials."""

UNDISTURBED = Path("var/faults-undisturbed.json")
"""The standings of the last undisturbed run, for trials of single faults."""

console = Console(highlight=False)


def main(
    faults: Annotated[list[str] | None, typer.Argument(help="Which faults; all where none is named.")] = None,
    version: Annotated[str | None, typer.Option(help="The commit that is the version before.")] = None,
) -> None:
    """Inject faults under load; exit code 1 if an event or a call is lost, or another check fails."""
    known = {fault.name: fault for fault in FAULTS}
    if unknown := set(faults or ()) - set(known):
        raise typer.BadParameter(f"no such fault: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    undisturbed = _load_undisturbed() if faults else {}
    chosen = [fault for fault in FAULTS if not faults or fault.name in faults or (fault is NOTHING and not undisturbed)]
    logging.getLogger("nats").setLevel(logging.CRITICAL)  # its connections are cut on purpose
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    folder = FOLDER.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    is_mixed = any(fault.two_versions for fault in chosen)
    tools = Tools(
        Library(Settings().lexicons).open(DEFAULT_NAME),
        release.before(folder / "release", version) if is_mixed else None,
    )
    outcomes = {outcome.fault: outcome for outcome in (report.earlier(OUT) if faults else [])}
    for fault in chosen:
        outcome = _try_fault(fault, folder / fault.name, tools, undisturbed)
        outcomes[fault.name] = outcome
        _tell(outcome)
        written = report.as_json([outcomes[each.name] for each in FAULTS if each.name in outcomes])
        OUT.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(report.as_markdown(report.earlier(OUT)))  # noqa: T201 # to be copied whole
    console.print(f"written to {OUT}")
    if tools.release:
        console.print(f"the version before: {tools.release.name}, which reads format {tools.release.format}")
    if any(outcomes[fault.name].wrong for fault in chosen):
        console.print(f"what went wrong lies in {folder}")
        sys.exit(1)


def _try_fault(fault: Fault, folder: Path, tools: Tools, undisturbed: dict[int, Standings]) -> Outcome:
    """Return the outcome of a fault. The undisturbed run adds its standings to ``undisturbed``."""
    folder.mkdir()
    trial = Trial(fault, folder, tools)
    try:
        asyncio.run(trial.run())
    except Untried as problem:
        trial.outcome.untried = str(problem)
        return trial.outcome
    except (AssertionError, TimeoutError, subprocess.CalledProcessError) as problem:
        trial.outcome.wrong.append(f"it could not be tried to the end: {problem}")
        return trial.outcome
    if fault is NOTHING:
        undisturbed.update(trial.finished)
        UNDISTURBED.write_text(json.dumps(undisturbed), encoding="utf-8")
    of_release = {}
    if fault.two_versions and tools.release:
        begun = [seed for seed in trial.finished if seed <= SERIES_COUNT]
        of_release = {seed: tools.release.play(seed, PLAYERS, ROUNDS, RULESET) for seed in begun}
    compare(trial.outcome, trial.finished, undisturbed, of_release)
    if not trial.outcome.wrong:
        shutil.rmtree(folder)
    return trial.outcome


def _tell(outcome: Outcome) -> None:
    if outcome.untried:
        console.print(f"{outcome.fault}: not tried: {outcome.untried}")
        return
    console.print(
        f"{outcome.fault}: {outcome.calls:,} calls, {sum(outcome.again.values())} sent again, "
        f"{outcome.failed} failed; {outcome.lost} lost, {outcome.doubled} doubled; standings {outcome.standings}; "
        f"well after {outcome.well:.1f} s; {outcome.seconds:.0f} s"
    )
    for sentence in outcome.wrong:
        console.print(f"  {sentence}", markup=False)


def _load_undisturbed() -> dict[int, Standings]:
    """Return the standings of the last undisturbed run; empty if there was none."""
    if not UNDISTURBED.exists():
        return {}
    return {int(seed): lines for seed, lines in json.loads(UNDISTURBED.read_text(encoding="utf-8")).items()}


if __name__ == "__main__":
    typer.run(main)
