"""``make rounds``: a championship of 1,000 players, and how long the director waits for the pairing of each round."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.console import Console
from tests.campaigns.rounds.campaign import Paired, Plan, play_plan

from faristol.bus import NatsServer

OUT = Path("var")

console = Console()


def main(
    players: Annotated[int, typer.Option(min=8, max=1_000, help="Players, the late ones included.")] = 1_000,
    rounds: Annotated[int, typer.Option(min=5, help="Rounds.")] = 12,
    ruleset: Annotated[str, typer.Option(help="Whose pairing; its system can be chosen by --pairing.")] = "fisc-2023",
    pairing: Annotated[str, typer.Option(help="swiss or dutch.")] = "swiss",
    within: Annotated[float, typer.Option(min=0.0, help="Seconds that a round may take.")] = 5.0,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same results.")] = 1,
) -> None:
    """Pair a championship with late entries, byes and withdrawals; exit code 1 when a round takes too long."""
    plan = Plan(players, rounds, ruleset, pairing, seed)
    found = asyncio.run(_campaign(plan))
    slowest = max(paired.seconds for paired in found)
    OUT.mkdir(exist_ok=True)
    out = OUT / f"rounds-{pairing}.json"
    written = {"plan": asdict(plan), "rounds": [asdict(paired) for paired in found], "slowest_seconds": slowest}
    out.write_text(json.dumps(written, indent=2) + "\n", encoding="utf-8")
    console.print(f"slowest of {len(found)} rounds: {slowest:.2f} s; written to {out}")
    if late := [paired.round for paired in found if paired.seconds > within]:
        console.print(f"not paired within {within:g} s: rounds {', '.join(map(str, late))}", style="red")
        sys.exit(1)


async def _campaign(plan: Plan) -> list[Paired]:
    def tell(paired: Paired) -> None:
        console.print(
            f"round {paired.round}: {paired.players} players, {paired.tables} tables, "
            f"{paired.sitting_out} sit out; paired in {paired.seconds:.2f} s"
        )

    with TemporaryDirectory() as folder:
        server = await NatsServer.start(Path(folder))
        try:
            return await play_plan(plan, server.url, tell)
        finally:
            await server.stop()


if __name__ == "__main__":
    typer.run(main)
