"""``make hall-cells``: halls with their own cells, while lines fail and processes are killed, and many at once."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from tests.campaigns.hall_cells import campaign, scale
from tests.campaigns.hall_cells.chaos import run_flapping
from tests.component.test_hall_cell import install_words

FAULTS_OUT, SCALE_OUT = Path("var") / "hall-cells.json", Path("var") / "hall-cells-scale.json"
PAUSE_SECONDS = 0.15
"""Longest pause between two turns for each fault of a campaign, so that its rounds last as long as its faults."""
console = Console()
app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.command("faults")
def run_faults(
    faults: Annotated[int, typer.Option(min=1, help="Number of faults.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the faults and of the games.")] = 35,
) -> None:
    """Play until the faults have happened; exit code 1 if the records differ, also from an undisturbed run."""
    with _logged_folder() as folder:
        words, pause = install_words(folder / "lexicons"), PAUSE_SECONDS * faults
        outcome = asyncio.run(campaign.run(folder, words, seed, faults, pause_seconds=pause))
    _report(outcome)


@app.command("flapping")
def run_flaps(
    seconds: Annotated[int, typer.Option(min=10, help="How long the line flaps.")] = 3_600,
    pause: Annotated[float, typer.Option(min=0, help="Longest pause between two turns of a game, in seconds.")] = 30.0,
    seed: Annotated[int, typer.Option(help="Seed of the games.")] = 35,
) -> None:
    """Cut the line every five seconds while rounds are played; exit code 1 if the records differ."""
    with _logged_folder() as folder:
        words = install_words(folder / "lexicons")
        outcome = asyncio.run(campaign.run(folder, words, seed, seconds, run_flapping, pause))
    _report(outcome)


@contextmanager
def _logged_folder() -> Iterator[Path]:
    """Yield a new folder, which is removed unless an exception comes: then it has the records and the logs."""
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    folder = Path(tempfile.mkdtemp(prefix="faristol-"))
    try:
        yield folder
    except BaseException:
        console.print(f"the records and the logs are in {folder}")
        raise
    shutil.rmtree(folder)


def _report(outcome: campaign.Outcome) -> None:
    """Write and print what happened, and end with code 1 after a problem."""
    _write(FAULTS_OUT, {**vars(outcome), "acknowledged": len(outcome.acknowledged)})
    console.print(
        f"{outcome.faults.total()} faults, {outcome.games} games, {len(outcome.acknowledged)} commands, "
        f"{outcome.events} events, {outcome.unsynced} files without their last bytes, {outcome.late} late calls: "
        f"{len(outcome.problems)} problems; written to {FAULTS_OUT}"
    )
    sys.exit(bool(outcome.problems))


@app.command("scale")
def run_scale(
    halls: Annotated[int, typer.Option(min=2, help="Halls with a cell of their own.")] = 12,
    tables: Annotated[int, typer.Option(min=1, help="Tables of each hall.")] = 50,
    cut: Annotated[int, typer.Option(min=1, help="Halls that are cut off for the round.")] = 3,
    events: Annotated[int, typer.Option(min=1, help="Events of each of these, at least.")] = 3_000,
    seed: Annotated[int, typer.Option(help="Seed of the games.")] = 35,
    own_computers: Annotated[
        bool, typer.Option("--own-computers", help="Give the other halls priority, as computers of their own would.")
    ] = False,
) -> None:
    """Cut halls off for a round, and measure their return; exit code 1 if the records differ."""
    with tempfile.TemporaryDirectory(prefix="faristol-") as folder:
        words = install_words(Path(folder) / "lexicons")
        size = scale.Size(halls, tables, cut, events, own_computers)
        found = asyncio.run(scale.run(Path(folder), words, size, seed))
    _write(SCALE_OUT, asdict(found))
    console.print(
        f"{cut} of {halls} halls with {sum(found.events.values())} events are back after {found.return_seconds} s "
        f"and {sum(found.return_processor_seconds.values()):.1f} s of a processor, of which "
        f"{found.return_processor_seconds['championship']:.1f} s of the championship; "
        f"memory of a cell at most {max(found.memory_mb.values())} MB, start at most "
        f"{max(found.start_seconds.values())} s: {len(found.problems)} problems; written to {SCALE_OUT}"
    )
    for name, phases in found.latencies.items():
        console.print(f"{name}: " + ", ".join(f"{phase} p99 {each['p99_ms']} ms" for phase, each in phases.items()))
    sys.exit(bool(found.problems))


def _write(path: Path, content: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    app()
