"""Three halls with faults, in an order that a seed decides, end as an undisturbed championship does.

Lines are cut, and batches are lost, doubled, delayed, reordered and bent. Halls restart and forget what they have
sent, their clocks differ, a second laptop tries to join, and the director takes tables back. ``make nightly`` runs
more seeds.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import grpc
import pytest
from tests.component.game.hall_cells import (
    Cell,
    Hall,
    command,
    create_tournament,
    reason,
    serve,
    start_round,
    streams,
)

from faristol.event_store import Recorded
from faristol.event_store.append.copies import Divergence
from faristol.event_store.integrity.verification import verify
from faristol.host.halls import wire
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.hall.v1.events_pb2 import HallJoined

SEATS = {"Nord": (1, 2), "Sud": (3, 4), "Est": (5, 6)}
STEPS_COUNT = 40
MAX_SKEW_SECONDS = 300


@dataclass
class Campaign:
    """The championship, its halls, and what happened to their tables."""

    dice: random.Random
    championship: Cell
    halls: dict[str, FaultyHall] = field(default_factory=dict)
    plays: Counter[str] = field(default_factory=Counter)
    """Commands that a hall has acknowledged, by game."""
    lost: set[str] = field(default_factory=set)
    """Games that the director took back."""

    async def take_back(self) -> None:
        hall = self.dice.choice(list(self.halls.values()))
        game = self.dice.choice(hall.games)
        request = pb.TakeBackTablesRequest(
            command_id=command(), tournament_id="cup", hall=hall.hall.name, game_ids=[game]
        )
        await self.championship.halls.TakeBackTables(request)
        self.lost.add(game)


class FaultyHall:
    """A hall, its line, and its memory of what it has sent, which it loses when it restarts."""

    def __init__(self, name: str, path: Path, campaign: Campaign) -> None:
        self.campaign, self.dice = campaign, campaign.dice
        self.games = [f"cup-r1-t{number}" for number in SEATS[name]]
        self.hall = Hall(campaign.championship, campaign.championship, name)
        self.campaign.championship.record.owner_key = b""
        self.commands: dict[str, str] = {}
        """Game by the id of each acknowledged command."""
        self.stopped: set[str] = set()
        """Games that the hall knows to be taken back."""
        self._path = path
        self._stack = AsyncExitStack()
        self._skew = timedelta(seconds=self.dice.randint(-MAX_SKEW_SECONDS, MAX_SKEW_SECONDS))
        self._sent: list[pb.HallBatch] = []
        self._after = 0

    async def start(self) -> None:
        """Start the cell on its record, as after a power failure."""
        await self._stack.aclose()
        self.hall.cell = await self._stack.enter_async_context(serve(self._path))
        self.hall.cell.record.owner_key = self.hall.key
        self.hall.cell.now.at += self._skew
        self._after = 0

    async def stop(self) -> None:
        await self._stack.aclose()

    async def play(self) -> None:
        game = self.dice.choice(self.games)
        if game in self.stopped:
            return
        before = await self.hall.cell.record.last_position()
        await self.hall.cell.do(game)
        event = (await self.hall.cell.record.read(before))[0]
        self.commands[event.metadata.command_id] = game
        self.campaign.plays[game] += 1

    async def follow(self) -> None:
        """Copy what the championship has. At a fork, the hall stops the table and passes over its events."""
        while True:
            try:
                await self.hall.follow(self.stopped)
                break
            except Divergence as fork:
                self.stopped.add(fork.stream.partition("-")[2])
        for game in self.games:
            if game in self.campaign.lost and "TableTakenBack" in await self.hall.cell.names(game):
                self.stopped.add(game)

    async def push(self) -> None:
        """Send all events since the last acknowledged batch."""
        batch = await self.hall.batch(*self.games, after=self._after)
        position = await self.hall.cell.record.last_position()
        if batch.events:
            self._sent.append(batch)
            await self.hall.push(batch)
        self._after = position

    async def push_without_answer(self) -> None:
        """Send, and lose the answer."""
        after = self._after
        await self.push()
        self._after = after

    async def push_old(self) -> None:
        """Send an earlier batch again, as a line that delays and doubles does."""
        if self._sent:
            await self.hall.push(self.dice.choice(self._sent))

    async def push_ahead(self) -> None:
        """Send the last events before earlier ones: refused, or taken if there were no others."""
        before = await self.hall.cell.record.last_position()
        await self.play()
        batch = await self.hall.batch(*self.games, after=before)
        if batch.events:
            try:
                await self.hall.push(batch)
            except grpc.aio.AioRpcError as error:
                if error.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                    raise
                self._after = 0

    async def push_bent(self) -> None:
        """Send a batch in which a bit has changed."""
        batch = await self.hall.batch(*self.games)
        if not batch.events:
            return
        content = bytearray(batch.SerializeToString())
        signature = wire.sign(self.hall.private, bytes(content))
        content[self.dice.randrange(len(content))] ^= 1 << self.dice.randrange(8)
        request = pb.PushEventsRequest(
            tournament_id="cup", hall=self.hall.name, batch=bytes(content), signature=signature
        )
        assert "INVALID_ARGUMENT" in await reason(self.campaign.championship.halls.PushEvents(request))

    async def join_twice(self) -> None:
        """Join with a second laptop that has the same token."""
        second = Hall(self.hall.cell, self.campaign.championship, self.hall.name)
        self.hall.cell.record.owner_key = self.hall.key
        assert "HALL_JOINED" in await reason(second.join())


FAULTS: Mapping[Callable[[FaultyHall], Awaitable[None]], int] = {
    FaultyHall.play: 12,
    FaultyHall.push: 3,
    FaultyHall.push_without_answer: 2,
    FaultyHall.push_old: 2,
    FaultyHall.push_ahead: 1,
    FaultyHall.push_bent: 1,
    FaultyHall.follow: 2,
    FaultyHall.start: 1,
    FaultyHall.join_twice: 1,
}


async def play_undisturbed(path: Path, plays: Mapping[str, int], joined: HallJoined) -> dict[str, list[str]]:
    """Play as many commands at each table in a championship whose tables stay. Return the events of each table.

    ``joined`` has the salt of the draws.
    """
    async with serve(path) as cell:
        await create_tournament(cell, SEATS)
        await cell.write("halls-cup", HallJoined(hall="Elsewhere", key=bytes(32), draw_salt=joined.draw_salt))
        await start_round(cell, seats=SEATS)
        for game, count in plays.items():
            for _ in range(count):
                await cell.do(game)
        return {game: list_names(await streams(cell, game)) for game in plays}


def list_names(events: list[Recorded]) -> list[str]:
    return [event.name for event in events if event.name != "TableHandedOver"]


async def run(seed: int, folder: Path) -> None:
    async with serve(folder / "championship.db") as championship:
        campaign = Campaign(random.Random(seed), championship)
        await create_tournament(championship, SEATS)
        for name in SEATS:
            hall = campaign.halls[name] = FaultyHall(name, folder / f"{name}.db", campaign)
            await hall.start()
            await hall.hall.join()
        await start_round(championship, seats=SEATS)
        for hall in campaign.halls.values():
            await hall.follow()
        faults, weights = list(FAULTS), list(FAULTS.values())
        for step in range(STEPS_COUNT):
            if campaign.dice.random() < 1 / STEPS_COUNT and step:
                await campaign.take_back()
            hall = campaign.dice.choice(list(campaign.halls.values()))
            (fault,) = campaign.dice.choices(faults, weights)
            await fault(hall)
        for hall in campaign.halls.values():
            await hall.start()  # so it sends everything again
            await hall.push()
            await hall.follow()
        await check(campaign, folder)
        for hall in campaign.halls.values():
            await hall.stop()


async def check(campaign: Campaign, folder: Path) -> None:
    championship = campaign.championship
    assert (await verify(championship.record)).wrong == ""
    listed = await championship.halls.ListKeptAside(pb.ListKeptAsideRequest(tournament_id="cup"))
    aside: dict[str, set[str]] = {}
    for kept in listed.aside:
        aside.setdefault(kept.game_id, set()).update(event.event_id for event in kept.events)
    assert aside.keys() <= campaign.lost
    joined = await championship.record.first_event("halls-cup")
    assert isinstance(joined, HallJoined)
    undisturbed = await play_undisturbed(folder / "undisturbed.db", campaign.plays, joined)
    for hall in campaign.halls.values():
        record = hall.hall.cell.record
        assert (await verify(record)).wrong == ""
        for game in hall.games:
            here, there = await streams(championship, game), await streams(hall.hall.cell, game)
            if game not in campaign.lost:
                assert here == there, game
                assert list_names(here) == undisturbed.get(game, list_names(here)), game
                continue
            known = {event.event_id for event in here} | aside.get(game, set())
            assert {event.event_id for event in there} <= known, game
        for command_id, game in hall.commands.items():
            if game not in campaign.lost:
                first, copied = await record.find_answer(command_id), await championship.record.find_answer(command_id)
                assert first is not None
                assert copied is not None
                assert copied.answer == first.answer


@pytest.mark.parametrize("seed", range(2))
async def test_halls_with_faults_end_as_without(seed: int, tmp_path: Path) -> None:
    await run(seed, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("block", range(20))
async def test_halls_with_faults_end_as_without_in_many_orders(block: int, tmp_path: Path) -> None:
    for seed in range(100 + 50 * block, 150 + 50 * block):
        (tmp_path / str(seed)).mkdir()
        await run(seed, tmp_path / str(seed))
