"""A hall and its championship as real processes: rounds are played while the line fails and both are killed.

The line has TLS, as between two machines. Clients repeat each command with its id until they have an answer. In the end
both records have the same streams of the hall's tables, and every acknowledged command is in the championship once.
Standings, pairings, sheets and the events of the championship are those of an undisturbed run with the same draws, but
for times.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import grpc
from sqlalchemy import func, select
from tests.campaigns.hall_cells.chaos import Chaos, run_faults
from tests.campaigns.hall_cells.comparison import list_differences, play_undisturbed, read_content, read_salt
from tests.campaigns.hall_cells.machine import Machine, build_library
from tests.campaigns.hall_cells.moves import MAX_PAUSE_SECONDS, SeededGame
from tests.component.quick import Championship
from tests.component.test_hall_cell import HALL, TOURNAMENT, Scene, Site, scene, until

from faristol.client import credentials
from faristol.client.services import Api, call
from faristol.event_store import Record
from faristol.event_store.backends.tables import commands
from faristol.event_store.tasks import cancel_tasks
from faristol.pb.clock.v1 import clock_pb2
from faristol.pb.pairing.v1 import pairing_pb2

_log = logging.getLogger(__name__)

POLL_SECONDS = 0.2
CLOCK_HOURS = {"championship": -1.0, "hall": 1.0}
"""How far the clocks of both machines are wrong."""
TOKEN_LIFETIME = timedelta(hours=3)
"""Lifetime of the tokens of the clients, whose clock is right."""
WAIT_SECONDS = 300.0
"""Longest time until the results of a round arrive while faults go on."""
PLAYERS_COUNT = 12
MAX_ROUNDS = 9

Game = Callable[[Championship, str], SeededGame]
"""Returns the game with an id at a cell."""


@dataclass
class Outcome:
    """What happened in a campaign."""

    faults: Counter[str] = field(default_factory=Counter)
    games: int = 0
    acknowledged: set[str] = field(default_factory=set)
    """Ids of the commands at tables of the hall that were answered."""
    rounds: int = 0
    events: int = 0
    """Number of events of the hall's tables."""
    catch_up_seconds: float = 0.0
    """Time from the last fault until the championship had the results."""
    unsynced: int = 0
    """Number of files that lost bytes when a machine lost its power."""
    late: int = 0
    """Number of calls that arrived after their repetition."""
    problems: list[str] = field(default_factory=list)


class _Persistent:
    """A stub whose calls are repeated while the service is unavailable."""

    def __init__(self, stub: Any, outcome: Outcome) -> None:
        self._stub = stub
        self._outcome = outcome

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method = getattr(self._stub, name)

        async def ask(request: Any, timeout: float | None = None) -> Any:
            answer = await call(method, request)
            if command_id := getattr(request, "command_id", ""):
                self._outcome.acknowledged.add(command_id)
            return answer

        return ask


def persistent(site: Site, outcome: Outcome) -> Api:
    """Return the services of a site, called until they answer."""
    api = site.api
    for name in ("game", "clock", "pairing"):
        setattr(api, name, _Persistent(getattr(api, name), outcome))
    return api


async def run(
    folder: Path,
    words: Path,
    seed: int,
    faults: int,
    cause: Callable[[Chaos, int], Coroutine[Any, Any, None]] = run_faults,
    pause_seconds: float = MAX_PAUSE_SECONDS,
) -> Outcome:
    """Play rounds in the hall until all faults have happened, and compare with both records and an undisturbed run.

    ``cause`` causes the faults. ``pause_seconds`` is the longest pause between two turns of a game.
    """
    outcome = Outcome()
    library = await asyncio.to_thread(build_library, folder)
    machines: dict[str, Machine] = {}
    if library is not None:
        for name, hours in CLOCK_HOURS.items():
            machines[name] = Machine(library, folder / name, folder / f"{name}-disk", hours)
    variables = {name: machine.variables for name, machine in machines.items()}
    with patch.object(credentials, "CONSOLE_TOKEN_LIFETIME", TOKEN_LIFETIME):
        async with scene(folder, words, players=PLAYERS_COUNT, rounds=MAX_ROUNDS, tls=True, variables=variables) as at:
            chaos = Chaos(at, random.Random(seed), outcome.faults, machines)
            await _play(at, asyncio.create_task(cause(chaos, faults)), outcome, partial(_game, seed, pause_seconds))
            outcome.unsynced, outcome.late = chaos.unsynced, at.line.late_count
            games = [*at.games, *(_first_game(number + 1) for number in range(outcome.rounds))]
            disturbed = await read_content(at.championship, games, outcome.rounds)
            salt = await read_salt(at.championship)
    undisturbed = await play_undisturbed(
        folder / "undisturbed",
        words,
        seed,
        rounds=outcome.rounds,
        players=PLAYERS_COUNT,
        most_rounds=MAX_ROUNDS,
        salt=salt,
    )
    outcome.problems += list_differences(disturbed, undisturbed)
    return outcome


