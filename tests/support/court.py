"""The lexicon service as it runs, on a record in which tests play the other services."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from faristol.event_store import Decision, Metadata, Record, Write
from faristol.host import Settings
from faristol.kernel.cases import case_id_of
from faristol.kernel.times import to_timestamp
from faristol.launcher.processes import Running, running
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.lexicon.v1 import adjudication_pb2 as pb
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.lexicon.v1 import lexicon_pb2_grpc
from faristol.pb.pairing.v1 import events_pb2 as pairing_events
from faristol.rules import load_ruleset

T = TypeVar("T")
M = TypeVar("M", bound=Message)

SEED = b"s" * 32
"""Of every table."""
EVENT_TIMEOUT_SECONDS = 60.0
"""Seconds within which automatic consequences must have happened."""


def command() -> str:
    return str(uuid.uuid4())


def now() -> Timestamp:
    return to_timestamp(datetime.now(UTC))


async def until(found: Callable[[], Awaitable[T | None]]) -> T:
    """Return the result of ``found`` as soon as there is one."""
    give_up = asyncio.get_running_loop().time() + EVENT_TIMEOUT_SECONDS
    while True:
        value = await found()
        if value:
            return value
        assert asyncio.get_running_loop().time() < give_up, "what was waited for did not come"
        await asyncio.sleep(0.02)


async def reason(call: Awaitable[object]) -> tuple[str, str]:
    """Return the reason and sentence of a call that has to be refused."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as problem:
        status = rpc_status.from_call(problem)  # type: ignore[arg-type]
        info = error_details_pb2.ErrorInfo()
        assert status is not None
        assert status.details[0].Unpack(info)
        return info.reason, str(problem.details())
    raise AssertionError(f"was not refused: {answer}")


