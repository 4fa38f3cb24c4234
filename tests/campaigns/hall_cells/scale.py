"""A championship of many halls with their own cells, some of them cut off for a round and back at once.

Measured are the time from the return of the lines until the championship has every result, with the processor time of
all cells, the latency of commands in the other halls and at tables of the championship, before and during the return,
and the memory and the start of the cells. All processes share this machine. On laptops of their own, the other halls do
not feel the work of the championship and of the halls that return: with ``own_computers`` these get a lower priority.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import grpc
import httpx
from tests.component.processes import FARISTOL, Child, free_port, wait_until_serving
from tests.component.quick import Championship
from tests.component.test_hall_cell import BOOK, TOURNAMENT, Site, hall_token, site, until
from tests.support.line import FaultyLine
from tests.support.plain_http import PLAIN

from faristol.client.credentials import authorize_at_console, build_interceptors
from faristol.event_store import Record
from faristol.event_store.tasks import cancel_tasks
from faristol.host.rpc.channels import open_channel
from faristol.pb.game.v1 import game_pb2
from faristol.pb.hall.v1 import hall_pb2
from faristol.pb.hall.v1.hall_pb2_grpc import HallCellServiceStub
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.rules import load_ruleset

OWN_TABLES_COUNT = 10
"""Tables of the championship itself, in a hall without a cell."""
OWN_HALL = "Foyer"
ROUNDS_COUNT = 5
ARBITER_ID = "arbiter"
PAUSE_SECONDS = 0.5
"""Seconds from a command to the next one, in each hall with a line and at the tables of the championship."""
MEASURED_SECONDS = 20.0
"""Seconds for which latencies are measured before the cut, at least."""
MAX_PARALLEL_TABLES_COUNT = 8
"""Tables of a hall at which clients play at once."""
RETURN_TIMEOUT_SECONDS = 300.0
POLL_SECONDS = 0.2
LOWER_PRIORITY_NICENESS_COUNT = 15
PROGRAM = f"{Path(FARISTOL).parent}/./{Path(FARISTOL).name}"
"""The installed program by another name: ``processes`` does not fork it from one that has imported all modules."""


@dataclass
class Latencies:
    """Latencies of commands in seconds, by phase."""

    by_phase: dict[str, list[float]] = field(default_factory=dict)

    def percentile(self, phase: str, share: float) -> float:
        """Return the latency in milliseconds below which a share of the commands was answered; 0 without any."""
        found = sorted(self.by_phase.get(phase, ()))
        return round(found[min(len(found) - 1, int(len(found) * share))] * 1_000, 1) if found else 0.0

    def summarize(self) -> dict[str, dict[str, float]]:
        """Return number, median and 99th percentile of each phase, in milliseconds."""
        return {
            phase: {
                "commands": len(found),
                "p50_ms": self.percentile(phase, 0.5),
                "p99_ms": self.percentile(phase, 0.99),
            }
            for phase, found in self.by_phase.items()
        }


@dataclass(frozen=True)
class Size:
    """The size of a championship, and what its machine stands for."""

    halls: int
    tables: int
    """Tables of each hall."""
    cut: int
    """Number of halls that are cut off."""
    events: int
    """Events that each of these writes, at least."""
    own_computers: bool = False
    """Whether the other halls have priority over the championship and the halls that return."""


@dataclass
class Scale:
    """What was measured."""

    size: Size
    events: dict[str, int] = field(default_factory=dict)
    """Events of each hall that was cut off, not sent at its return."""
    start_seconds: dict[str, float] = field(default_factory=dict)
    """Time from the start of the process of a cell until it serves, and again with its record of the round."""
    memory_mb: dict[str, float] = field(default_factory=dict)
    """Memory of the processes of a cell at the end (PSS)."""
    return_seconds: float = 0.0
    """Time from the return of the lines until the championship has all events of the halls."""
    return_processor_seconds: dict[str, float] = field(default_factory=dict)
    """Processor time of each cell and of the championship in this time."""
    latencies: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    """Latencies in the other halls, and at tables of the championship."""
    problems: list[str] = field(default_factory=list)


@dataclass
class HallCell:
    """The cell of a hall, its line, and its tables."""

    name: str
    site: Site
    line: FaultyLine
    games: list[str] = field(default_factory=list)


async def run(folder: Path, words: Path, size: Size, seed: int) -> Scale:
    """Play a round in all halls, of which some are cut off, and measure their return."""
    found, chance = Scale(size), random.Random(seed)
    names = [f"Hall {number + 1:02}" for number in range(size.halls)]
    async with AsyncExitStack() as stack:
        championship = await stack.enter_async_context(site(folder / "championship", words))
        desk = await _prepare(championship, names, size.tables)
        cells = [await _start_cell(stack, folder, championship, name, found) for name in names]
        await _start_round(championship, desk, cells)
        away, others = cells[: size.cut], cells[size.cut :]
        if size.own_computers:
            for at in (championship, *(cell.site for cell in away)):
                _lower_priority(at.child.process.pid)
        measured = _Load(championship, others, found)
        await stack.enter_async_context(measured.running())
        await asyncio.sleep(MEASURED_SECONDS)
        for cell in away:
            await cell.line.cut()
        measured.phase = "cut"
        await asyncio.gather(*(_play_hall(cell, size.events, chance.randrange(2**32)) for cell in away))
        for cell in away:
            found.events[cell.name] = await _count_unsent(cell)
        measured.phase = "settled"
        await asyncio.sleep(MEASURED_SECONDS)
        measured.phase = "return"
        sites = {"championship": championship} | {cell.name: cell.site for cell in cells}
        spent = {name: _measure_processor_seconds(at.child.process.pid) for name, at in sites.items()}
        began = time.monotonic()
        for cell in away:
            cell.line.mend()
        await _wait_until_back(championship, away)
        found.return_seconds = round(time.monotonic() - began, 2)
        for name, at in sites.items():
            seconds = _measure_processor_seconds(at.child.process.pid) - spent[name]
            found.return_processor_seconds[name] = round(seconds, 2)
        measured.phase = "after"
        await asyncio.sleep(MEASURED_SECONDS / 2)
        await measured.stop()
        for cell in cells:
            found.memory_mb[cell.name] = _measure_memory_mb(cell.site.child.process.pid)
        found.problems += await _compare(championship, away)
        found.start_seconds[f"{away[0].name} again"] = await _restart(away[0].site)
    found.latencies = {name: each.summarize() for name, each in measured.latencies.items()}
    return found


async def _prepare(championship: Site, names: Sequence[str], tables: int) -> Championship:
    """Create a tournament with a table for each pair of players, in halls."""
    desk = Championship(
        None,  # type: ignore[arg-type] # its process is another one
        httpx.AsyncClient(verify=PLAIN, base_url=championship.address, timeout=60),
        championship.api,
        load_ruleset(BOOK),
        TOURNAMENT,
        ROUNDS_COUNT,
        random.Random(35),
    )
    players = 2 * (len(names) * tables + OWN_TABLES_COUNT)
    await desk.create(0)
    for number in range(1, players + 1):
        await desk.register(number, 2_500 - number)
    rooms = [pairing_events.Hall(name=OWN_HALL, first_table=1, last_table=OWN_TABLES_COUNT)]
    for place, name in enumerate(names):
        first = OWN_TABLES_COUNT + place * tables + 1
        rooms.append(pairing_events.Hall(name=name, first_table=first, last_table=first + tables - 1))
    await desk.direct(desk.api.pairing.SetHalls, pairing_pb2.SetHallsRequest(halls=rooms))
    return desk


async def _start_cell(stack: AsyncExitStack, folder: Path, championship: Site, name: str, found: Scale) -> HallCell:
    """Start the cell of a hall as an operator does, and wait until it has joined."""
    own = folder / name.replace(" ", "-")
    token = folder / f"{own.name}.token"
    token.write_text(await asyncio.to_thread(hall_token, championship, name))
    line = FaultyLine(championship.grpc_port)
    await line.start()
    stack.push_async_callback(line.stop)
    options = ("--hall", name, "--of", line.address, "--token-file", str(token))
    began = time.monotonic()
    made = await stack.enter_async_context(_cell(own, folder / "own-lexicons", *options))
    found.start_seconds[name] = round(time.monotonic() - began, 2)
    listed = hall_pb2.ListHallsRequest(tournament_id=TOURNAMENT)

    async def has_joined() -> bool:
        return name in {line.hall for line in (await championship.sync.ListHalls(listed)).halls}

    await until(has_joined, f"{name} joins")
    return HallCell(name, made, line)


@asynccontextmanager
async def _cell(folder: Path, lexicons: Path, *arguments: str) -> AsyncIterator[Site]:
    """Run a cell by the installed program."""
    await asyncio.to_thread(folder.mkdir, exist_ok=True)
    grpc_port, http_port = free_port(), free_port()
    child = Child(
        ["up", "--data", str(folder), "--http", str(http_port), "--grpc", str(grpc_port), "--no-browser", *arguments],
        {"access": folder / "access", "lexicons": lexicons, "log_level": "WARNING"},
        folder / "log",
        program=PROGRAM,
    )
    address = f"127.0.0.1:{grpc_port}"
    try:
        await asyncio.to_thread(wait_until_serving, address, child, "gateway")
        authorization = authorize_at_console(folder / "access", folder / "access-record")
        channel = open_channel(address, build_interceptors(authorization))
        try:
            yield Site(child, folder, grpc_port, http_port, channel)
        finally:
            await channel.close(None)
    finally:
        child.terminate()


async def _restart(at: Site) -> float:
    """Stop a cell, start it again with its record, and return the seconds until it serves."""
    at.child.terminate()
    began = time.monotonic()
    at.child.start()
    await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{at.grpc_port}", at.child, "gateway")
    return round(time.monotonic() - began, 2)


async def _start_round(championship: Site, desk: Championship, cells: Sequence[HallCell]) -> None:
    """Start a round, and wait until each cell has its tables."""
    paired = await desk._start_round(1)
    for cell in cells:
        cell.games = [pairing.game_id for pairing in paired.pairings if pairing.hall == cell.name]

    async def has_tables(cell: HallCell) -> bool:
        return {f"clock-{game_id}" for game_id in cell.games} <= (await _read_streams(cell.site)).keys()

    for cell in cells:
        await _wait(partial(has_tables, cell))


class _Load:
    """Commands at a constant rate in halls with a line, and at tables of the championship, with their latencies."""

    def __init__(self, championship: Site, cells: Sequence[HallCell], found: Scale) -> None:
        self.phase = "before"
        self.latencies = {"other halls": Latencies(), "championship": Latencies()}
        own = [f"{TOURNAMENT}-r1-t{number + 1}" for number in range(OWN_TABLES_COUNT)]
        self._places = [("other halls", cell.site, cell.games) for cell in cells]
        self._places.append(("championship", championship, own))
        self._found = found
        self._tasks: list[asyncio.Task[None]] = []

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Send commands until the end."""
        self._tasks = [asyncio.create_task(self._send(*place)) for place in self._places]
        try:
            yield
        finally:
            await self.stop()

    async def stop(self) -> None:
        """Send no more commands."""
        for task in self._tasks:
            if task.done() and not task.cancelled() and (problem := task.exception()):
                self._found.problems.append(f"commands of the others: {problem!r}")
        await cancel_tasks([task for task in self._tasks if not task.done()])
        self._tasks = []

    async def _send(self, name: str, at: Site, games: Sequence[str]) -> None:
        number, calls = 0, _Arbiters(at)
        while True:
            began = time.monotonic()
            phase = self.phase
            await calls.do(games[number // 2 % len(games)])
            self.latencies[name].by_phase.setdefault(phase, []).append(time.monotonic() - began)
            number += 1
            await asyncio.sleep(max(0.0, PAUSE_SECONDS - (time.monotonic() - began)))


class _Arbiters:
    """Calls for an arbiter at tables, and the departures of the arbiter: any number of commands at a table."""

    def __init__(self, at: Site) -> None:
        self._api = at.api
        self._called: dict[str, bool] = {}
        self._players: dict[str, str] = {}

    async def do(self, game_id: str) -> None:
        """Send the next command at a table, with retries while its cell does not answer."""
        api = self._api
        if game_id not in self._players:
            game = await api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id), timeout=60)
            self._players[game_id] = game.sides[0].player_id
        command_id = str(uuid.uuid4())
        if self._called.get(game_id):
            left = game_pb2.DismissArbiterRequest(command_id=command_id, game_id=game_id, arbiter_id=ARBITER_ID)
            await api.game.DismissArbiter(left, timeout=60)
        else:
            player_id = self._players[game_id]
            call = game_pb2.CallArbiterRequest(command_id=command_id, game_id=game_id, player_id=player_id)
            await api.game.CallArbiter(call, timeout=60)
        self._called[game_id] = not self._called.get(game_id)