def _game(seed: int, pause_seconds: float, desk: Championship, game_id: str) -> SeededGame:
    return SeededGame(desk, game_id, seed, pause_seconds)


async def _play(at: Scene, chaos: asyncio.Task[None], outcome: Outcome, game: Game) -> None:
    """Play until the faults are over, and compare the records of both."""
    desk = replace(at.desk, api=persistent(at.championship, Outcome()))
    there = replace(at.desk, api=persistent(at.hall, outcome))
    playing = asyncio.create_task(_play_rounds(at, desk, there, chaos, outcome, game))
    try:
        # A process that does not start again ends the campaign at once, with its output.
        await asyncio.wait((playing, chaos), return_when=asyncio.FIRST_EXCEPTION)
        if chaos.done():
            await chaos
        await playing
        began = time.monotonic()
        await until(at.are_final, "the results arrive", WAIT_SECONDS)
        outcome.catch_up_seconds = time.monotonic() - began
    finally:
        await cancel_tasks([playing, chaos])
    own, copied = await at.hall.streams(), await at.championship.streams()
    outcome.events = sum(map(len, own.values()))
    outcome.problems += [name for name, hashes in own.items() if copied.get(name) != hashes]
    outcome.problems += await _missing(at.championship, outcome.acknowledged)


async def _play_rounds(
    at: Scene, desk: Championship, there: Championship, chaos: asyncio.Task[None], outcome: Outcome, game: Game
) -> None:
    games = list(at.games)
    while True:
        outcome.rounds += 1
        _log.info("round %d begins after %d faults", outcome.rounds, outcome.faults.total())
        elsewhere = game(desk, _first_game(outcome.rounds))
        await asyncio.gather(elsewhere.play(), *(game(there, game_id).play() for game_id in games))
        outcome.games += len(games)
        await _wait(partial(_is_over, at, outcome.rounds), f"round {outcome.rounds} is over")
        if chaos.done() or outcome.rounds == desk.rounds:
            await chaos
            return
        await desk._close_round(outcome.rounds)
        paired = await desk._start_round(outcome.rounds + 1)
        games = [pairing.game_id for pairing in paired.pairings if pairing.hall == HALL]
        at.games += games
        await _wait(partial(_has_tables, at, games), f"the tables of round {outcome.rounds + 1} come to the hall")


def _first_game(number: int) -> str:
    """Return the game of a round in the hall without a cell."""
    return f"{TOURNAMENT}-r{number}-t1"


async def _wait(holds: Callable[[], Awaitable[bool]], what: str) -> None:
    """Wait until a condition holds while processes may be down. Raises ``TimeoutError`` that says what does not."""
    give_up = time.monotonic() + WAIT_SECONDS
    while not await holds():
        if time.monotonic() > give_up:
            raise TimeoutError(f"after {WAIT_SECONDS} s it does not hold that {what}")
        await asyncio.sleep(POLL_SECONDS)


async def _has_tables(at: Scene, games: Sequence[str]) -> bool:
    """Check whether the hall has the tables of games, with their clocks."""
    try:
        for game_id in games:
            await at.hall.api.clock.GetClock(clock_pb2.GetClockRequest(game_id=game_id), timeout=10)
    except grpc.aio.AioRpcError:
        return False
    return True


async def _is_over(at: Scene, number: int) -> bool:
    try:
        found = await at.championship.api.pairing.GetTournament(pairing_pb2.GetTournamentRequest(tournament_id="open"))
    except grpc.aio.AioRpcError:
        return False
    known = next(each for each in found.played if each.round == number)
    return len(known.finished_game_ids) == len(known.pairings)


async def _missing(site: Site, acknowledged: set[str]) -> list[str]:
    """Return the acknowledged commands that a record does not have."""
    record = await Record.open(f"sqlite:///{site.folder}/record.db", create=False)
    try:
        missing = []
        async with record.engine.connect() as connection:
            for command_id in sorted(acknowledged):
                found = select(func.count()).where(commands.c.command_id == command_id)
                if (await connection.execute(found)).scalar_one() != 1:
                    missing.append(f"command {command_id}")
        return missing
    finally:
        await record.close()
