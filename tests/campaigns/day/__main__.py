"""``make day``: a championship in one day, by players with phones and one director."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from tests.campaigns.day.campaign import MAX_P99_MS, MAX_ROUND_ACTS, Campaign, Outcome, Plan
from tests.campaigns.day.site import open_site

FOLDER, OUT = Path("var/day"), Path("var/day.json")

console = Console(highlight=False)


def main(
    players: Annotated[int, typer.Option(min=20, max=10_000, help="Players with a place.")] = 1_000,
    rounds: Annotated[int, typer.Option(min=1, max=20)] = 7,
    halls: Annotated[int, typer.Option(min=1, max=20)] = 5,
    per_second: Annotated[float, typer.Option(min=1, help="Requests of phones a second.")] = 20.0,
    database_url: Annotated[str, typer.Option(help="PostgreSQL database; the embedded one if empty.")] = "",
    p99_ms: Annotated[float, typer.Option(min=1, help="Limit for requests of phones, in ms.")] = MAX_P99_MS,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same championship.")] = 1,
) -> None:
    """Hold a championship and check its promises; exit code 1 with those that are broken."""
    folder = FOLDER.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    plan = Plan(players, rounds, halls, per_second, seed, p99_ms)
    outcome = asyncio.run(hold(plan, folder, database_url))
    OUT.write_text(json.dumps(asdict(outcome), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    _show(plan, outcome)
    if outcome.broken:
        console.print(f"logs: {folder}")
        sys.exit(1)
    shutil.rmtree(folder)


async def hold(plan: Plan, folder: Path, database_url: str = "") -> Outcome:
    """Hold a championship in a folder."""
    async with open_site(folder, database_url) as site:
        outcome = await Campaign(site, plan, console.print).run()
        if problem := await asyncio.to_thread(site.stop):
            outcome.broken.append(problem)
    return outcome


def _show(plan: Plan, outcome: Outcome) -> None:
    table = Table("part", "director's forms", "requests of phones", "a second", "p50 ms", "p99 ms", "processor ms each")
    for part in outcome.parts:
        rate = part.requests / part.seconds if part.seconds else 0.0
        figures = (
            part.acts,
            part.requests,
            f"{rate:.1f}",
            f"{part.p50_ms:.0f}",
            f"{part.p99_ms:.0f}",
            f"{part.cpu_ms:.0f}",
        )
        table.add_row(part.name, *map(str, figures))
    console.print(table)
    kinds = Table("requests", "number", "p50 ms", "p99 ms")
    for kind, (count, p50, p99) in sorted(outcome.by_kind.items()):
        kinds.add_row(kind, f"{count:,}", f"{p50:.0f}", f"{p99:.0f}")
    console.print(kinds)
    acts = max(outcome.round_acts, default=0)
    console.print(
        f"{plan.players:,} players, {plan.rounds} rounds, {plan.halls} halls in {outcome.seconds / 60:.0f} min: "
        f"{acts} forms of the officials in a round at most (limit {MAX_ROUND_ACTS}), none outside the console; phones: "
        f"p50 {outcome.p50_ms:.0f} ms, p99 {outcome.p99_ms:.0f} ms at {outcome.rate:.1f} requests a second"
    )
    slowest = max(outcome.push_seconds, default=0.0)
    console.print(
        f"{outcome.mails:,} mails, {outcome.pushes:,} notifications, {outcome.gone} ended subscriptions; a pairing "
        f"told and seen within {slowest:.0f} s; certificates: {outcome.certificates / 1_000_000:.1f} MB"
    )
    for line in outcome.broken[:60]:
        console.print(f"broken: {line}", style="red", soft_wrap=True)


if __name__ == "__main__":
    typer.run(main)
