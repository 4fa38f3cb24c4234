"""Measure what a championship of many halls with their own cells costs: commands with a line, and the return of halls.

All cells are in one process, and its processor time is measured, with the senders and the followers of the halls, the
service of the championship and its read models. For the first figure, halls with a line execute commands at a constant
rate. For the others, halls write events at their tables without a line, and then send them.

    python -m tests.benchmarks.hall_merge --halls 3 --others 9 --tables 50 --events 3000
"""

from __future__ import annotations

import argparse
import asyncio
import cProfile
import pstats
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from rich.console import Console
from tests.benchmarks.figures import Figures
from tests.component.game.hall_cells import Cell, Hall, command, create_tournament, serve, start_round

from faristol.consumers import generations
from faristol.event_store.tasks import cancel_tasks
from faristol.hall.follower import Follower
from faristol.hall.line import Line
from faristol.hall.sender import Sender
from faristol.pb.game.v1 import game_pb2
from faristol.read_models.projections.projection import projection

PARALLEL_TABLES_COUNT = 32
COMMANDS_COUNT = 200
COMMANDS_PAUSE_SECONDS = 0.05
"""Seconds from one command in all halls to the next: ten halls with two commands a second."""
POLL_SECONDS = 0.01
PROJECTED_BATCH_EVENTS = 500
"""Events of a transaction of the read models, as their consumer has it."""
GOAL_EVENTS = 500


