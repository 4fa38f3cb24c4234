"""A hall and its championship as real processes: rounds are played while the line fails and both are killed.

Clients repeat each command with its id until they have an answer. In the end both records have the same streams of the
hall's tables, and every acknowledged command is in the championship once. Standings, pairings, sheets and the events
of the championship are those of an undisturbed run with the same draws, but for times.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from sqlalchemy import func, select
from tests.campaigns.hall_cells.comparison import list_differences, play_undisturbed, read_content, read_salt
from tests.campaigns.hall_cells.moves import SeededGame
from tests.component.processes import wait_until_serving
from tests.component.quick import Championship
from tests.component.test_hall_cell import HALL, TOURNAMENT, Scene, Site, scene, until

from faristol.client.services import Api, call
from faristol.event_store import Record
from faristol.event_store.backends.tables import commands
from faristol.event_store.tasks import cancel_tasks
from faristol.pb.pairing.v1 import pairing_pb2

MAX_PAUSE_SECONDS = 3.0
"""Longest pause between two faults."""
MAX_OUTAGE_SECONDS = 4.0
"""Longest time for which the line stays cut, silent or bent."""
WAIT_SECONDS = 300.0
"""Longest time until the results of a round arrive while faults go on."""
PLAYERS_COUNT = 12
MAX_ROUNDS = 9


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


class Chaos:
    """Faults of the line and of both processes, one after the other."""

    def __init__(self, at: Scene, chance: random.Random, outcome: Outcome) -> None:
        self._at = at
        self._chance = chance
        self._outcome = outcome

    async def run(self, faults: int) -> None:
        """Cause so many faults, then mend the line."""
        kinds = ("cut", "silent", "bent", "delayed", "repeated", "hall killed", "championship killed")
        for _ in range(faults):
            await asyncio.sleep(self._chance.random() * MAX_PAUSE_SECONDS)
            kind = self._chance.choices(kinds, (4, 2, 2, 1, 2, 2, 1))[0]
            await self._cause(kind)
            self._outcome.faults[kind] += 1
        self._at.line.mend()

    async def _cause(self, kind: str) -> None:
        line = self._at.line
        if kind.endswith("killed"):
            await restart(self._at.hall if kind.startswith("hall") else self._at.championship)
            return
        if kind == "cut":
            await line.cut()
        line.is_silent = kind == "silent"
        line.bent_share = 0.05 if kind == "bent" else 0.0
        line.is_deaf = kind == "repeated"
        line.delay_seconds = 0.05 if kind == "delayed" else 0.0
        await asyncio.sleep(self._chance.random() * MAX_OUTAGE_SECONDS)
        line.mend()


async def restart(site: Site) -> None:
    """Kill the process of a site, and start it again."""
    site.child.kill()
    site.child.start()
    await asyncio.to_thread(wait_until_serving, f"127.0.0.1:{site.grpc_port}", site.child, "gateway")


async def run(folder: Path, words: Path, seed: int, faults: int) -> Outcome:
    """Play rounds in the hall until all faults have happened, and compare with both records and an undisturbed run."""
    outcome, chance = Outcome(), random.Random(seed)
    async with scene(folder, words, players=PLAYERS_COUNT, rounds=MAX_ROUNDS) as at:
        desk = replace(at.desk, api=persistent(at.championship, Outcome()))
        there = replace(at.desk, api=persistent(at.hall, outcome))
        chaos = asyncio.create_task(Chaos(at, chance, outcome).run(faults))
        try:
            await _play_rounds(at, desk, there, chaos, outcome, seed)
            began = time.monotonic()
            await until(at.are_final, "the results arrive", WAIT_SECONDS)
            outcome.catch_up_seconds = time.monotonic() - began
        finally:
            await cancel_tasks([chaos])
        own, copied = await at.hall.streams(), await at.championship.streams()
        outcome.events = sum(map(len, own.values()))
        outcome.problems += [name for name, hashes in own.items() if copied.get(name) != hashes]
        outcome.problems += await _missing(at.championship, outcome.acknowledged)
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


async def _play_rounds(
    at: Scene, desk: Championship, there: Championship, chaos: asyncio.Task[None], outcome: Outcome, seed: int
) -> None:
    games = list(at.games)
    while True:
        outcome.rounds += 1
        elsewhere = SeededGame(desk, _first_game(outcome.rounds), seed)
        await asyncio.gather(elsewhere.play(), *(SeededGame(there, game_id, seed).play() for game_id in games))
        outcome.games += len(games)
        await until(partial(_is_over, at, outcome.rounds), f"round {outcome.rounds} is over", WAIT_SECONDS)
        if chaos.done() or outcome.rounds == desk.rounds:
            await chaos
            return
        await desk._close_round(outcome.rounds)
        paired = await desk._start_round(outcome.rounds + 1)
        games = [pairing.game_id for pairing in paired.pairings if pairing.hall == HALL]
        at.games += games
        await until(at.has_tables, "the tables come to the hall", WAIT_SECONDS)


def _first_game(number: int) -> str:
    """Return the game of a round in the hall without a cell."""
    return f"{TOURNAMENT}-r{number}-t1"


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
