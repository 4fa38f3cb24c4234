"""A judge at work: watches the queue, claims cases, renews the claim while deciding, and rules."""

from __future__ import annotations

import asyncio
import math
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import grpc

from faristol.client.problems import every_reason, reason_of
from faristol.client.services import call
from faristol.host.rpc.metadata import ACTOR, ROLE
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.text.terminal import language_of_terminal

Ask = Callable[[pb.GetCaseFileResponse], Awaitable[Sequence[events.WordRuling] | None]]
"""Returns the rulings on a case, or None to release it."""

CLAIM_RENEWAL_COUNT = 3
"""Number of renewals of a claim within its lease."""

STREAM_RETRY_SECONDS = 0.5
"""Seconds before a broken stream is opened again."""

LOST_CASE_REASONS = {
    *("CASE_TAKEN", "CASE_RULED", "CASE_WITHDRAWN", "OPINION_GIVEN"),
    *("NOT_A_JUDGE", "OTHER_LANGUAGE", "RULED_FIRST"),
}
"""Reasons for which a case of the queue was lost: to faster judges, or by a dismissal or other languages."""


class Judge:
    """A judge's client of the queue. It retries while a service is unavailable; a command takes effect once."""

    def __init__(self, channel: grpc.aio.Channel, judge_id: str, patience: float = math.inf) -> None:
        """``patience`` is the timeout in seconds until the queue is reached for the first time."""
        self.judge_id = judge_id
        self._patience = patience
        self._stub = pb_grpc.JudgeServiceStub(channel)
        self._metadata = (
            (ACTOR, judge_id),
            (ROLE, "judge"),
            ("accept-language", language_of_terminal()),
        )

    async def queue(self, language: str = "") -> AsyncGenerator[pb.WatchQueueResponse, None]:
        """Yield the queue now and after each change, across broken connections.

        The stream ends when the token that opened it expires. At a console the next stream has a new token; any other
        caller is refused then. Raises ``grpc.aio.AioRpcError`` if the call is refused, or if the queue is not reached
        within the timeout.
        """
        request = pb.WatchQueueRequest(judge_id=self.judge_id, language=language)
        give_up = asyncio.get_running_loop().time() + self._patience
        while True:
            stream = self._stub.WatchQueue(request, metadata=self._metadata)
            was_served = False
            try:
                async for answer in stream:
                    give_up, was_served = math.inf, True
                    yield answer
            except grpc.aio.AioRpcError as error:
                never_there = asyncio.get_running_loop().time() > give_up
                has_expired = was_served and error.code() is grpc.StatusCode.UNAUTHENTICATED
                if not has_expired and (error.code() is not grpc.StatusCode.UNAVAILABLE or never_there):
                    raise
            finally:
                stream.cancel()
            await asyncio.sleep(STREAM_RETRY_SECONDS)

    async def claim(self, case_id: str) -> pb.ClaimCaseResponse:
        """Claim a seat on a case. Raises ``grpc.aio.AioRpcError`` if none is free."""
        request = pb.ClaimCaseRequest(command_id=str(uuid.uuid4()), case_id=case_id, judge_id=self.judge_id)
        return await call(partial(self._stub.ClaimCase, metadata=self._metadata), request)

    async def file(self, case_id: str) -> pb.GetCaseFileResponse:
        """Return the file of a case."""
        request = pb.GetCaseFileRequest(case_id=case_id, judge_id=self.judge_id)
        return await call(partial(self._stub.GetCaseFile, metadata=self._metadata), request)

    async def release(self, case_id: str) -> pb.ReleaseCaseResponse:
        """Release a case."""
        request = pb.ReleaseCaseRequest(command_id=str(uuid.uuid4()), case_id=case_id, judge_id=self.judge_id)
        return await call(partial(self._stub.ReleaseCase, metadata=self._metadata), request)

    async def rule(self, case_id: str, words: Sequence[events.WordRuling], command_id: str = "") -> pb.RuleCaseResponse:
        """Rule on a case that the judge holds."""
        command_id = command_id or str(uuid.uuid4())
        request = pb.RuleCaseRequest(command_id=command_id, case_id=case_id, judge_id=self.judge_id, words=words)
        return await call(partial(self._stub.RuleCase, metadata=self._metadata), request)

    @asynccontextmanager
    async def holding(self, case_id: str, lease_seconds: int) -> AsyncIterator[None]:
        """Renew the claim on a case while the block runs."""
        signs = asyncio.create_task(self._renew_claim(case_id, lease_seconds))
        try:
            yield
        finally:
            signs.cancel()
            await asyncio.wait({signs})

    async def _renew_claim(self, case_id: str, lease_seconds: int) -> None:
        request = pb.KeepClaimRequest(case_id=case_id, judge_id=self.judge_id)
        while True:
            await asyncio.sleep(lease_seconds / CLAIM_RENEWAL_COUNT)
            try:
                await self._stub.KeepClaim(request, timeout=lease_seconds, metadata=self._metadata)
            except grpc.aio.AioRpcError as error:
                if error.code() is grpc.StatusCode.FAILED_PRECONDITION:
                    return  # the claim is lost: the next ruling is refused with CLAIM_LOST


