"""``make judges``: challenges from many tables, judges whose connections break, and processes that are killed."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from tests.campaigns.judges.campaign import Campaign, Outcome
from tests.campaigns.torture.__main__ import Database, site_on

from faristol.host import Settings
from faristol.words import DEFAULT_NAME, Library

OUT = Path("var/judges.json")
FOLDER = Path("var/judges")
"""Folder of the cells, and of the data of failed trials."""

console = Console(stderr=True)


def main(
    tables: Annotated[int, typer.Option(min=1, help="Tables, each of which challenges once.")] = 200,
    judges: Annotated[int, typer.Option(min=1, help="Judges beside the director.")] = 10,
    panel: Annotated[int, typer.Option(min=1, help="Judges of a case, an odd number.")] = 1,
    database: Annotated[Database, typer.Option(help="What is tried: sqlite or postgresql.")] = Database.POSTGRESQL,
    kill_every: Annotated[float, typer.Option(min=0.5, help="Seconds between two kills, on average.")] = 5.0,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same lots; drawn if none.")] = None,
) -> None:
    """Check that every challenge is ruled on exactly once and every clock runs again; exit code 1 otherwise."""
    seed = random.SystemRandom().randrange(100_000) if seed is None else seed
    graph = Library(Settings().lexicons).open(DEFAULT_NAME)
    folder = (FOLDER / f"{database}-{seed}").absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    columns = (
        TextColumn("tables that go on"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[kills]} kills"),
    )
    with site_on(database, folder) as site, Progress(*columns, console=console) as progress:
        task = progress.add_task("", total=tables, kills=0)

        def tell(resumed: int, kills: int) -> None:
            progress.update(task, completed=resumed, kills=kills)

        outcome = Outcome(seed, tables, judges, panel)
        asyncio.run(Campaign(site, graph, outcome, kill_every, tell).run())
    OUT.write_text(json.dumps(asdict(outcome), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    _show(outcome)
    if outcome.wrong:
        console.print(f"the data lies in {folder}", soft_wrap=True)
        sys.exit(1)
    shutil.rmtree(folder)


def _show(outcome: Outcome) -> None:
    out = Console()
    median, p95, longest = (value / 1000 for value in (outcome.median_ms, outcome.p95_ms, outcome.longest_ms))
    out.print(
        f"{outcome.ruled} of {outcome.tables} challenges ruled on by {outcome.judges} judges: "
        f"median {median:.1f} s, p95 {p95:.1f} s, longest {longest:.1f} s"
    )
    out.print(
        f"{outcome.kills} kills, {outcome.cut} connections broken, {outcome.returned} claims returned, "
        f"{outcome.late} opinions too late, {outcome.escalated} escalated, {outcome.seconds:.0f} s"
    )
    out.print(f"seed {outcome.seed}; written to {OUT}")
    for line in outcome.wrong:
        out.print(f"wrong: {line}", style="red", highlight=False)


if __name__ == "__main__":
    typer.run(main)
