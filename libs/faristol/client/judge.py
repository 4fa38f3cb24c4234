"""A judge at work: watches the queue, takes cases, gives signs while thinking, and rules."""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import grpc

from faristol.client.problems import every_reason, reason_of
from faristol.client.services import call
from faristol.host.metadata import ACTOR, ROLE
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.text.terminal import language_of_terminal

Ask = Callable[[pb.GetCaseFileResponse], Awaitable[Sequence[events.WordRuling] | None]]
"""Asks for the rulings on a case; None gives the case back."""

SIGNS = 3
"""Signs that a judge gives within a lease."""

PAUSE = 0.5
"""Seconds before a stream that broke is asked for again."""

PASSED_BY = {
    *("CASE_TAKEN", "CASE_RULED", "CASE_WITHDRAWN", "OPINION_GIVEN"),
    *("NOT_A_JUDGE", "OTHER_LANGUAGE", "RULED_FIRST"),
}
"""Why a case that was in the queue a moment ago may not be had any more: others were faster, or a director has
dismissed the judge or appointed him for other languages."""


class Judge:
    """One judge's way to the queue. A service that is away is waited for; a command is carried out once."""

    def __init__(self, channel: grpc.aio.Channel, judge_id: str, patience: float = math.inf) -> None:
        """``patience`` is in how many seconds the queue has to be reached for the first time."""
        self.judge_id = judge_id
        self._patience = patience
        self._stub = pb_grpc.JudgeServiceStub(channel)
        self._metadata = (
            (ACTOR, judge_id),
            (ROLE, "judge"),
            ("accept-language", language_of_terminal()),
        )

    async def queue(self, language: str = "") -> AsyncIterator[pb.WatchQueueResponse]:
        """The queue, and again whenever it changes, over broken connections.

        Raises ``grpc.aio.AioRpcError`` where it is refused, and where nobody has the patience to reach it.
        """
        request = pb.WatchQueueRequest(judge_id=self.judge_id, language=language)
        give_up = asyncio.get_running_loop().time() + self._patience
        while True:
            stream = self._stub.WatchQueue(request, metadata=self._metadata)
            try:
                async for answer in stream:
                    give_up = math.inf
                    yield answer
            except grpc.aio.AioRpcError as problem:
                never_there = asyncio.get_running_loop().time() > give_up
                if problem.code() is not grpc.StatusCode.UNAVAILABLE or never_there:
                    raise
            finally:
                stream.cancel()
            await asyncio.sleep(PAUSE)

    async def claim(self, case_id: str) -> pb.ClaimCaseResponse:
        """Take a seat on a case. Raises ``grpc.aio.AioRpcError`` when there is none."""
        request = pb.ClaimCaseRequest(command_id=str(uuid.uuid4()), case_id=case_id, judge_id=self.judge_id)
        return await call(partial(self._stub.ClaimCase, metadata=self._metadata), request)

    async def file(self, case_id: str) -> pb.GetCaseFileResponse:
        """What is known of a case."""
        request = pb.GetCaseFileRequest(case_id=case_id, judge_id=self.judge_id)
        return await call(partial(self._stub.GetCaseFile, metadata=self._metadata), request)

    async def release(self, case_id: str) -> pb.ReleaseCaseResponse:
        """Give a case back."""
        request = pb.ReleaseCaseRequest(command_id=str(uuid.uuid4()), case_id=case_id, judge_id=self.judge_id)
        return await call(partial(self._stub.ReleaseCase, metadata=self._metadata), request)

    async def rule(self, case_id: str, words: Sequence[events.WordRuling], command_id: str = "") -> pb.RuleCaseResponse:
        """Rule on a case that is held."""
        command_id = command_id or str(uuid.uuid4())
        request = pb.RuleCaseRequest(command_id=command_id, case_id=case_id, judge_id=self.judge_id, words=words)
        return await call(partial(self._stub.RuleCase, metadata=self._metadata), request)

    @asynccontextmanager
    async def holding(self, case_id: str, lease_seconds: int) -> AsyncIterator[None]:
        """Give signs while the block runs."""
        signs = asyncio.create_task(self._give_signs(case_id, lease_seconds))
        try:
            yield
        finally:
            signs.cancel()
            await asyncio.wait({signs})

    async def _give_signs(self, case_id: str, lease_seconds: int) -> None:
        request = pb.KeepClaimRequest(case_id=case_id, judge_id=self.judge_id)
        while True:
            await asyncio.sleep(lease_seconds / SIGNS)
            try:
                await self._stub.KeepClaim(request, timeout=lease_seconds, metadata=self._metadata)
            except grpc.aio.AioRpcError as problem:
                if problem.code() is grpc.StatusCode.FAILED_PRECONDITION:
                    return  # the next ruling is refused with CLAIM_LOST


