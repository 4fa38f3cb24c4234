"""``make mutants``: change pure code at random places, and see whether a test fails."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from tests.campaigns.mutants.campaign import Tried, Verdict, as_json, measure_lines, sample, try_mutants

OUT = Path("var/mutants.json")
TOURNAMENT = "services/faristol/tournament"
ROOMS = (
    "libs/faristol/rules",
    "libs/faristol/table",
    *(
        f"{TOURNAMENT}/{room}"
        for room in (
            "administration",
            "byes",
            "discipline",
            "engines",
            "pairing_explanations",
            "players",
            "results",
            "rounds",
            "state",
            "teams",
        )
    ),
)
SUITES = (
    "tests/unit/kernel",
    "tests/unit/rules",
    "tests/unit/tournament",
    "tests/unit/table",
    "tests/unit/old_events",
    "tests/rulebook",
)

console = Console(stderr=True)


def main(
    rooms: Annotated[list[str] | None, typer.Argument(help="Folders or files of the product.")] = None,
    count: Annotated[int, typer.Option(min=1, help="How many mutants.")] = 200,
    jobs: Annotated[int, typer.Option(min=1, help="How many at a time.")] = 2,
    least: Annotated[float, typer.Option(min=0, max=1, help="The share that has to be caught.")] = 0.95,
    seed: Annotated[int | None, typer.Option(min=0, help="Of the sample; drawn if none.")] = None,
    suites: Annotated[list[str] | None, typer.Option("--suite", help="Folders of tests, repeated.")] = None,
) -> None:
    """Exit code 1 when fewer mutants than ``least`` are caught by a test."""
    seed = random.SystemRandom().randrange(100_000) if seed is None else seed
    rooms, suites = rooms or list(ROOMS), suites or list(SUITES)
    with TemporaryDirectory() as folder:
        console.print(f"seed {seed}; which test runs which line?")
        lines = measure_lines(Path(folder), rooms, suites)
        found = try_mutants(Path(folder), sample(rooms, count, seed), lines, jobs, _tell)
    counted = Counter(outcome.verdict for outcome in found)
    caught = (counted[Verdict.KILLED] + counted[Verdict.SLOW]) / len(found)
    OUT.parent.mkdir(exist_ok=True)
    written = {"seed": seed, "rooms": rooms, "suites": suites, "caught": caught, "mutants": as_json(found)}
    OUT.write_text(json.dumps(written, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    told = ", ".join(f"{counted[verdict]} {verdict}" for verdict in Verdict)
    Console().print(f"{caught:.1%} of {len(found)} mutants caught: {told}; seed {seed}; written to {OUT}")
    if caught < least:
        sys.exit(1)


def _tell(outcome: Tried) -> None:
    if outcome.verdict in (Verdict.SURVIVED, Verdict.UNTESTED):
        console.print(f"{outcome.verdict}: {outcome.mutant} ({outcome.tests} tests)", highlight=False, soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
