"""The judges' service over gRPC: their queue and their rulings. The contract documents its methods."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from typing import Any, NamedTuple, TypeVar

from google.protobuf.message import Message

from faristol.adjudication import policy
from faristol.adjudication.appointments import check_judge_id
from faristol.adjudication.cases import decide
from faristol.adjudication.cases.model import Case, Ruling, Word, evolve, stream
from faristol.adjudication.leases import Leases
from faristol.adjudication.policy import Adjudication
from faristol.assertions import Sometimes
from faristol.event_store import Decision, Guard, Write
from faristol.host import Runtime
from faristol.host.rpc.dispatch import Context, Dispatcher
from faristol.kernel.event_types import methods_of
from faristol.kernel.refusal import N_, Refusal
from faristol.lexicon.adjudication.cases import presentation, queries
from faristol.lexicon.adjudication.cases.docket import projection
from faristol.lexicon.adjudication.streams import case_named, load_adjudication
from faristol.lexicon.lexicons.library import Lexicons
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.words import WordGraph

M = TypeVar("M", bound=Message)

QUEUE_POLL_SECONDS = 1.0
"""Seconds between polls of a queue without notifications."""


JUDGE_SILENT = Sometimes("a judge acts on a case that another holds with an expired lease")


@dataclass(frozen=True, slots=True)
class CaseSituation:
    """The state on which a judge's command is decided."""

    case: Case
    settings: Adjudication
    silent: frozenset[str]
    """Judges that hold the case with an expired lease."""
    now: datetime
    sources: Callable[[Case], dict[Word, str | None]]
    """Returns the source of each word of a case in the lexicon."""


def _claim(hearing: CaseSituation, request: pb.ClaimCaseRequest) -> list[Message]:
    return decide.claim(hearing.case, hearing.settings, request.judge_id, hearing.silent, hearing.now)


def _release(hearing: CaseSituation, request: pb.ReleaseCaseRequest) -> list[Message]:
    return decide.release(hearing.case, request.judge_id, hearing.now)


def _rule(hearing: CaseSituation, request: pb.RuleCaseRequest) -> list[Message]:
    rulings = [Ruling(tuple(word.word.faces), word.valid, word.reason, word.source) for word in request.words]
    listed = hearing.sources(hearing.case)
    return decide.give_opinion(hearing.case, hearing.settings, request.judge_id, rulings, listed, hearing.now)


def _seat(case: Case, judge_id: str) -> Mapping[str, Any]:
    held = case.claim_of(judge_id)
    assert held, "who claimed a case holds it"
    return {"seat": held.seat, "lease_seconds": case.lease_seconds}


class JudgeCommand(NamedTuple):
    """A judge's command: ``decide`` returns its events, ``told`` fields of its answer from the case and the judge."""

    decide: Callable[[CaseSituation, Any], list[Message]]
    told: Callable[[Case, str], Mapping[str, Any]]


COMMANDS: Mapping[type[Message], JudgeCommand] = {
    pb.ClaimCaseRequest: JudgeCommand(_claim, _seat),
    pb.ReleaseCaseRequest: JudgeCommand(_release, lambda case, judge_id: {}),
    pb.RuleCaseRequest: JudgeCommand(_rule, lambda case, judge_id: {"ruled": case.ruled}),
}


def service(runtime: Runtime, lexicons: Lexicons, leases: Leases) -> Dispatcher:
    """Return the dispatcher of the judges' service."""
    judge_service = JudgeService(runtime, lexicons, leases)
    descriptor = pb.DESCRIPTOR.services_by_name["JudgeService"]
    return Dispatcher(descriptor, COMMANDS, judge_service.carry_out, methods_of(judge_service))


