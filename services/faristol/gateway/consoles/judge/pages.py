"""Judge's pages: the queue of cases, and a case with the answer of the lexicon."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Annotated, Any

import grpc
from fastapi import APIRouter, Depends, Path
from starlette.exceptions import HTTPException
from starlette.responses import Response

from faristol.client.problems import reason_of
from faristol.gateway.auth.sign_in import redirect_after, redirect_to
from faristol.gateway.consoles.commands import command_id, hide_errors, to_problem
from faristol.gateway.consoles.forms import Given, count_entries, fill
from faristol.gateway.consoles.frame import Console, Typed
from faristol.gateway.http.forms import Fields
from faristol.gateway.pages.render import Part
from faristol.gateway.rpc.service import SERVICE_TIMEOUT_SECONDS
from faristol.kernel.refusal import N_
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import lexicon_pb2
from faristol.text import say

SUCCESS_TEXTS = {
    "ruled": N_("Ruled."),
    "opinion": N_(
        "Your ruling is recorded. The case waits for the other judges; you see their rulings when it is decided."
    ),
    "released": N_("The case is back in the queue."),
}
"""Success messages, by the action in the address."""


LOST = frozenset({"CLAIM_LOST", "CASE_RULED", "CASE_WITHDRAWN", "NOT_A_JUDGE", "CASE_TAKEN", "OPINION_GIVEN"})
"""Reasons why a judge does not hold a case."""

CaseId = Annotated[str, Path(max_length=128, pattern="^[a-z0-9-]+$")]

routes = APIRouter(include_in_schema=False)


class _JudgePages(Console):
    """Judge's pages, for a signed-in user."""

    async def queue(self) -> pb.WatchQueueResponse:
        """Return the cases that the judge may claim. Raises ``HTTPException`` if the user has no queue."""
        answers = self.calls.follow(pb.WatchQueueRequest(judge_id=self.subject))
        try:
            with hide_errors(grpc.StatusCode.PERMISSION_DENIED):
                async with asyncio.timeout(SERVICE_TIMEOUT_SECONDS):
                    found: pb.WatchQueueResponse = await anext(answers)
        except TimeoutError as problem:
            raise HTTPException(HTTPStatus.SERVICE_UNAVAILABLE) from problem
        return found

    async def show_queue(
        self, part: str = "", *, said: str = "", refusal: str = "", status: HTTPStatus = HTTPStatus.OK
    ) -> Response:
        """Render the queue, the longest waiting case first."""
        return self.page(
            "judge_queue.html",
            None,
            console_name="judge",
            part=part,
            said=said,
            refused=refusal,
            status=status,
            queue=await self.queue(),
            now_ms=self.now_ms,
            modes=events.Mode,
        )

    async def show_case(
        self, case_id: str, given: Given | None = None, *, refusal: str = "", status: HTTPStatus = HTTPStatus.OK
    ) -> Response:
        """Render a case: the data about its words, and the form if the judge holds it, filled with ``given``."""
        asked = pb.GetCaseFileRequest(case_id=case_id, judge_id=self.subject)
        try:
            file = await self.calls.ask(asked)
        except grpc.aio.AioRpcError as error:
            problem = to_problem(error, self.language)
            return await self.show_queue(refusal=problem.detail, status=problem.status)
        case = await self.calls.ask(lexicon_pb2.GetCaseRequest(case_id=case_id))
        lease_seconds = await self._lease(case_id) if self.subject in case.held_by else 0
        return self.page(
            "judge_case.html",
            None,
            console_name="judge",
            refused=refusal,
            status=status,
            file=file,
            case=case,
            lease_seconds=lease_seconds,
            typed=Typed(given or {}),
            blank=Typed(),
            panel=case.mode == events.MODE_PANEL,
            judge_id=self.subject,
            now_ms=self.now_ms,
        )

    async def _lease(self, case_id: str) -> int:
        """Renew the claim and return its lease in seconds; 0 if the judge does not hold the case."""
        try:
            kept = await self.calls.ask(pb.KeepClaimRequest(case_id=case_id, judge_id=self.subject))
        except grpc.aio.AioRpcError as problem:
            if reason_of(problem) not in LOST | {"HOLDS_ANOTHER"}:
                raise
            return 0
        return int(kept.lease_seconds)


JudgePagesDep = Annotated[_JudgePages, Depends()]


@routes.get("/judge")
async def show_queue(console: JudgePagesDep, part: Part = "") -> Response:
    """Show the cases that a judge may claim."""
    done = "" if part else console.done_by("judge")[0]
    said = say(SUCCESS_TEXTS[done], {}, console.language) if done in SUCCESS_TEXTS else ""
    return await console.show_queue(part, said=said)


@routes.get("/judge/cases/{case_id}")
async def show_case(console: JudgePagesDep, case_id: CaseId) -> Response:
    """Show the words of a case."""
    return await console.show_case(case_id)


@routes.post("/judge/cases/{case_id}")
async def act_on_case(console: JudgePagesDep, given: Fields, case_id: CaseId) -> Response:
    """Claim a case, rule on it, or release it. After a refusal, the page keeps the input."""
    act, word_count = given.get("act", ""), count_entries(given, "words")
    named: dict[str, Any] = {
        "command_id": command_id(given, act),
        "case_id": case_id,
        "judge_id": console.subject,
    }
    try:
        match act:
            case "claim":
                await console.calls.ask(pb.ClaimCaseRequest(**named))
                return await console.show_case(case_id, given) if word_count else redirect_to(f"/judge/cases/{case_id}")
            case "release":
                await console.calls.ask(pb.ReleaseCaseRequest(**named))
                return redirect_after(console.request, "/judge", "judge.released")
            case "rule":
                if any(given.get(f"words.{place}.valid", "") not in ("0", "1") for place in range(word_count)):
                    text = say(N_("Rule on every word: valid or not."), {}, console.language)
                    return await console.show_case(case_id, given, refusal=text, status=HTTPStatus.BAD_REQUEST)
                ruling = pb.RuleCaseRequest()
                fill(ruling, given)
                ruling.MergeFrom(pb.RuleCaseRequest(**named))
                answer = await console.calls.ask(ruling)
                return redirect_after(console.request, "/judge", f"judge.{'ruled' if answer.ruled else 'opinion'}")
            case _:
                raise HTTPException(HTTPStatus.BAD_REQUEST)
    except grpc.aio.AioRpcError as error:
        problem = to_problem(error, console.language)
        text = problem.detail
        if act == "claim" and not word_count:
            return await console.show_queue(refusal=text, status=problem.status)
        if act == "rule":
            text = " ".join((say(N_("No ruling was recorded."), {}, console.language), text))
        return await console.show_case(case_id, given, refusal=text, status=problem.status)
