"""A championship and hall cells on real records, with the game and the clock service, for tests."""

from __future__ import annotations

import uuid
from collections.abc import AsyncIterator, Awaitable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import grpc
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from google.protobuf.message import Message
from tests.support.table_games import FISC, SEED

from faristol.clock.service_module import part as clock_part
from faristol.event_store import Decision, Metadata, Record, Recorded, Write
from faristol.event_store.append.extracts import extract
from faristol.event_store.stored import Stored
from faristol.game.duplicate_game.lexicons import Lexicons
from faristol.game.service_module import part
from faristol.host import Runtime, Settings
from faristol.host.halls import wire
from faristol.host.halls.given_keys import store_keys
from faristol.host.rpc.interceptor import ErrorInterceptor
from faristol.host.table_store import load_table
from faristol.kernel.times import to_timestamp
from faristol.pb.clock.v1 import clock_pb2, clock_pb2_grpc
from faristol.pb.game.v1 import events_pb2 as events
from faristol.pb.game.v1 import game_pb2, game_pb2_grpc
from faristol.pb.hall.v1 import hall_pb2 as pb
from faristol.pb.hall.v1 import hall_pb2_grpc
from faristol.pb.pairing.v1 import events_pb2 as pairing_events

NOW = datetime(2026, 5, 2, 10, 0, tzinfo=UTC)
GRAN, PETITA = "Sala Gran", "Sala Petita"


class Time:
    """The clock of a cell, which a test sets."""

    def __init__(self) -> None:
        self.at = NOW

    def __call__(self) -> datetime:
        return self.at


@dataclass
class Cell:
    """A record with the game service on it, as a championship or as a hall."""

    record: Record
    now: Time
    games: game_pb2_grpc.GameServiceAsyncStub
    clocks: clock_pb2_grpc.ClockServiceAsyncStub
    halls: hall_pb2_grpc.HallSyncServiceAsyncStub
    channel: grpc.aio.Channel
    settings: Settings
    lexicons: Lexicons | None = None

    async def write(self, stream: str, *past_events: Message) -> Recorded:
        version = len(await self.record.read_stream(stream))
        await self.record.append(Decision([Write(stream, version, past_events, "cup")]), Metadata())
        return (await self.record.read_stream(stream))[-1]

    async def react(self, event: Recorded) -> None:
        """Let the game service react to an event."""
        for reaction in part(Runtime(self.settings, self.record, self.now), self.lexicons).reactions:
            if event.type in reaction.types and (decision := await reaction.react(event)):
                await self.record.append(decision, Metadata(causation_id=event.event_id))

    async def do(self, game_id: str) -> None:
        """Let the player on turn pass, or press the clock after it."""
        settled = await load_table(self.record, game_id)
        assert settled is not None
        mover = settled.game.mover
        if settled.game.taken:
            pressed = clock_pb2.PressRequest(command_id=command(), game_id=game_id, player_id=mover)
            await self.clocks.Press(pressed)
        else:
            await self.games.Pass(game_pb2.PassRequest(command_id=command(), game_id=game_id, player_id=mover))

    async def names(self, game_id: str) -> list[str]:
        return [event.name for event in await self.record.read_stream(f"game-{game_id}")]


