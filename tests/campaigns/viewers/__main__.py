"""``make viewers``: viewers over kills of gateway, results, NATS and the database."""

from __future__ import annotations

import asyncio
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from tests.campaigns.viewers.campaign import Campaign, Outcome, Site

FOLDER = Path("var/viewers")

console = Console(highlight=False)


def main(
    viewers: Annotated[int, typer.Option(min=1, max=10_000)] = 1_000,
    news: Annotated[int, typer.Option(min=100, help="Events that are told.")] = 10_000,
    per_second: Annotated[float, typer.Option(min=1, help="Events a second.")] = 100,
    kills: Annotated[int, typer.Option(min=6, help="Kills, at least.")] = 6,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same kills.")] = 1,
) -> None:
    """Write events, kill, and count the frames that viewers missed or got twice; exit code 1 if there are any."""
    folder = FOLDER.absolute() / str(seed)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    site = Site(folder)
    try:
        outcome = asyncio.run(Campaign(site, seed, Outcome(viewers, news, kills), console.print).run(per_second))
    finally:
        site.stop()
    killed = ", ".join(f"{name} {count}" for name, count in sorted(outcome.kills.items()))
    console.print(f"{viewers:,} viewers × {news:,} pieces of news in {outcome.seconds:.0f} s; kills: {killed}")
    console.print(f"{outcome.told:,} frames on {outcome.connections:,} connections")
    console.print(", ".join(f"{name} {count:,} plays" for name, count in outcome.program_events.items()))
    console.print(f"missed {outcome.missed}, repeated {outcome.repeated}, late {outcome.late}")
    for line in outcome.wrong:
        console.print(line)
    if not outcome.is_good:
        console.print(f"logs: {folder}")
        sys.exit(1)
    shutil.rmtree(folder)


if __name__ == "__main__":
    typer.run(main)