class JudgeService:
    """The methods of the judges' service."""

    def __init__(self, runtime: Runtime, lexicons: Lexicons, leases: Leases) -> None:
        self._runtime = runtime
        self._record = runtime.record
        self._lexicons = lexicons
        self._leases = leases
        self._queue = queries.Queue(runtime.record)
        self._progress = runtime.progress(projection().consumer)

    async def watch_queue(
        self, request: pb.WatchQueueRequest, context: Context
    ) -> AsyncIterator[pb.WatchQueueResponse]:
        """Stream the cases that a judge may claim, on every change."""
        check_judge_id(request.judge_id)
        before: tuple[list[pb.QueuedCase], bool] | None = None
        while True:
            found, appointed, position = await self._queue.of(request.judge_id, request.language)
            cases = [
                presentation.to_queued_case(case, request.judge_id) for case in found if await self._is_for_caller(case)
            ]
            if (cases, appointed) != before:
                yield pb.WatchQueueResponse(position=position, cases=cases, appointed=appointed)
                before = cases, appointed
            await self._progress.wait_until_reached(position + 1, QUEUE_POLL_SECONDS)
            await asyncio.sleep(
                queries.QUEUE_CACHE_SECONDS
            )  # otherwise a queue that was cached before the notification would be sent

    async def _is_for_caller(self, case: Case) -> bool:
        admission = self._runtime.admission
        return admission is None or await admission.is_for_caller(case.case_id)

    async def keep_claim(self, request: pb.KeepClaimRequest, context: Context) -> pb.KeepClaimResponse:
        """Renew the lease of a judge. Raises ``Refusal`` if the judge holds another case or not this one."""
        case = (await case_named(self._record, request.case_id)).state
        decide.check_holds(case, request.judge_id)
        if not await self._leases.keep(request.judge_id, request.case_id, case.lease_seconds):
            raise _holds_another(request.judge_id)
        return pb.KeepClaimResponse(lease_seconds=case.lease_seconds)

    async def carry_out(self, request: Any, context: Context, response: type[M]) -> M:
        """Execute a judge's command on a case: a claim takes a lease, any other command ends it.

        A judge holds one case at a time: a claim is refused if no lease can be taken. A refusal after the lease was
        taken ends the lease.
        """
        if self._record.owner_key:
            raise Refusal(
                "CASE_OF_CHAMPIONSHIP",
                N_("Judges rule in the championship: this is the cell of a hall, which waits for the ruling."),
            )
        command, claims = COMMANDS[type(request)], isinstance(request, pb.ClaimCaseRequest)
        judge_id, case_id = request.judge_id, request.case_id
        if claims:
            check_judge_id(judge_id)
        taken = False

        async def attempt() -> tuple[Decision, Callable[[int], M]]:
            nonlocal taken
            decision, after = await self._on_case(request, command)
            if claims:
                taken = taken or await self._leases.keep(judge_id, case_id, after.lease_seconds)
                if not taken:
                    raise _holds_another(judge_id)
            fields = command.told(after, judge_id)
            return decision, lambda position: response(position=position, **fields)

        try:
            answer = await self._runtime.command_handler.handle(context, request, attempt, response=response)
        except Refusal:
            if taken:
                await self._leases.end(judge_id, case_id)
            raise
        if not claims:
            await self._leases.end(judge_id, case_id)
        return answer

    async def get_case_file(self, request: pb.GetCaseFileRequest, context: Context) -> pb.GetCaseFileResponse:
        """Return the file of a case for a judge."""
        case = (await case_named(self._record, request.case_id)).state
        settings = (await load_adjudication(self._record, case.tournament_id)).state
        decide.check_judge(case, settings, request.judge_id)
        arguments = await queries.arguments(self._record, case)
        return presentation.file_of(case, arguments, self._graph(case), await queries.earlier(self._record, case))

    async def _on_case(self, request: Any, command: JudgeCommand) -> tuple[Decision, Case]:
        """Return the decision of a command on the current case, and the case after it."""
        case = await case_named(self._record, request.case_id)
        tournament_id = case.state.tournament_id
        settings = await load_adjudication(self._record, tournament_id)
        silent = await self._leases.silent(case.state)
        JUDGE_SILENT.note(silent)
        hearing = CaseSituation(case.state, settings.state, silent, self._runtime.now(), self._sources)
        decided = command.decide(hearing, request)
        writes = [Write(stream(request.case_id), case.version, decided, tournament_id)] if decided else []
        guards = [Guard(policy.stream(tournament_id), settings.version)]
        return Decision(writes, guards), reduce(evolve, decided, case.state)

    def _sources(self, case: Case) -> dict[Word, str | None]:
        """Return the source of each word of a case in the lexicon, None for a word that is not in it."""
        graph = self._graph(case)
        return {word: _source(graph, word) if graph.contains(word) else None for word in case.words}

    def _graph(self, case: Case) -> WordGraph:
        """Return the lexicon of a case. Raises ``Refusal`` if it is not installed."""
        return self._lexicons.with_layers(self._lexicons.find(case.lexicon.digest).digest, case.layers)


def _holds_another(judge_id: str) -> Refusal:
    return Refusal("HOLDS_ANOTHER", N_("{judge} has another case: rule on it or return it first."), {"judge": judge_id})


def _source(graph: WordGraph, word: Word) -> str:
    """Return the dictionaries that list a word in the lexicon, or else the lexicon itself."""
    sources = sorted({listed.source for listed in presentation.listings(graph, word) if listed.on and listed.source})
    return ", ".join(sources) or f"{graph.about.name} {graph.about.edition}"
