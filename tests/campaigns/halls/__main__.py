"""``make halls``: duplicate games in worlds where processes are killed and halls are cut off."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from tests.campaigns.halls.campaign import run

OUT = Path("var") / "halls.json"
console = Console()


def seeds_of(text: str) -> list[int]:
    """Return the seeds as they are written: ``0-999``, ``7`` or ``3,5,9-12``."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def main(
    seeds: Annotated[str, typer.Option(help="Worlds: 0-999, 7 or 3,5,9-12.")] = "0-99",
    jobs: Annotated[int, typer.Option(min=1, help="Worlds at a time.")] = 2,
) -> None:
    """Play every world without faults and with them; exit code 1 where the classifications differ."""
    began = time.perf_counter()
    faults: Counter[str] = Counter()
    problems: dict[int, list[str]] = {}
    played = 0
    with ProcessPoolExecutor(jobs) as pool:
        for found in pool.map(run, seeds_of(seeds), chunksize=4):
            played += 1
            faults += found.faults
            if found.problems:
                problems[found.seed] = found.problems
                console.print(f"world {found.seed}: {'; '.join(found.problems[:3])}", style="red")
    OUT.parent.mkdir(exist_ok=True)
    written = {"worlds": played, "faults": faults, "problems": problems, "seconds": time.perf_counter() - began}
    OUT.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    told = ", ".join(f"{count} × {what}" for what, count in sorted(faults.items()))
    console.print(f"{played} worlds ({told}), {len(problems)} of them otherwise; written to {OUT}")
    sys.exit(bool(problems))


if __name__ == "__main__":
    typer.run(main)
