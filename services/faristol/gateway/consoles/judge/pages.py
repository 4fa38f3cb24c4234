"""The judge's pages: the queue of cases, and one case with the lexicon's answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Annotated, Any

import grpc
from fastapi import APIRouter, Path, Query
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from faristol.client.problems import reason_of
from faristol.gateway.asked import DEADLINE
from faristol.gateway.calls import Calls
from faristol.gateway.consoles.commands import command_id, in_words, refused
from faristol.gateway.consoles.frame import console_page
from faristol.gateway.consoles.judge.forms import Written, empty, merged, read, rulings
from faristol.gateway.entrance import led_to
from faristol.gateway.form import Fields
from faristol.gateway.language import language_of
from faristol.gateway.session import OwnCalls, Session, SignedIn
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import lexicon_pb2
from faristol.text import say

DONE = {
    "ruled": N_("Ruled."),
    "opinion": N_(
        "Your ruling is kept. The case waits for the other judges: you see what they found once it is ruled."
    ),
    "released": N_("Given back: the case is in the queue again."),
}
"""What is told of an act, by the word for it in an address."""

NO_VERDICT = N_("Rule on every word: valid or not.")
NOT_SENT = N_("Nothing was ruled.")

LOST = frozenset({"CLAIM_LOST", "CASE_RULED", "CASE_WITHDRAWN", "NOT_A_JUDGE", "CASE_TAKEN", "OPINION_GIVEN"})
"""Why a judge does not hold a case."""

CaseId = Annotated[str, Path(max_length=128, pattern="^[a-z0-9-]+$")]
Part = Annotated[str, Query(pattern="^(live)?$")]

routes = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class _Seat:
    """What a judge has in hand of a case."""

    lease_seconds: int = 0
    """Within which a sign is expected; 0 for who does not hold the case."""


@dataclass(frozen=True, slots=True)
class _Desk:
    """The pages, for somebody who is signed in."""

    request: Request
    session: Session
    calls: Calls

    @property
    def language(self) -> str:
        return language_of(self.request)

    @property
    def judge_id(self) -> str:
        return self.session.credential.subject_id

    async def queue(self) -> pb.WatchQueueResponse:
        """The cases that the judge may take, as they are. Raises ``HTTPException`` for whom there is no queue."""
        answers = self.calls.follow(pb.WatchQueueRequest(judge_id=self.judge_id))
        try:
            async with asyncio.timeout(DEADLINE):
                found: pb.WatchQueueResponse = await anext(answers)
        except TimeoutError as problem:
            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE) from problem
        except grpc.aio.AioRpcError as problem:
            if problem.code() is grpc.StatusCode.PERMISSION_DENIED:
                raise HTTPException(HTTPStatus.NOT_FOUND) from problem  # what one may not see is not there
            raise
        return found

    async def show_queue(
        self, part: str = "", *, said: str = "", refusal: str = "", status: HTTPStatus = HTTPStatus.OK
    ) -> Response:
        """The queue, the case that waits longest first."""
        queue = await self.queue()
        return self._page("judge_queue.html", part, said=said, refused=refusal, status=status, queue=queue)

    async def show_case(
        self, case_id: str, written: Sequence[Written] = (), *, refusal: str = "", status: HTTPStatus = HTTPStatus.OK
    ) -> Response:
        """A case: what is known of its words, and the form to rule on them for who holds it."""
        asked = pb.GetCaseFileRequest(case_id=case_id, judge_id=self.judge_id)
        try:
            file = await self.calls.ask(asked)
        except grpc.aio.AioRpcError as error:
            problem = refused(error, self.language)
            return await self.show_queue(refusal=in_words(problem, self.language), status=problem.status)
        case: lexicon_pb2.GetCaseResponse = await self.calls.ask(lexicon_pb2.GetCaseRequest(case_id=case_id))
        seat = await self._seat(case_id) if self.judge_id in case.held_by else _Seat()
        return self._page(
            "judge_case.html",
            refused=refusal,
            status=status,
            file=file,
            case=case,
            seat=seat,
            words=list(zip(file.words, merged(file, written) if written else empty(file), strict=True)),
            panel=case.mode == events.MODE_PANEL,
        )

    async def _seat(self, case_id: str) -> _Seat:
        """What the judge holds of a case; to look at its page is a sign that the judge is there."""
        try:
            kept = await self.calls.ask(pb.KeepClaimRequest(case_id=case_id, judge_id=self.judge_id))
        except grpc.aio.AioRpcError as problem:
            if reason_of(problem) not in LOST | {"HOLDS_ANOTHER"}:
                raise
            return _Seat()
        return _Seat(kept.lease_seconds)

    def _page(self, name: str, part: str = "", **values: Any) -> Response:
        now: datetime = self.request.app.state.now()
        return console_page(
            self.request,
            name,
            self.session,
            None,
            door="judge",
            part=part,
            judge_id=self.judge_id,
            now_ms=int(now.timestamp() * 1000),
            ms=lambda moment: int(moment.ToDatetime(UTC).timestamp() * 1000),
            modes=events.Mode,
            **values,
        )


@routes.get("/judge")
async def show_queue(
    request: Request,
    signed_in: SignedIn,
    calls: OwnCalls,
    part: Part = "",
    done: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """The cases that a judge may take."""
    said = say(DONE[done], {}, language_of(request)) if done in DONE else ""
    return await _Desk(request, signed_in, calls).show_queue(part, said=said)


@routes.get("/judge/cases/{case_id}")
async def show_case(request: Request, signed_in: SignedIn, calls: OwnCalls, case_id: CaseId) -> Response:
    """The words of a case."""
    return await _Desk(request, signed_in, calls).show_case(case_id)


@routes.post("/judge/cases/{case_id}")
async def act_on_case(
    request: Request, signed_in: SignedIn, calls: OwnCalls, given: Fields, case_id: CaseId
) -> Response:
    """Claim a case, rule on it, or give it back. A refusal is told on the page, and what was written stays there."""
    desk = _Desk(request, signed_in, calls)
    act, written = given.get("act", ""), read(given)
    named: dict[str, Any] = {
        "command_id": command_id(given, act),
        "case_id": case_id,
        "judge_id": desk.judge_id,
    }
    try:
        match act:
            case "claim":
                await calls.ask(pb.ClaimCaseRequest(**named))
                return await desk.show_case(case_id, written) if written else led_to(f"/judge/cases/{case_id}")
            case "release":
                await calls.ask(pb.ReleaseCaseRequest(**named))
                return led_to("/judge?done=released")
            case "rule":
                try:
                    words = rulings(written)
                except ValueError:
                    told = say(NO_VERDICT, {}, desk.language)
                    return await desk.show_case(case_id, written, refusal=told, status=HTTPStatus.BAD_REQUEST)
                answer = await calls.ask(pb.RuleCaseRequest(words=words, **named))
                return led_to(f"/judge?done={'ruled' if answer.ruled else 'opinion'}")
            case _:
                raise HTTPException(HTTPStatus.BAD_REQUEST)
    except grpc.aio.AioRpcError as error:
        problem = refused(error, desk.language)
        told = in_words(problem, desk.language)
        if act == "claim" and not written:
            return await desk.show_queue(refusal=told, status=problem.status)
        if act == "rule":
            told = f"{say(NOT_SENT, {}, desk.language)} {told}"
        return await desk.show_case(case_id, written, refusal=told, status=problem.status)