async def _play_hall(cell: HallCell, events: int, seed: int) -> None:
    """Write events at all tables of a hall without a line, and play each table to its result."""
    places = asyncio.Semaphore(MAX_PARALLEL_TABLES_COUNT)
    pairs = max(1, events // len(cell.games) // 4)
    chance = random.Random(seed)

    async def play(game_id: str, leaver: int) -> None:
        async with places:
            calls, api = _Arbiters(cell.site), cell.site.api
            for _ in range(2 * pairs):
                await calls.do(game_id)
            game = await api.game.GetGame(game_pb2.GetGameRequest(game_id=game_id))
            players = [side.player_id for side in game.sides]
            leaving = players.pop(leaver)
            await api.game.Abandon(
                game_pb2.AbandonRequest(command_id=str(uuid.uuid4()), game_id=game_id, player_ids=[leaving])
            )
            for player_id in players:
                with contextlib.suppress(grpc.aio.AioRpcError):  # the sheet needs no signature under some rules
                    await api.game.SignSheet(
                        game_pb2.SignSheetRequest(command_id=str(uuid.uuid4()), game_id=game_id, player_id=player_id)
                    )

    await asyncio.gather(*(play(game_id, chance.randrange(2)) for game_id in cell.games))


async def _count_unsent(cell: HallCell) -> int:
    """Return the number of events that a hall has not sent."""
    state = await HallCellServiceStub(cell.site.channel).GetHallCell(hall_pb2.GetHallCellRequest())
    return int(state.unsent)


async def _wait_until_back(championship: Site, away: Sequence[HallCell]) -> None:
    """Wait until the halls have no unsent event, and the tournament has their results."""
    wanted = {game_id for cell in away for game_id in cell.games}
    asked = pairing_pb2.GetTournamentRequest(tournament_id=TOURNAMENT)

    async def has_sent(cell: HallCell) -> bool:
        return not await _count_unsent(cell)

    async def has_results() -> bool:
        played = (await championship.api.pairing.GetTournament(asked, timeout=60)).played
        return wanted <= {game_id for each in played for game_id in each.finished_game_ids}

    for cell in away:
        await _wait(partial(has_sent, cell))
    await _wait(has_results)


async def _wait(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(RETURN_TIMEOUT_SECONDS):
        while not await holds():  # noqa: ASYNC110 # another process changes it
            await asyncio.sleep(POLL_SECONDS)


async def _compare(championship: Site, away: Sequence[HallCell]) -> list[str]:
    """Return the streams of the halls that differ in the championship."""
    problems: list[str] = []
    copied = await _read_streams(championship)
    for cell in away:
        own = await _read_streams(cell.site)
        problems += [f"{cell.name}: {name}" for name, hashes in own.items() if copied.get(name) != hashes]
    return problems


async def _read_streams(at: Site) -> dict[str, list[bytes]]:
    record = await Record.open(f"sqlite:///{at.folder}/record.db", create=False)
    try:
        found: dict[str, list[bytes]] = {}
        position = 0
        while events := await record.read(position, limit=10_000):
            position = events[-1].position
            for event in events:
                if event.stream.partition("-")[0] in {"game", "clock", "case"}:
                    found.setdefault(event.stream, []).append(event.hash)
        return found
    finally:
        await record.close()


def _measure_memory_mb(pid: int) -> float:
    """Return the memory of a process and its descendants in MB: pages that several share are divided among them."""
    total = 0
    for folder in _list_processes(pid):
        with contextlib.suppress(OSError):
            for line in (folder / "smaps_rollup").read_text(encoding="ascii").splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1])
    return round(total / 1024, 1)


def _measure_processor_seconds(pid: int) -> float:
    """Return the processor time of a process and its descendants so far."""
    ticks = 0
    for folder in _list_processes(pid):
        with contextlib.suppress(OSError):
            ticks += sum(map(int, (folder / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def _lower_priority(pid: int) -> None:
    """Give all threads of a process and of its descendants a lower priority; threads that they start inherit it."""
    for folder in _list_processes(pid):
        with contextlib.suppress(OSError):
            for task in (folder / "task").iterdir():
                os.setpriority(os.PRIO_PROCESS, int(task.name), LOWER_PRIORITY_NICENESS_COUNT)


def _list_processes(pid: int) -> Iterator[Path]:
    """Yield the folders in ``/proc`` of a process and its descendants."""
    waiting = [Path("/proc") / str(pid)]
    while waiting:
        folder = waiting.pop()
        yield folder
        with contextlib.suppress(OSError):
            for task in (folder / "task").iterdir():
                waiting += [folder.with_name(each) for each in (task / "children").read_text(encoding="ascii").split()]
