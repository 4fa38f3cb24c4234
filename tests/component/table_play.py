"""Two scorers, a judge and two replicas of every service act on one table concurrently, without coordination."""

from __future__ import annotations

import asyncio
import random
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from faristol.event_store import Conflict, Decision, Metadata, Record, Write
from faristol.event_store.tasks import cancel_tasks
from faristol.host import Settings
from faristol.kernel.times import to_timestamp
from faristol.launcher.processes import Running, running
from faristol.pb.clock.v1 import clock_pb2, clock_pb2_grpc
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2, game_pb2_grpc
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import Ruleset
from faristol.rules.ruleset.options import format_value

GAME = "cup-r1-t1"
PLAYERS = ("anna", "biel")
ARBITER = "arbiter-1"
REPLICA_COUNT = 2
TURN_TIMEOUT_SECONDS = 20.0
"""Seconds after which a turn that does not pass is stuck."""

REFUSED = frozenset(
    {
        grpc.StatusCode.FAILED_PRECONDITION,
        grpc.StatusCode.ABORTED,
        grpc.StatusCode.INVALID_ARGUMENT,
        grpc.StatusCode.NOT_FOUND,
    }
)
"""Reasons of refusals for commands that are too late or too early."""


@dataclass
class Hall:
    """One table of a tournament, and two replicas of each of its services."""

    ruleset: Ruleset
    chance: random.Random
    record: Record
    games: Sequence[game_pb2_grpc.GameServiceAsyncStub]
    clocks: Sequence[clock_pb2_grpc.ClockServiceAsyncStub]
    refused: list[str] = field(default_factory=list)
    """Every command that was refused."""
    answers: dict[str, str] = field(default_factory=dict)
    """The last refusal of each command."""

    async def open(self) -> None:
        """Start the round, which opens the table."""
        pin = game_events.Pin(
            name=self.ruleset.name,
            digest=self.ruleset.digest,
            options=[
                game_events.ChosenOption(name=name, value=format_value(value))
                for name, value in sorted(self.ruleset.chosen.items())
            ],
        )
        at = now()
        pairing = pairing_events.Pairing(table=1, game_id=GAME, first_player_id="anna", second_player_id="biel")
        new_events: list[Message] = [
            pairing_events.TournamentCreated(tournament_id="cup", rounds=5, seed=b"s" * 32, occurred_at=at),
            pairing_events.RulesetPinned(ruleset=pin),
            pairing_events.LexiconPinned(lexicon=game_events.Pin(name="none", digest="00")),
            pairing_events.RoundPaired(round=1, pairings=[pairing], occurred_at=at),
            pairing_events.RoundStarted(round=1, occurred_at=at),
        ]
        await self.record.append(Decision([Write("tournament-cup", 0, new_events, "cup")]), Metadata())
        if self.ruleset.arbiter.required:
            await self.until(lambda game: True)
            await self.ask(game_pb2.AssignArbiterRequest(arbiter_id=ARBITER))
        await self.until(lambda game: game.phase == game_pb2.PHASE_TURN)

    async def until(self, holds: Callable[[game_pb2.GetGameResponse], bool]) -> game_pb2.GetGameResponse:
        """Return the table, once it meets a condition."""
        loop = asyncio.get_running_loop()
        give_up = loop.time() + TURN_TIMEOUT_SECONDS
        while loop.time() < give_up:
            with suppress(grpc.aio.AioRpcError):
                game = await self.look()
                if holds(game):
                    return game
            await asyncio.sleep(0.02)
        events = [f"{event.stream} {event.name}" for event in (await self.record.read(0, limit=10_000))[-12:]]
        raise AssertionError(f"the table is stuck after {events}; refused last: {self.answers}")

    async def look(self, player_id: str = "") -> game_pb2.GetGameResponse:
        """Return the table from one replica."""
        stub = self.chance.choice(self.games)
        return await stub.GetGame(game_pb2.GetGameRequest(game_id=GAME, player_id=player_id))

    async def ask(self, request: Any) -> Any:
        """Send a command to one of the replicas; None when it is refused."""
        request.command_id, request.game_id = str(uuid.uuid4()), GAME
        name = type(request).__name__.removesuffix("Request")
        stub = self.chance.choice(self.clocks if type(request).__module__.endswith("clock_pb2") else self.games)
        try:
            return await getattr(stub, name)(request)
        except grpc.aio.AioRpcError as problem:
            if problem.code() not in REFUSED:
                raise
            self.refused.append(name)
            self.answers[name] = problem.details() or ""
            return None

    async def pause(self, most: float = 0.03) -> None:
        """Pause as a hesitating player."""
        await asyncio.sleep(self.chance.random() * most)

    async def turn(self) -> bool:
        """Play one turn: the mover places a play, then all act at once. Return False when the game is over."""
        game = await self.until(lambda game: game.phase in {game_pb2.PHASE_TURN, *OVER})
        if game.phase in OVER:
            return False
        mover, turn = game.turn_player_id, game.turn
        game = await self.look(mover)
        placements = next_to(game)
        placed = await self.ask(game_pb2.PlacePlayRequest(player_id=mover, placements=placements))
        if placed is None:  # the turn was over before it was taken
            return True
        words = [scored.word for scored in placed.words]
        other = next(player for player in PLAYERS if player != mover)
        acting = [
            asyncio.create_task(self._act(self._of_mover(mover))),
            asyncio.create_task(self._act(self._of_opponent(other, words))),
            asyncio.create_task(self._act([lambda: clock_pb2.PressRequest(player_id=mover)])),
        ]
        try:
            await self.until(lambda game: any(task.done() for task in acting) or game.turn > turn or game.phase in OVER)
        finally:
            problems = [task.exception() for task in acting if task.done() and not task.cancelled()]
            await cancel_tasks(acting)
        assert problems == []
        return True

    async def _act(self, commands: Sequence[Callable[[], Message]]) -> None:
        while True:
            await self.pause()
            await self.ask(self.chance.choice(commands)())

    def _of_mover(self, mover: str) -> list[Callable[[], Message]]:
        commands: list[Callable[[], Message]] = [
            lambda: game_pb2.WriteScoreRequest(player_id=mover),
            lambda: game_pb2.DrawTilesRequest(player_id=mover),
            lambda: game_pb2.AcceptRulingRequest(player_id=mover),
            lambda: game_pb2.AppealRequest(player_id=mover, arguments="it is in the book"),
        ]
        if self.ruleset.clock.stopped_by_mover:
            commands.append(lambda: clock_pb2.StopRequest(player_id=mover))
        return commands

    def _of_opponent(self, opponent: str, words: Sequence[game_events.Word]) -> list[Callable[[], Message]]:
        commands: list[Callable[[], Message]] = [
            lambda: game_pb2.WriteScoreRequest(player_id=opponent),
            lambda: game_pb2.AppealRequest(player_id=opponent, arguments="it is not in the book"),
        ]

        def doubt() -> Message:
            return game_pb2.ChallengeRequest(player_id=opponent, words=words)

        return commands + [doubt] * self.chance.choice([0, 1, 3])

    async def judge(self) -> None:
        """Rule randomly on every challenge and every appeal."""
        kinds = {kind.DESCRIPTOR.full_name: kind for kind in (game_events.ChallengeRaised, game_events.AppealRaised)}
        async for event in self.record.follow(0, types=kinds):
            await self.pause(0.05)
            raised: Any = event.message
            valid = self.chance.random() < 0.5
            if isinstance(raised, game_events.AppealRaised):
                await self.ask(game_pb2.RuleAppealRequest(arbiter_id=ARBITER, valid=valid))
                continue
            ruled = lexicon_events.CaseRuled(
                case_id=f"{GAME}-{raised.challenge}",
                game_id=GAME,
                turn=raised.turn,
                challenge=raised.challenge,
                valid=valid,
                words=[lexicon_events.WordRuling(word=word, valid=valid) for word in raised.words],
                occurred_at=now(),
            )
            with suppress(Conflict):
                write = Write(f"case-{GAME}-{raised.challenge}", 0, [ruled], "cup")
                await self.record.append(Decision([write]), Metadata())


