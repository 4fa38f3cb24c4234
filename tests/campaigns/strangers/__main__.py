"""``make strangers``: attack a platform without rights and with rights elsewhere; no attack succeeds."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer
from rich.console import Console
from rich.table import Table
from tests.campaigns.strangers import calls, excess, insiders
from tests.campaigns.strangers.outcome import (
    FEWEST_PAIRS_COUNT,
    Attack,
    find_delays,
    find_events_of_strangers,
    names_of_others,
    secrets_in,
)
from tests.campaigns.strangers.platform import PLAYED, Officials, Platform, credential_of, platform
from tests.support.plain_http import PLAIN

from faristol.access_control.roles import DIRECTOR, FEDERATION, SCORER
from faristol.event_store import Record, Recorded

OUT = Path("var/strangers.json")
FOLDER = Path("var/strangers")
"""Folder of the cells, and of the data of failed trials."""

MOST_CROWDS_COUNT = 10
"""Repetitions of a crowd until there are enough commands to compare: on a busy machine they are few."""
CROWD_END_SECONDS = 120.0
"""Seconds within which a crowd has to end after its time: thousands of connections are closed at a low priority."""
TIMES = ("p50_ms", "twin_p50_ms", "p95_ms", "twin_p95_ms", "p99_ms", "twin_p99_ms", "longest_ms", "twin_longest_ms")
"""Figures of commands; those of the twin are from the platform without attacks."""

console = Console(stderr=True)


@dataclass
class Outcome:
    """The attempts and their results."""

    attacks: list[Attack] = field(default_factory=list)
    crowds: dict[str, dict[str, int]] = field(default_factory=dict)
    officials: dict[str, dict[str, float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """Return the outcome for the report."""
        return {
            "attacks": [attack.as_json() for attack in self.attacks],
            "crowds": self.crowds,
            "officials": self.officials,
            "wrong": self.wrong,
        }


def main(
    idle: Annotated[int, typer.Option(min=1, help="Connections that say nothing.")] = 1_400,
    slow: Annotated[int, typer.Option(min=1, help="Connections that send their headers a byte a second.")] = 5_000,
    half: Annotated[int, typer.Option(min=1, help="Connections to the services that stop in their headers.")] = 1_000,
    readers: Annotated[int, typer.Option(min=1, help="Connections that ask for much and read little.")] = 400,
    streams: Annotated[int, typer.Option(min=1, help="Connections that ask for all notifications and read few.")] = 600,
    seconds: Annotated[float, typer.Option(min=1, help="How long each crowd stays.")] = 20,
) -> None:
    """Exit code 1 if an attacker changed or read data, or if the crowd delayed the officials."""
    logging.getLogger("nats").setLevel(logging.CRITICAL)  # its connections are refused on purpose
    folder = FOLDER.absolute()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    outcome = Outcome()
    crowds = {"idle": idle, "slow-headers": slow, "slow-readers": readers, "half-http2": half}
    of_streams = {"unread-streams": streams, "slow-streams": streams, "brief-streams": max(1, streams // 10)}
    asyncio.run(_campaign(folder, outcome, {**crowds, **of_streams}, seconds))
    OUT.write_text(json.dumps(outcome.as_json(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    _show(outcome)
    if outcome.wrong:
        console.print(f"the data lies in {folder}", soft_wrap=True)
        sys.exit(1)
    shutil.rmtree(folder)


async def _campaign(folder: Path, outcome: Outcome, crowds: dict[str, int], seconds: float) -> None:
    scorer, director = credential_of(SCORER, PLAYED, 1), credential_of(DIRECTOR, PLAYED)
    federation = credential_of(FEDERATION, "")
    (folder / "twin").mkdir()
    async with platform(folder, pages_apart=True) as cell, platform(folder / "twin", pages_apart=True) as twin:
        officials = Officials(cell, twin)
        shown = await _fetch_shown(cell)
        began = len(await _events(cell))
        work = asyncio.create_task(officials.work())
        try:
            officials.during("quiet")
            await asyncio.sleep(5)
            officials.during("calls")
            given = cell.token(federation)
            outcome.attacks = [
                await calls.without_credential(cell),
                await calls.from_elsewhere(cell),
                await calls.false_tokens(cell),
                await calls.use_revoked_token(cell, given),
                await calls.under_another_name(cell, scorer),
                await calls.replay_command(cell, director),
                await calls.guess_pins(cell, given),
                await calls.over_http(cell, given),
                await calls.inside(cell, director),
                (locked := await calls.locked_out(cell, given))[0],
                await calls.flooded_log(cell),
                await insiders.on_the_bus(cell),
                insiders.at_the_files(cell),
                await excess.by_size(cell),
            ]
            for kind, count in crowds.items():
                officials.during(kind)
                port = cell.grpc_port if kind == "half-http2" else cell.http_port
                for _ in range(MOST_CROWDS_COUNT):
                    before = excess.memory_mb(cell.child.process.pid)
                    outcome.crowds[kind] = await _crowd(kind, port, count, seconds)
                    grown = excess.memory_mb(cell.child.process.pid) - before
                    if grown > excess.MAX_GROWTH_MB:
                        outcome.wrong.append(f"{kind}: the platform needs {grown} MB more than before")
                    if len(officials.took[kind]) >= FEWEST_PAIRS_COUNT:
                        break
        finally:
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await work
        outcome.officials = officials.figures()
        events = (await _events(cell))[began:]
        entitled = frozenset(who.credential_id for who in (scorer, director, federation)) | {officials.credential_id}
        outcome.wrong += [line for attack in outcome.attacks for line in attack.wrong]
        outcome.wrong += officials.failed
        outcome.wrong += find_events_of_strangers(events, entitled, frozenset(locked[1]))
        outcome.wrong += names_of_others(events, scorer.credential_id, scorer.subject)
        outcome.wrong += secrets_in(cell.child.output(), [given, cell.token(scorer)])
        if await _fetch_shown(cell) != shown:
            outcome.wrong.append("the standings are others than before")
        outcome.wrong += [
            line for during in crowds for line in find_delays(during, outcome.officials.get(during, {"commands": 0}))
        ]


async def _crowd(kind: str, port: int, count: int, seconds: float) -> dict[str, int]:
    arguments = ("-m", "tests.campaigns.strangers.crowd", kind, str(port), str(count), str(seconds))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdout=asyncio.subprocess.PIPE, env=dict(os.environ)
    )
    async with asyncio.timeout(seconds + CROWD_END_SECONDS):
        said, _ = await process.communicate()
    found: dict[str, int] = json.loads(said)
    return found


async def _events(cell: Platform) -> list[Recorded]:
    record = await Record.open(f"sqlite:///{cell.data / 'record.db'}", create=False)
    try:
        return await record.read(limit=1_000_000)
    finally:
        await record.close()


async def _fetch_shown(cell: Platform) -> Any:
    async with httpx.AsyncClient(verify=PLAIN, base_url=f"http://127.0.0.1:{cell.http_port}", timeout=20) as web:
        return (await web.get(f"/api/v1/tournaments/{PLAYED}/standings")).json()["standings"]


def _show(outcome: Outcome) -> None:
    out = Console()
    tries = Table("attack", "tries", "answers")
    for attack in outcome.attacks:
        tries.add_row(
            attack.name, str(attack.tries), ", ".join(f"{n} {why}" for why, n in attack.refused.most_common(4))
        )
    out.print(tries)
    waits = Table("meanwhile", "connections", "officials' commands", *TIMES)
    for during, figures in outcome.officials.items():
        told = ", ".join(f"{count} {what}" for what, count in outcome.crowds.get(during, {}).items())
        times = (f"{figures[name]:.1f}" for name in TIMES)
        waits.add_row(during, told, str(figures["commands"]), *times)
    out.print(waits)
    out.print(f"written to {OUT}")
    for line in outcome.wrong:
        out.print(f"wrong: {line}", style="red", highlight=False)


if __name__ == "__main__":
    typer.run(main)
