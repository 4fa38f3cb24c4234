"""The participants: tables that challenge their first play, and judges whose connections break."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import grpc
from tests.component.processes import EAGER

from faristol.client.judge import Judge, judge_queue
from faristol.demo.table import DemoTable, Placed, State
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2
from faristol.pb.lexicon.v1 import events_pb2 as events

MAX_THINKING_SECONDS = 1.0
"""Seconds that a judge thinks at most."""
MAX_AWAY_SECONDS = 4.0
"""Limit of seconds for which a judge with a broken connection is away: longer than a lease, or not."""
MAX_CONNECTION_SECONDS = 8.0
"""Seconds after which a connection breaks at the latest."""
PASSING = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED)
"""Statuses of calls whose server was killed."""


class Challenged(Exception):
    """A play was challenged: the table waits for its ruling."""


@dataclass(frozen=True)
class ChallengingTable(DemoTable):
    """A table that challenges every word of its first play, and stops there."""

    async def challenge(self) -> None:
        """Play until a play was challenged."""
        try:
            await self.play()
        except Challenged:
            return

    async def _answer_play(self, game: State, placed: Placed, *, ruled_valid: bool) -> NoReturn:
        assert not ruled_valid
        words = [game_events.Word(faces=word) for word in placed.words]
        request = game_pb2.ChallengeRequest(player_id=self._next(game, placed.mover), words=words)
        await self.send(request, placed.turn, "challenge", placed.when)
        raise Challenged


class Bench:
    """One judge: connects to any replica, rules by the lexicon, and is disconnected at any moment."""

    def __init__(self, judge_id: str, addresses: Sequence[str], chance: random.Random) -> None:
        self.judge_id = judge_id
        self._addresses = addresses
        self._chance = chance
        self.cut = 0
        """How often the connection broke."""
        self.given = 0
        """Opinions that were taken."""
        self.refused = 0
        """Opinions that came too late."""
        self.wrong: list[str] = []

    async def work(self) -> None:
        """Sit until cancelled."""
        while True:
            try:
                async with asyncio.timeout(MAX_CONNECTION_SECONDS * self._chance.random()):
                    await self._sit()
            except TimeoutError:
                self.cut += 1
            except grpc.aio.AioRpcError as problem:
                if problem.code() not in PASSING:
                    self.wrong.append(f"{self.judge_id} was told {problem.code().name}: {problem.details()}")
            await asyncio.sleep(MAX_AWAY_SECONDS * self._chance.random())

    async def _sit(self) -> None:
        address = self._chance.choice(self._addresses)
        async with grpc.aio.insecure_channel(address, options=EAGER) as channel:
            await judge_queue(Judge(channel, self.judge_id), "", self._ask, self._note_answer)

    async def _ask(self, file: adjudication_pb2.GetCaseFileResponse) -> list[events.WordRuling]:
        await asyncio.sleep(MAX_THINKING_SECONDS * self._chance.random())
        return [events.WordRuling(word=ruled.word, valid=ruled.valid) for ruled in file.words]

    def _note_answer(self, case_id: str, answer: adjudication_pb2.RuleCaseResponse | None, problem: str) -> None:
        if answer is None:
            self.refused += 1
        else:
            self.given += 1
