"""The services of a table on a cell: gRPC, NATS and a record, and judges that claim their cases from the queue."""

from __future__ import annotations

import asyncio
import datetime
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from faristol.bus import Bus
from faristol.casebook.case import TableCase, Word
from faristol.casebook.hosts.hall import TOURNAMENT, founding
from faristol.casebook.hosts.judges import DIRECTOR, JUDGES, REASON, SOURCE, in_question
from faristol.casebook.hosts.lexicons import install
from faristol.casebook.hosts.services import AtTable, Services, TableServices
from faristol.casebook.position import TOURNAMENT_ID
from faristol.casebook.verbs import method_of
from faristol.client.judge import Judge
from faristol.client.problems import info_of
from faristol.consumers import Reaction
from faristol.consumers.work import is_wanted
from faristol.event_store import Record
from faristol.host import Settings
from faristol.host.services import ASKING
from faristol.host.table_store import game_stream
from faristol.kernel.errors import AlreadyExists, Invalid, NotFound
from faristol.kernel.pins import Pin
from faristol.kernel.refusal import Refusal
from faristol.launcher.processes import builders, running
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.words import Library

SERVED = ("lexicon", "game", "clock", "pairing")
"""The services of a table."""

IDLE_TIMEOUT_SECONDS = 30.0
"""Seconds within which the services must become idle."""
IDLE_POLL_SECONDS = 0.01
"""Seconds between two checks for that."""
CELL_LEASE_SECONDS = 60
ESCALATE_AFTER_SECONDS = 3_600


class CellServices(Services):
    """Services that are called over gRPC and notify each other over NATS."""

    def __init__(self, cell: RunningCell) -> None:
        super().__init__(cell.record)
        self.lexicon = cell.lexicon
        self._channel = cell.channel
        self._reactions = cell.reactions
        """The reactions of the services, used only to check whether any of them is pending."""
        self._heard = 0
        """The position up to which no reaction is pending."""

    async def ask(self, request: Message) -> Any:
        """Call the method of the request over gRPC. Raises as ``Services.ask`` does."""
        method = method_of(request.DESCRIPTOR)
        call: Any = self._channel.unary_unary(
            f"/{method.containing_service.full_name}/{method.name}",
            request_serializer=type(request).SerializeToString,
            response_deserializer=GetMessageClass(method.output_type).FromString,
        )
        return await await_answer(call(request))

    async def settle(self) -> None:
        """Wait until no reaction is pending. Raises ``ValueError`` after ``IDLE_TIMEOUT_SECONDS`` seconds."""
        async with idle_timeout("the services do not come to rest"):
            while (here := await self.record.last_position()) > self._heard:
                if await self._at_rest():
                    self._heard = here
                else:
                    await asyncio.sleep(IDLE_POLL_SECONDS)

    async def _at_rest(self) -> bool:
        for event in await self.record.read(self._heard):
            for reaction in self._reactions:
                if is_wanted(reaction, event) and (decision := await reaction.react(event)) and decision.writes:
                    return False
        return True


class TableOnCell(CellServices, TableServices):
    """The services of a table, and judges at the queue."""

    async def rule(self, good: Callable[[Word], bool]) -> None:
        """Rule as a judge from the queue. Raises as ``AtTable.rule`` does."""
        await rule_on_cell(self, self._channel, good)

    async def choose_layers(self, layers: Sequence[str]) -> None:
        """Enable layers of the lexicon. Raises ``Refusal`` if the rules forbid it."""
        stub = pb_grpc.AdjudicationServiceStub(self._channel)
        request = pb.ChooseLayersRequest(command_id=_command(), tournament_id=TOURNAMENT_ID, layers=layers)
        await await_answer(stub.ChooseLayers(request))
        await self.settle()


async def rule_on_cell(table: AtTable, channel: grpc.aio.Channel, good: Callable[[Word], bool]) -> None:
    """Rule on the last challenge or appeal of a table as a judge from the queue, as ``AtTable.rule`` does."""
    facts = await table.record.facts(game_stream(table.game_id))
    raised = in_question(facts)
    appeal = isinstance(raised, game_events.AppealRaised)
    everything = await table.facts()
    of_table = [fact for fact in everything if isinstance(fact, events.CaseRuled) and fact.game_id == table.game_id]
    first = [
        judge_id
        for fact in of_table
        if fact.challenge == raised.challenge and not fact.appeal
        for judge_id in fact.judge_ids
    ]
    judge = Judge(channel, next(judge_id for judge_id in JUDGES if judge_id not in first or not appeal))
    opened = {
        fact.case_id for fact in everything if isinstance(fact, events.CaseOpened) and fact.game_id == table.game_id
    } - {fact.case_id for fact in of_table}
    case_id = await _first_in_queue(judge, opened)
    await await_answer(judge.claim(case_id))
    file = await await_answer(judge.file(case_id))
    rulings = [_ruling(word, good=good(tuple(word.word.faces))) for word in file.words]
    await await_answer(judge.rule(case_id, rulings))
    await table.settle()


async def _first_in_queue(judge: Judge, waiting: Collection[str]) -> str:
    """Return the oldest case of those ``waiting``, as the queue may be slightly outdated."""
    async with idle_timeout("no case comes to the judge"):
        async for queue in judge.queue():
            for case in queue.cases:
                if case.case_id in waiting:
                    return case.case_id
    raise ValueError("the queue ended")