async def judge_queue(
    judge: Judge,
    language: str,
    ask: Ask,
    report: Callable[[str, pb.RuleCaseResponse | None, str], None],
    seen: Callable[[pb.WatchQueueResponse], None] = lambda _: None,
    most: int = 0,
    left: Callable[[str], None] = lambda _: None,
) -> None:
    """Claim one case after the other, the longest wait first, ask for the rulings, and rule.

    ``report`` is called for each case with its id and the answer or reason, ``seen`` for each change of the queue.
    Returns after ``most`` cases, if that is not 0. If ``ask`` raises ``EOFError``, releases the case, calls ``left``
    with its id and raises it again. Raises ``grpc.aio.AioRpcError`` if a call is refused.
    """
    done = 0
    given_back: set[str] = set()
    async for queue in judge.queue(language):
        seen(queue)
        # A case held since before a crash goes first; a released case is left to other judges.
        for case in sorted(queue.cases, key=lambda case: not case.held):
            if case.case_id in given_back:
                continue
            claimed = await _claim_seat(judge, case.case_id)
            if claimed is None:
                continue
            async with judge.holding(case.case_id, claimed.lease_seconds):
                if not await _rule_on(judge, case.case_id, ask, report, left):
                    given_back.add(case.case_id)
            done += 1
            if done == most:
                return


async def _claim_seat(judge: Judge, case_id: str) -> pb.ClaimCaseResponse | None:
    """Claim a seat on a case; return None if it is taken. Waits while the judge holds another case elsewhere."""
    while True:
        try:
            return await judge.claim(case_id)
        except grpc.aio.AioRpcError as error:
            why = reason_of(error)
            if why in LOST_CASE_REASONS:
                return None
            if why != "HOLDS_ANOTHER":
                raise
        await asyncio.sleep(STREAM_RETRY_SECONDS)


async def _rule_on(
    judge: Judge,
    case_id: str,
    ask: Ask,
    report: Callable[[str, pb.RuleCaseResponse | None, str], None],
    left: Callable[[str], None],
) -> bool:
    """Rule on a case. Return False if the judge released it, True if they ruled or lost it."""
    try:
        while True:
            try:
                file = await judge.file(case_id)
            except grpc.aio.AioRpcError as error:
                if reason_of(error) != "NOT_A_JUDGE":
                    raise
                report(case_id, None, every_reason(error))
                return True
            rulings = await ask(file)
            if rulings is None:
                await _release_case(judge, case_id)
                report(case_id, None, "")
                return False
            try:
                answer = await judge.rule(case_id, rulings)
            except grpc.aio.AioRpcError as error:
                report(case_id, None, every_reason(error))
                if reason_of(error) in {"UNSUPPORTED_RULING", "WORDS_NOT_THOSE_OF_CASE"}:
                    continue  # the judge can correct the ruling
                return True
            report(case_id, answer, "")
            return True
    except (EOFError, asyncio.CancelledError):
        if await _release_case(judge, case_id):
            left(case_id)
        raise


async def _release_case(judge: Judge, case_id: str) -> bool:
    """Release a case. Return False if the judge no longer holds it: the claim expired, or the case is closed."""
    try:
        await judge.release(case_id)
    except grpc.aio.AioRpcError as error:
        if reason_of(error) not in {"CLAIM_LOST", "CASE_RULED", "CASE_WITHDRAWN", "NOT_A_JUDGE"}:
            raise
        return False
    return True
