"""``make dutch``: random tournaments, paired by this program and by independent ones, in parts."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from tests.campaigns.dutch.campaign import CAISSIFY, GENERATORS, Series, compare
from tests.campaigns.halls.__main__ import seeds_of

OUT = Path("var")
console = Console()


def main(
    size: Annotated[str, typer.Option(help="Players and rounds of a tournament: 20x9 or 10x5.")] = "20x9",
    generator: Annotated[str, typer.Option(help="plain, eventful, caissify or checker.")] = "eventful",
    engine: Annotated[
        list[str] | None,
        typer.Option(help="caissify, or the path of a program with the command line of bbpPairings."),
    ] = None,
    seeds: Annotated[str, typer.Option(help="Tournaments: 0-499 is the first of ten parts of 5,000.")] = "0-499",
    jobs: Annotated[int, typer.Option(min=1, help="Tournaments at a time.")] = 2,
) -> None:
    """Compare every round of the tournaments; exit code 1 if a pair, a bye or a decided colour differs."""
    players, _, rounds = size.partition("x")
    if not (players.isdecimal() and rounds.isdecimal()) or generator not in GENERATORS:
        raise typer.BadParameter(f"expected a size such as 20x9, and one of the generators {', '.join(GENERATORS)}")
    series, began = Series(int(players), int(rounds), generator, tuple(engine or [CAISSIFY])), time.perf_counter()
    if missing := [path for path in series.checkers if shutil.which(path) is None]:
        raise typer.BadParameter(f"expected --engine caissify or an executable file, not {', '.join(missing)}")
    if generator == "checker" and not series.checkers:
        raise typer.BadParameter("the tournaments of a checker need --engine with its path")
    counts: Counter[str] = Counter()
    differing: dict[int, list[str]] = {}
    played = 0
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(partial(compare, series), seeds_of(seeds), chunksize=10):
            played += 1
            counts += found.counts
            if found.differences:
                differing[found.seed] = found.differences
                console.print(f"tournament {found.seed}: {'; '.join(found.differences)}", style="red")
    OUT.mkdir(exist_ok=True)
    out = OUT / f"dutch-{size}-{generator}-{seeds}.json"
    written = {
        "tournaments": played,
        "engines": series.engines,
        "counts": dict(sorted(counts.items())),
        "differing": differing,
        "seconds": time.perf_counter() - began,
    }
    out.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    console.print(
        f"{played} tournaments, {counts['rounds']} rounds, {len(differing)} tournaments differ; written to {out}"
    )
    sys.exit(bool(differing))


if __name__ == "__main__":
    typer.run(main)