def _ruling(file: pb.WordFile, *, good: bool) -> events.WordRuling:
    """Return a judge's ruling that a word is ``good`` or not, with a reason if it contradicts the lexicon."""
    if good == file.valid:
        return events.WordRuling(word=file.word, valid=good)
    return events.WordRuling(word=file.word, valid=good, reason=REASON, source=SOURCE)


async def await_answer(call: Awaitable[Any]) -> Any:
    """Await the answer of a service. Raises its ``Refusal``, ``Invalid``, ``NotFound`` or ``AlreadyExists``."""
    try:
        return await call
    except grpc.aio.AioRpcError as problem:
        info, text = info_of(problem), problem.details() or ""
        about = dict(info.metadata)
        match problem.code():
            case grpc.StatusCode.FAILED_PRECONDITION:
                raise Refusal(
                    info.reason, about.pop("article", ""), text.replace("{", "{{").replace("}", "}}")
                ) from problem
            case grpc.StatusCode.INVALID_ARGUMENT:
                raise Invalid(about.get("field", ""), text) from problem
            case grpc.StatusCode.NOT_FOUND:
                raise NotFound(about["kind"], about["id"]) from problem
            case grpc.StatusCode.ALREADY_EXISTS:
                raise AlreadyExists(about["kind"], about["id"]) from problem
            case _:
                raise


@asynccontextmanager
async def idle_timeout(otherwise: str) -> AsyncIterator[None]:
    """Raise ``ValueError`` with the text ``otherwise`` if the block exceeds ``IDLE_TIMEOUT_SECONDS`` seconds."""
    try:
        async with asyncio.timeout(IDLE_TIMEOUT_SECONDS):
            yield
    except TimeoutError as problem:
        raise ValueError(f"{otherwise} within {IDLE_TIMEOUT_SECONDS:.0f} s") from problem


class RunningCell(NamedTuple):
    """A running cell."""

    record: Record
    channel: grpc.aio.Channel
    reactions: Sequence[Reaction]
    lexicon: Pin
    address: str
    """``HOST:PORT`` of its services."""
    http_address: str = ""
    """The address of its pages; empty without pages."""


@asynccontextmanager
async def serving(
    nats_url: str,
    services: Sequence[str],
    now: Callable[[], datetime.datetime],
    installed: Callable[[Library], Pin],
) -> AsyncIterator[RunningCell]:
    """Run a cell of these services with its own record, and with ``installed`` applied to its library.

    It uses the NATS server that runs at ``nats_url``.
    """
    with TemporaryDirectory() as folder:
        lexicon = installed(Library(Path(folder) / "lexicons"))
        given = {"data": Path(folder), "lexicons": Path(folder) / "lexicons", "nats_url": nats_url}
        settings = Settings.model_validate({**given, "grace_seconds": 0.1, "open": True, "http_port": 0})
        async with (
            _consumers_removed(nats_url) as record_ids,
            running(settings, services, now) as cell,
            grpc.aio.insecure_channel(cell.grpc_address) as channel,
        ):
            record_ids.append(cell.runtime.record.record_id)
            react = [service for service in services if service not in ASKING]
            reactions = [reaction for build in builders(react) for reaction in build(cell.runtime).reactions]
            pages = cell.http_address if "gateway" in services else ""
            yield RunningCell(cell.runtime.record, channel, reactions, lexicon, cell.grpc_address, pages)


@asynccontextmanager
async def _consumers_removed(nats_url: str) -> AsyncIterator[list[str]]:
    """Remove the consumers of these cells from the NATS server, which supports a limited number."""
    record_ids: list[str] = []
    try:
        yield record_ids
    finally:
        bus = await Bus.connect(nats_url)
        try:
            for record_id in record_ids:
                await bus.remove_consumers(record_id[:8])
        finally:
            await bus.close()


@asynccontextmanager
async def on_cell(nats_url: str, case: TableCase, now: Callable[[], datetime.datetime]) -> AsyncIterator[TableServices]:
    """Run a cell for the case of a table, with a lexicon of its words, on a running NATS server."""
    words = partial(install, tile_set=case.ruleset.tile_set, words=case.words, layers=case.layers)
    async with serving(nats_url, SERVED, now, words) as cell:
        services = TableOnCell(cell)
        await services.write(TOURNAMENT, founding(case.ruleset, cell.lexicon))
        await appoint(cell.channel, TOURNAMENT_ID, case.ruleset.tile_set.language)
        yield services


async def appoint(channel: grpc.aio.Channel, tournament_id: str, language: str) -> None:
    """Appoint the ``JUDGES`` and the director of a tournament, and let judges rule on its cases."""
    stub = pb_grpc.AdjudicationServiceStub(channel)
    for judge_id in (*JUDGES, DIRECTOR):
        request = pb.AppointJudgeRequest(
            command_id=_command(),
            tournament_id=tournament_id,
            judge_id=judge_id,
            languages=[language],
            director=judge_id == DIRECTOR,
        )
        await stub.AppointJudge(request)
    await stub.SetAdjudication(
        pb.SetAdjudicationRequest(
            command_id=_command(),
            tournament_id=tournament_id,
            mode=events.MODE_JUDGE,
            lease_seconds=CELL_LEASE_SECONDS,
            escalate_after_seconds=ESCALATE_AFTER_SECONDS,
        )
    )


def _command() -> str:
    return str(uuid.uuid4())