@dataclass
class Court:
    """Judges of one tournament, and the tables that challenge."""

    record: Record
    channel: grpc.aio.Channel
    digest: str
    """Of the lexicon."""
    address: str
    """Of the service."""
    tournament: str = "cup"
    versions: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.direct = pb_grpc.AdjudicationServiceStub(self.channel)
        self.judges = pb_grpc.JudgeServiceStub(self.channel)
        self.lexicon = lexicon_pb2_grpc.LexiconServiceStub(self.channel)

    async def add(self, stream: str, *past_events: Message) -> None:
        """Append events of another service."""
        version = self.versions.get(stream, 0)
        await self.record.append(Decision([Write(stream, version, past_events, self.tournament)]), Metadata())
        self.versions[stream] = version + len(past_events)

    async def found_tournament(self, ruleset: str = "fisc-2023") -> None:
        pinned = game_events.Pin(name=ruleset, digest=load_ruleset(ruleset).digest)
        lexicon = game_events.Pin(name="catalan", digest=self.digest)
        await self.add(
            f"tournament-{self.tournament}",
            pairing_events.TournamentCreated(tournament_id=self.tournament, name="Cup", rounds=5, occurred_at=now()),
            pairing_events.RulesetPinned(ruleset=pinned),
            pairing_events.LexiconPinned(lexicon=lexicon),
        )

    async def close_round(self, number: int) -> None:
        closed = pairing_events.RoundClosed(round=number, occurred_at=now())
        await self.add(f"tournament-{self.tournament}", closed)

    async def open_game(self, game_id: str, number: int = 1, ruleset: str = "fisc-2023") -> None:
        pinned = game_events.Pin(name=ruleset, digest=load_ruleset(ruleset).digest)
        lexicon = game_events.Pin(name="catalan", digest=self.digest)
        opened = game_events.GameOpened(
            game_id=game_id,
            tournament_id=self.tournament,
            round=number,
            player_ids=["anna", "biel"],
            ruleset=pinned,
            lexicon=lexicon,
            seed=SEED,
            occurred_at=now(),
        )
        await self.add(f"game-{game_id}", opened)

    async def appeal(self, game_id: str, arguments: str = "", number: int = 1) -> str:
        """Appeal against the ruling on a challenge; return the id of its case."""
        raised = game_events.AppealRaised(
            turn=3, challenge=number, player_id="anna", arguments=arguments, occurred_at=now()
        )
        await self.add(f"game-{game_id}", raised)
        return case_id_of(game_id, SEED, number, appeal=True)

    async def challenge(self, game_id: str, *words: Sequence[str], number: int = 1, turn: int = 3) -> str:
        """Raise a challenge; return the id of its case."""
        raised = game_events.ChallengeRaised(
            turn=turn,
            challenge=number,
            player_id="biel",
            words=[game_events.Word(faces=word) for word in words],
            occurred_at=now(),
        )
        await self.add(f"game-{game_id}", raised)
        return case_id_of(game_id, SEED, number)

    async def appoint(self, *judges: str, languages: Sequence[str] = ("ca",), director: bool = False) -> None:
        for judge in judges:
            await self.direct.AppointJudge(
                pb.AppointJudgeRequest(
                    command_id=command(),
                    tournament_id=self.tournament,
                    judge_id=judge,
                    languages=languages,
                    director=director,
                )
            )

    async def set_mode(
        self, mode: events.Mode.ValueType, panel: int = 0, lease_seconds: int = 30, escalate_after_seconds: int = 600
    ) -> None:
        await self.direct.SetAdjudication(
            pb.SetAdjudicationRequest(
                command_id=command(),
                tournament_id=self.tournament,
                mode=mode,
                panel=panel,
                lease_seconds=lease_seconds,
                escalate_after_seconds=escalate_after_seconds,
            )
        )

    def claim(self, case_id: str, judge: str) -> Awaitable[pb.ClaimCaseResponse]:
        return self.judges.ClaimCase(pb.ClaimCaseRequest(command_id=command(), case_id=case_id, judge_id=judge))

    def keep(self, case_id: str, judge: str) -> Awaitable[pb.KeepClaimResponse]:
        return self.judges.KeepClaim(pb.KeepClaimRequest(case_id=case_id, judge_id=judge))

    def rule(
        self, case_id: str, judge: str, words: dict[tuple[str, ...], bool], why: str = "", source: str = ""
    ) -> Awaitable[pb.RuleCaseResponse]:
        rulings = [
            events.WordRuling(word=game_events.Word(faces=word), valid=valid, reason=why, source=source)
            for word, valid in words.items()
        ]
        return self.judges.RuleCase(
            pb.RuleCaseRequest(command_id=command(), case_id=case_id, judge_id=judge, words=rulings)
        )

    async def queue(self, judge: str, language: str = "") -> list[pb.QueuedCase]:
        """Return the first message of a judge's queue."""
        call = self.judges.WatchQueue(pb.WatchQueueRequest(judge_id=judge, language=language))
        try:
            async for answer in call:
                return list(answer.cases)
        finally:
            call.cancel()
        raise AssertionError("the stream ended")

    async def wait_for_case(self, judge: str, case_id: str) -> pb.QueuedCase:
        """Return a case, as soon as it is in a judge's queue."""

        async def look() -> pb.QueuedCase | None:
            return next((each for each in await self.queue(judge) if each.case_id == case_id), None)

        return await until(look)

    async def events(self, case_id: str, kind: type[M]) -> list[M]:
        found = await self.record.events(f"case-{case_id}")
        return [event for event in found if isinstance(event, kind)]

    async def came(self, case_id: str, kind: type[M]) -> M:
        """Return the first event of a type in a case, as soon as it exists."""

        async def look() -> M | None:
            return next(iter(await self.events(case_id, kind)), None)

        return await until(look)


@asynccontextmanager
async def serving(folder: Path, lexicons: Path, nats_url: str, **settings: Any) -> AsyncIterator[Running]:
    """Yield the lexicon service in this process."""
    given = {"data": folder, "lexicons": lexicons, "nats_url": nats_url, "grace_seconds": 0.5, **settings}
    async with running(Settings.model_validate(given), ("lexicon",)) as process:
        yield process


@asynccontextmanager
async def sitting(folder: Path, lexicons: Path, nats_url: str, digest: str, **settings: Any) -> AsyncIterator[Court]:
    """Yield the adjudication of a tournament: the service, the tournament, three judges and a director."""
    async with (
        serving(folder, lexicons, nats_url, **settings) as process,
        grpc.aio.insecure_channel(process.grpc_address) as channel,
    ):
        court = Court(process.runtime.record, channel, digest, process.grpc_address)
        await court.found_tournament()
        await court.appoint("ada", "berta", "carles")
        await court.appoint("head", languages=["en"], director=True)
        yield court