async def sit(
    judge: Judge,
    language: str,
    ask: Ask,
    told: Callable[[str, pb.RuleCaseResponse | None, str], None],
    seen: Callable[[pb.WatchQueueResponse], None] = lambda _: None,
    most: int = 0,
    left: Callable[[str], None] = lambda _: None,
) -> None:
    """Take one case after the other, the longest wait first, ask for the rulings, and rule.

    ``told`` hears of each: its id, the answer, or why there was none; ``seen`` of the queue whenever it changes. Ends
    after ``most`` cases, if that is not 0, or when ``ask`` raises ``EOFError``; ``left`` hears of the case that goes
    back then. Raises ``grpc.aio.AioRpcError`` for what cannot be.
    """
    done = 0
    given_back: set[str] = set()
    async for queue in judge.queue(language):
        seen(queue)
        # One that was held before a crash goes first; one that was given back is for others.
        for case in sorted(queue.cases, key=lambda case: not case.held):
            if case.case_id in given_back:
                continue
            claimed = await _claimed(judge, case.case_id)
            if claimed is None:
                continue
            async with judge.holding(case.case_id, claimed.lease_seconds):
                if not await _rule_on(judge, case.case_id, ask, told, left):
                    given_back.add(case.case_id)
            done += 1
            if done == most:
                return


async def _claimed(judge: Judge, case_id: str) -> pb.ClaimCaseResponse | None:
    """A seat on a case, None when it is taken. Waits while the judge holds another case elsewhere."""
    while True:
        try:
            return await judge.claim(case_id)
        except grpc.aio.AioRpcError as problem:
            why = reason_of(problem)
            if why in PASSED_BY:
                return None
            if why != "HOLDS_ANOTHER":
                raise
        await asyncio.sleep(PAUSE)


async def _rule_on(
    judge: Judge,
    case_id: str,
    ask: Ask,
    told: Callable[[str, pb.RuleCaseResponse | None, str], None],
    left: Callable[[str], None],
) -> bool:
    """Whether the judge ruled, or had lost the case; False when it was given back."""
    try:
        while True:
            try:
                file = await judge.file(case_id)
            except grpc.aio.AioRpcError as problem:
                if reason_of(problem) != "NOT_A_JUDGE":
                    raise
                told(case_id, None, every_reason(problem))
                return True
            rulings = await ask(file)
            if rulings is None:
                await _give_back(judge, case_id)
                told(case_id, None, "")
                return False
            try:
                answer = await judge.rule(case_id, rulings)
            except grpc.aio.AioRpcError as problem:
                told(case_id, None, every_reason(problem))
                if reason_of(problem) in {"UNSUPPORTED_RULING", "WORDS_NOT_THOSE_OF_CASE"}:
                    continue  # the judge can say it again
                return True
            told(case_id, answer, "")
            return True
    except (EOFError, asyncio.CancelledError):
        if await _give_back(judge, case_id):
            left(case_id)
        raise


async def _give_back(judge: Judge, case_id: str) -> bool:
    """Give a case back. False when the judge no longer holds it: the claim lapsed, or the case is over."""
    try:
        await judge.release(case_id)
    except grpc.aio.AioRpcError as problem:
        if reason_of(problem) not in {"CLAIM_LOST", "CASE_RULED", "CASE_WITHDRAWN", "NOT_A_JUDGE"}:
            raise
        return False
    return True