@dataclass
class Site:
    """A hall with its cell."""

    hall: Hall
    games: Sequence[str]
    sender: Sender
    follower: Follower
    calls: dict[str, bool] = field(default_factory=dict)
    """Whether an arbiter is called, by game."""

    async def do(self, number: int) -> None:
        """Call the arbiter at the next table, or let the arbiter go."""
        game_id = self.games[number // 2 % len(self.games)]
        games = self.hall.cell.games
        if not self.calls.get(game_id):
            player_id = game_id.replace("cup-r1-t", "a")
            await games.CallArbiter(
                game_pb2.CallArbiterRequest(command_id=command(), game_id=game_id, player_id=player_id)
            )
        else:
            await games.DismissArbiter(
                game_pb2.DismissArbiterRequest(command_id=command(), game_id=game_id, arbiter_id="arbiter")
            )
        self.calls[game_id] = not self.calls.get(game_id)


async def merge_figures(
    halls: int = 3, others: int = 9, tables: int = 50, events: int = 3_000, *, profile: str = ""
) -> Figures:
    """Return the cost of a command in a hall, and the speed of the return of halls."""
    with tempfile.TemporaryDirectory(prefix="faristol-merge-") as folder:
        async with AsyncExitStack() as stack:
            names = [f"Hall {number + 1}" for number in range(halls + others)]
            seats = {name: range(at * tables + 1, (at + 1) * tables + 1) for at, name in enumerate(names)}
            championship = await stack.enter_async_context(serve(Path(folder) / "championship.db"))
            await create_tournament(championship, seats)
            sites = []
            for name in names:
                cell = await stack.enter_async_context(serve(Path(folder) / f"{name}.db"))
                sites.append(await _join(cell, championship, name, seats[name]))
            await start_round(championship, seats=seats)
            away, present = sites[:halls], sites[halls:] or sites
            end = await championship.record.last_position()
            async with _running([each.follower.run for each in sites]):
                await _wait_while(lambda: any(site.follower.position < end for site in sites))
            alone = await _command_ms(present, [])
            tasks = [each.sender.run for each in present] + [each.follower.run for each in sites]
            with _profile(profile == "commands"):
                connected = await _command_ms(present, tasks)
            await asyncio.gather(*(_play(site, events) for site in away))
            async with _running([each.follower.run for each in sites]):
                await asyncio.sleep(1)
                with _profile(profile == "merge"):
                    figures = await _merge(championship, away)
            return [
                ("a command in a hall, decided there", alone, "ms of a processor"),
                (f"the same, and sent, with {len(sites)} halls that follow", connected, "ms of a processor"),
                *figures,
            ]


async def _join(cell: Cell, championship: Cell, name: str, tables: Sequence[int]) -> Site:
    """Let a hall join, and return it with what it needs to send and to follow."""
    hall = Hall(cell, championship, name)
    await hall.join()
    folder = cell.settings.hall_folder()
    folder.mkdir(parents=True, exist_ok=True)
    joined = SimpleNamespace(tournament_id="cup", hall=name)

    async def wait_joined() -> SimpleNamespace:
        return joined

    async def want(_: object) -> None:
        return

    of_hall: Any = SimpleNamespace(
        key=hall.private,
        public_key=hall.key,
        known=joined,
        lost=frozenset(),
        folder=folder,
        line=Line(championship.channel, lambda: datetime.now(UTC), folder),
        wait_joined=wait_joined,
        lose=lambda game_id: sys.exit(f"{game_id} is lost"),
    )
    games = [f"cup-r1-t{table}" for table in tables]
    return Site(hall, games, Sender(cell.record, of_hall), Follower(cell.record, of_hall, want))


@asynccontextmanager
async def _running(works: Sequence[Callable[[], Awaitable[None]]]) -> AsyncIterator[None]:
    tasks = [asyncio.ensure_future(work()) for work in works]
    try:
        yield
    finally:
        await cancel_tasks(tasks)


@contextmanager
def _profile(wanted: bool) -> Iterator[None]:
    """Print where the processor time goes."""
    profiler = cProfile.Profile()
    if wanted:
        profiler.enable()
    try:
        yield
    finally:
        profiler.disable()
        if wanted:
            for order in ("cumulative", "tottime"):
                pstats.Stats(profiler).sort_stats(order).print_stats(80)


async def _command_ms(sites: Sequence[Site], works: Sequence[Callable[[], Awaitable[None]]]) -> float:
    """Return the processor time of a command in milliseconds, in halls in turn at a constant rate."""
    async with _running(works):
        await asyncio.sleep(1)
        began = time.process_time()
        for number in range(COMMANDS_COUNT):
            due = time.monotonic() + COMMANDS_PAUSE_SECONDS
            await sites[number % len(sites)].do(number // len(sites))
            await asyncio.sleep(max(0.0, due - time.monotonic()))
        if works:
            await _wait_until_sent(sites)
        return (time.process_time() - began) / COMMANDS_COUNT * 1_000


async def _wait_until_sent(sites: Sequence[Site]) -> float:
    """Wait until halls have sent all events. Return the longest processor time between two looks, in seconds."""
    longest = 0.0
    while any([(await site.sender.unsent())[0] for site in sites]):
        at = time.process_time()
        await asyncio.sleep(POLL_SECONDS)
        longest = max(longest, time.process_time() - at)
    return longest


async def _wait_while(holds: Callable[[], bool]) -> None:
    while holds():  # noqa: ASYNC110 # other tasks change it
        await asyncio.sleep(POLL_SECONDS)


async def _play(site: Site, events: int) -> None:
    """Execute commands at all tables of a hall."""
    places = asyncio.Semaphore(PARALLEL_TABLES_COUNT)

    async def play(place: int) -> None:
        async with places:
            for number in range(max(2, events // len(site.games))):
                await site.do(2 * place + number % 2)

    await asyncio.gather(*map(play, range(len(site.games))))


async def _merge(championship: Cell, away: Sequence[Site]) -> Figures:
    """Send the events of the halls, and project them."""
    record = championship.record
    work = projection(1)
    async with record.writing() as connection:
        await generations.create_first_generation(connection, work)
    position = await _project(championship, work, 0)
    begin, began = await record.last_position(), time.process_time()
    async with _running([site.sender.run for site in away]):
        longest = await _wait_until_sent(away)
        sent = time.process_time() - began
        await _project(championship, work, position)
        taken = time.process_time() - began
    merged = await record.last_position() - begin
    return [
        (f"{merged} events merged", merged / taken, f"per second of a processor; to reach {GOAL_EVENTS}"),
        ("the same, without the read models", merged / sent, "per second of a processor"),
        ("longest time in which no other call is answered", longest * 1_000, "ms of a processor"),
    ]


async def _project(championship: Cell, work: Any, position: int) -> int:
    while some := await championship.record.read(position, limit=PROJECTED_BATCH_EVENTS):
        position = some[-1].position
        async with championship.record.writing() as connection:
            await work.apply(connection, some)
    return position


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--halls", type=int, default=3, help="halls that come back")
    parser.add_argument("--others", type=int, default=9, help="halls with a line")
    parser.add_argument("--tables", type=int, default=50)
    parser.add_argument("--events", type=int, default=3_000, help="commands of each hall that comes back")
    parser.add_argument("--profile", choices=["", "commands", "merge"], default="")
    given: Mapping[str, Any] = vars(parser.parse_args())
    for what, figure, unit in asyncio.run(merge_figures(**given)):
        Console(width=140).print(f"{what}: {figure:,.1f} {unit}")


if __name__ == "__main__":
    main()