@asynccontextmanager
async def serve(path: Path, lexicons: Lexicons | None = None, key: bytes = b"") -> AsyncIterator[Cell]:
    now = Time()
    record = await Record.open(f"sqlite:///{path}", now)
    record.owner_key = key
    server = grpc.aio.server(interceptors=(ErrorInterceptor(),))
    settings = Settings.model_validate({"data": path.with_suffix("")})
    runtime = Runtime(settings, record, now)
    for servicer in (*part(runtime, lexicons).servicers, *clock_part(runtime).servicers):
        servicer.add_to(server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            games, clocks = game_pb2_grpc.GameServiceStub(channel), clock_pb2_grpc.ClockServiceStub(channel)
            halls = hall_pb2_grpc.HallSyncServiceStub(channel)
            yield Cell(record, now, games, clocks, halls, channel, settings, lexicons)
    finally:
        await server.stop(None)
        await record.close()


class Hall:
    """A hall cell: its key, and what it follows and sends."""

    def __init__(
        self, cell: Cell, championship: Cell, name: str = GRAN, private: Ed25519PrivateKey | None = None
    ) -> None:
        self.cell, self.championship, self.name = cell, championship, name
        self.private = private or Ed25519PrivateKey.generate()
        self.key = self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        cell.record.owner_key = self.key
        self.position = 0

    async def join(self, address: str = "") -> None:
        request = pb.JoinHallRequest(
            command_id=command(), tournament_id="cup", hall=self.name, key=self.key, address=address
        )
        await self.championship.halls.JoinHall(request)

    async def follow(self, stopped: Collection[str] = ()) -> None:
        """Copy the events of the championship up to its present end, without those of stopped games."""
        request = pb.FollowChampionshipRequest(tournament_id="cup", hall=self.name, after_position=self.position)
        call = self.championship.halls.FollowChampionship(request)
        try:
            async for response in call:
                await self._copy(response, stopped)
                if self.position >= response.last_position:
                    return
        finally:
            call.cancel()  # a call that is left open reads the record of the championship until it is closed

    async def _copy(self, response: pb.FollowChampionshipResponse, stopped: Collection[str]) -> None:
        """Copy the events of a response, as the follower of a hall does."""
        wanted = [event for event in response.events if event.stream.partition("-")[2] not in stopped]
        batch = wire.to_batch(wanted, response.answers)
        folder = self.cell.settings.hall_folder()
        folder.mkdir(parents=True, exist_ok=True)
        store_keys(folder, {key.game_id: key.key for key in response.keys})
        also = wire.people_writer(response.people)
        await self.cell.record.copy(batch, also=also, known=batch.answers)
        self.position = response.position

    async def batch(self, *games: str, epoch: int = 1, after: int = 0) -> pb.HallBatch:
        """Return the events that the hall wrote at its tables after the hand-over, or after a position."""
        clocks = {f"clock-{game}" for game in games}
        own = {f"game-{game}": await self._find_own(game) for game in games}

        def is_own(event: Stored) -> bool:
            return event.stream in clocks or event.version in own.get(event.stream, ())

        found = await extract(self.cell.record, after, is_own)
        return pb.HallBatch(
            tournament_id="cup",
            hall=self.name,
            epochs=[pb.TableEpoch(game_id=game, epoch=epoch) for game in games],
            events=wire.to_events(found.batch),
            answers=wire.to_answers(found.batch),
        )

    async def _find_own(self, game: str) -> range:
        """Return the versions of a game that the hall wrote: after the hand-over, and before it was taken back."""
        past = await self.cell.record.read_stream(f"game-{game}")
        begin = max(event.version for event in past if event.name == "TableHandedOver")
        ends = [event.version for event in past if event.name == "TableTakenBack" and event.version > begin]
        return range(begin + 1, min(ends, default=len(past) + 1))

    async def push(self, batch: pb.HallBatch, *, key: Ed25519PrivateKey | None = None) -> pb.PushEventsResponse:
        content = batch.SerializeToString()
        signature = wire.sign(key or self.private, content)
        request = pb.PushEventsRequest(tournament_id="cup", hall=self.name, batch=content, signature=signature)
        return await self.championship.halls.PushEvents(request)


def command() -> str:
    return str(uuid.uuid4())


SEATS: Mapping[str, Sequence[int]] = {GRAN: (1, 2), PETITA: (3,)}
"""The tables of each hall."""


async def create_tournament(championship: Cell, seats: Mapping[str, Sequence[int]] = SEATS) -> None:
    at = to_timestamp(NOW)
    halls = [pairing_events.Hall(name=name, first_table=min(numbers)) for name, numbers in seats.items()]
    await championship.write(
        "tournament-cup",
        pairing_events.TournamentCreated(tournament_id="cup", rounds=5, seed=SEED, occurred_at=at),
        pairing_events.RulesetPinned(ruleset=events.Pin(name="fisc-2023", digest=FISC.digest)),
        pairing_events.LexiconPinned(lexicon=events.Pin(name="catalan", digest="00")),
        pairing_events.HallsSet(halls=halls, occurred_at=at),
    )


async def start_round(championship: Cell, number: int = 1, seats: Mapping[str, Sequence[int]] = SEATS) -> None:
    """Pair and start a round."""
    pairings = [
        pairing_events.Pairing(
            table=n, game_id=f"cup-r{number}-t{n}", hall=hall, first_player_id=f"a{n}", second_player_id=f"b{n}"
        )
        for hall, numbers in seats.items()
        for n in numbers
    ]
    at = to_timestamp(NOW)
    await championship.write(
        "tournament-cup", pairing_events.RoundPaired(round=number, pairings=pairings, occurred_at=at)
    )
    started = pairing_events.RoundStarted(round=number, occurred_at=at)
    await championship.react(await championship.write("tournament-cup", started))


async def streams(cell: Cell, game_id: str) -> list[Recorded]:
    """Return the events of a table without positions."""
    found = await cell.record.read_stream(f"game-{game_id}") + await cell.record.read_stream(f"clock-{game_id}")
    return [replace(event, position=0) for event in found]


async def reason(call: Awaitable[object]) -> str:
    """Return the code, the message and the reason of a refused call."""
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return f"{error.value.code().name} {error.value.details()} {error.value.trailing_metadata()}"
