"""gRPC in: judges, their queue and their rulings."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from functools import reduce
from typing import TypeVar

from google.protobuf.message import Message

from faristol.host import Runtime
from faristol.host.dispatch import Context
from faristol.kernel.refusal import N_, Refusal
from faristol.lexicon import adjudication, decide, presenting, reading
from faristol.lexicon.adjudication import Adjudication
from faristol.lexicon.directing import check_judge_id
from faristol.lexicon.docket import projection
from faristol.lexicon.leases import Leases
from faristol.lexicon.lexicons import Lexicons
from faristol.lexicon.model import Case, Ruling, Word, evolve, stream
from faristol.lexicon.streams import case_named, load_adjudication
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.record import Decision, Guard, Write
from faristol.words import WordGraph

M = TypeVar("M", bound=Message)

LOOK = 1.0
"""Seconds after which a queue is looked at again without news."""


class JudgeService(pb_grpc.JudgeServiceServicer):
    """The queue of cases."""

    def __init__(self, runtime: Runtime, lexicons: Lexicons, leases: Leases) -> None:
        self._runtime = runtime
        self._record = runtime.record
        self._lexicons = lexicons
        self._leases = leases
        self._queue = reading.Queue(runtime.record)
        self._progress = runtime.progress(projection().consumer)

    async def WatchQueue(self, request: pb.WatchQueueRequest, context: Context) -> AsyncIterator[pb.WatchQueueResponse]:
        """The cases that a judge may take, again whenever they change."""
        check_judge_id(request.judge_id)
        before: tuple[list[pb.QueuedCase], bool] | None = None
        while True:
            found, appointed, position = await self._queue.of(request.judge_id, request.language)
            cases = [presenting.queued(case, request.judge_id) for case in found]
            if (cases, appointed) != before:
                yield pb.WatchQueueResponse(position=position, cases=cases, appointed=appointed)
                before = cases, appointed
            await self._progress.reached(position + 1, LOOK)
            await asyncio.sleep(reading.FRESH)  # else what is shown would be what was read before the news

    async def ClaimCase(self, request: pb.ClaimCaseRequest, context: Context) -> pb.ClaimCaseResponse:
        """Take a seat on a case."""
        judge_id, case_id = request.judge_id, request.case_id
        check_judge_id(judge_id)
        taken = False

        def facts(case: Case, settings: Adjudication, silent: frozenset[str], now: datetime) -> list[Message]:
            return decide.claim(case, settings, judge_id, silent, now)

        async def made() -> tuple[Decision, Callable[[int], pb.ClaimCaseResponse]]:
            nonlocal taken
            decision, after = await self._on_case(case_id, facts)
            held = after.claim_of(judge_id)
            assert held
            taken = taken or await self._leases.keep(judge_id, case_id, after.lease_seconds)
            if not taken:
                raise _holds_another(judge_id)
            return decision, lambda position: pb.ClaimCaseResponse(
                position=position, seat=held.seat, lease_seconds=after.lease_seconds
            )

        try:
            return await self._runtime.desk.handle(context, request, made, response=pb.ClaimCaseResponse)
        except Refusal:
            if taken:
                await self._leases.end(judge_id, case_id)
            raise

    async def KeepClaim(self, request: pb.KeepClaimRequest, context: Context) -> pb.KeepClaimResponse:
        """A sign that the judge is there."""
        case = (await case_named(self._record, request.case_id)).state
        decide.check_holds(case, request.judge_id)
        if not await self._leases.keep(request.judge_id, request.case_id, case.lease_seconds):
            raise _holds_another(request.judge_id)
        return pb.KeepClaimResponse(lease_seconds=case.lease_seconds)

    async def ReleaseCase(self, request: pb.ReleaseCaseRequest, context: Context) -> pb.ReleaseCaseResponse:
        """Give a case back."""

        def facts(case: Case, settings: Adjudication, silent: frozenset[str], now: datetime) -> list[Message]:
            return decide.release(case, request.judge_id, now)

        async def made() -> tuple[Decision, Callable[[int], pb.ReleaseCaseResponse]]:
            decision, _ = await self._on_case(request.case_id, facts)
            return decision, lambda position: pb.ReleaseCaseResponse(position=position)

        answer = await self._runtime.desk.handle(context, request, made, response=pb.ReleaseCaseResponse)
        await self._leases.end(request.judge_id, request.case_id)
        return answer

    async def RuleCase(self, request: pb.RuleCaseRequest, context: Context) -> pb.RuleCaseResponse:
        """Rule on every word of a case."""
        rulings = [Ruling(tuple(one.word.faces), one.valid, one.reason, one.source) for one in request.words]

        def facts(case: Case, settings: Adjudication, silent: frozenset[str], now: datetime) -> list[Message]:
            graph = self._graph(case)
            listed = {word: _source(graph, word) if graph.contains(word) else None for word in case.words}
            return decide.give_opinion(case, settings, request.judge_id, rulings, listed, now)

        async def made() -> tuple[Decision, Callable[[int], pb.RuleCaseResponse]]:
            decision, after = await self._on_case(request.case_id, facts)
            return decision, lambda position: pb.RuleCaseResponse(position=position, ruled=after.ruled)

        answer = await self._runtime.desk.handle(context, request, made, response=pb.RuleCaseResponse)
        await self._leases.end(request.judge_id, request.case_id)
        return answer

    async def GetCaseFile(self, request: pb.GetCaseFileRequest, context: Context) -> pb.GetCaseFileResponse:
        """What a judge is shown of a case."""
        case = (await case_named(self._record, request.case_id)).state
        settings = (await load_adjudication(self._record, case.tournament_id)).state
        decide.check_judge(case, settings, request.judge_id)
        arguments = await reading.arguments(self._record, case)
        return presenting.file_of(case, arguments, self._graph(case), await reading.earlier(self._record, case))

    async def _on_case(
        self,
        case_id: str,
        facts: Callable[[Case, Adjudication, frozenset[str], datetime], list[Message]],
    ) -> tuple[Decision, Case]:
        """What ``facts`` says about a case as it stands, and the case after it."""
        case = await case_named(self._record, case_id)
        tournament_id = case.state.tournament_id
        settings = await load_adjudication(self._record, tournament_id)
        silent = await self._leases.silent(case.state)
        decided = facts(case.state, settings.state, silent, self._runtime.now())
        writes = [Write(stream(case_id), case.version, decided, tournament_id)] if decided else []
        guards = [Guard(adjudication.stream(tournament_id), settings.version)]
        return Decision(writes, guards), reduce(evolve, decided, case.state)

    def _graph(self, case: Case) -> WordGraph:
        """The lexicon of a case. Raises ``Refusal`` when it is not installed here."""
        return self._lexicons.with_layers(self._lexicons.find(case.lexicon_digest).digest, case.layers)


def _holds_another(judge_id: str) -> Refusal:
    return Refusal(
        "HOLDS_ANOTHER",
        "",
        N_("{judge} holds another case: rule on it or give it back first."),
        {"judge": judge_id},
    )


def _source(graph: WordGraph, word: Word) -> str:
    """The dictionaries by which a lexicon has a word, or else the lexicon itself."""
    sources = sorted({one.source for one in presenting.listings(graph, word) if one.on and one.source})
    return ", ".join(sources) or f"{graph.about.name} {graph.about.edition}"