OVER = frozenset({game_pb2.PHASE_ENDED, game_pb2.PHASE_FINAL})


def next_to(game: game_pb2.GetGameResponse) -> list[game_events.Placement]:
    """Return a play that any book accepts: two letters on the centre, or one at an end of the existing row."""
    letters = [face for face in game.rack if face != "?"]
    row = [tile.column for tile in game.board if tile.row == 7]
    columns = [7, 8] if not row else [max(row) + 1] if max(row) < 14 else [min(row) - 1]
    return [
        game_events.Placement(row=7, column=column, face=face) for column, face in zip(columns, letters, strict=False)
    ]


def now() -> Timestamp:
    """Return the present time in the form of the contract."""
    return to_timestamp(datetime.now(UTC))


@asynccontextmanager
async def played_by(ruleset: Ruleset, seed: int, folder: Path, database_url: str, nats_url: str) -> AsyncIterator[Hall]:
    """Yield a hall with two replicas of the game and clock services on one record, with a judge."""
    async with AsyncExitStack() as stack:
        replicas: list[Running] = []
        for number in range(REPLICA_COUNT):
            settings = {
                "data": folder / str(number),
                "database_url": database_url,
                "nats_url": nats_url,
                "grace_seconds": 0.5,
            }
            serving = running(Settings.model_validate(settings), ("game", "clock"))
            replicas.append(await stack.enter_async_context(serving))
        channels = [
            await stack.enter_async_context(grpc.aio.insecure_channel(replica.grpc_address)) for replica in replicas
        ]
        record = await Record.open(database_url)
        stack.push_async_callback(record.close)
        hall = Hall(
            ruleset,
            random.Random(seed),
            record,
            [game_pb2_grpc.GameServiceStub(channel) for channel in channels],
            [clock_pb2_grpc.ClockServiceStub(channel) for channel in channels],
        )
        await hall.open()
        judging = asyncio.create_task(hall.judge())
        yield hall
        assert not judging.done()
        await cancel_tasks([judging])
