"""Officials who write beside the tables: a clerk who changes settings, and judges who rule on challenges."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import grpc
import grpc.aio
from tests.campaigns.simulation.clients import Caller, Told

from faristol.client.services import Api
from faristol.pb.lexicon.v1 import adjudication_pb2 as adjudication
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as adjudication_grpc
from faristol.pb.lexicon.v1 import events_pb2 as lexicon_events
from faristol.pb.pairing.v1 import events_pb2, pairing_pb2

MAX_SILENCE_SECONDS = 5.0
"""Limit of seconds for which a judge does not renew a claim: longer than its lease, or not."""


class Clerk(Caller):
    """Changes settings of the tournament all the time, so that reactions and repeated commands meet other writers."""

    def __init__(self, api: Api, told: Told, tournament_id: str, luck: Random) -> None:
        super().__init__(api, told, "clerk", luck)
        self._tournament_id = tournament_id

    async def work(self) -> None:
        """Work until cancelled, or until the tournament takes no more settings."""
        which: dict[str, Any] = {"tournament_id": self._tournament_id}
        while True:
            check_in = self.luck.random() < 0.5
            request = pairing_pb2.SetPlayerActsRequest(
                most_byes=1, leaving=events_pb2.LEAVING_OPTION_DESK, check_in=check_in, **which
            )
            await self.command(self.api.pairing.SetPlayerActs, request)
            await asyncio.sleep(0.2 * self.luck.random())


class Bench(Caller):
    """A judge: claims cases, thinks for longer than the lease now and then, and rules by the lexicon."""

    def __init__(self, api: Api, told: Told, channel: Any, judge_id: str, luck: Random) -> None:
        super().__init__(api, told, judge_id, luck)
        self._judges = adjudication_grpc.JudgeServiceStub(channel)

    async def work(self) -> None:
        """Watch the queue until cancelled."""
        while True:
            stream: Any = self._judges.WatchQueue(adjudication.WatchQueueRequest(judge_id=self.name))
            try:
                async for queue in stream:
                    if not await self._rule([case.case_id for case in queue.cases]):
                        break  # no message follows if a case is claimed and returned between two polls
            except grpc.aio.AioRpcError as problem:
                if problem.code() is not grpc.StatusCode.UNAVAILABLE:
                    self.told.problems.append(f"{self.name} was told {problem.code().name}: {problem.details()}")
            finally:
                stream.cancel()
            await asyncio.sleep(0.3 * self.luck.random())

    async def _rule(self, cases: list[str]) -> bool:
        """Rule on cases. Return False if a command was refused."""
        all_ruled = True
        for case_id in cases:
            which: dict[str, Any] = {"case_id": case_id, "judge_id": self.name}
            if await self.command(self._judges.ClaimCase, adjudication.ClaimCaseRequest(**which)) is None:
                all_ruled = False
                continue
            file = await self.call(self._judges.GetCaseFile, adjudication.GetCaseFileRequest(**which))
            await asyncio.sleep(self.luck.choice((0.1, MAX_SILENCE_SECONDS)) * self.luck.random())
            words = [lexicon_events.WordRuling(word=ruled.word, valid=ruled.valid) for ruled in file.words]
            ruled = await self.command(self._judges.RuleCase, adjudication.RuleCaseRequest(words=words, **which))
            all_ruled &= ruled is not None
        return all_ruled
