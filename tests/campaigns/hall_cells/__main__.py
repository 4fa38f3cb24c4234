"""``make hall-cells``: rounds in a hall with its own cell, while the line fails and processes are killed."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from tests.campaigns.hall_cells.campaign import run
from tests.component.test_hall_cell import install_words

OUT = Path("var") / "hall-cells.json"
console = Console()


def main(
    faults: Annotated[int, typer.Option(min=1, help="Number of faults.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the faults.")] = 35,
) -> None:
    """Play until the faults have happened; exit code 1 if the records differ."""
    with tempfile.TemporaryDirectory(prefix="faristol-") as folder:
        outcome = asyncio.run(run(Path(folder), install_words(Path(folder) / "lexicons"), seed, faults))
    written = {**vars(outcome), "acknowledged": len(outcome.acknowledged)}
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    console.print(
        f"{outcome.faults.total()} faults, {outcome.games} games, {len(outcome.acknowledged)} commands, "
        f"{outcome.events} events: {len(outcome.problems)} problems; written to {OUT}"
    )
    sys.exit(bool(outcome.problems))


if __name__ == "__main__":
    typer.run(main)
