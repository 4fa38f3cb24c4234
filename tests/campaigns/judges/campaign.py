"""Challenges from many tables, few judges with unreliable connections, and processes that are killed."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import grpc
from google.protobuf.message import Message
from tests.campaigns.judges.clients import Bench, ChallengingTable
from tests.campaigns.torture.sites import Site
from tests.component.processes import EAGER

from faristol.adjudication.cases.model import Case
from faristol.client.services import Api, call
from faristol.demo.cast import UserCalls
from faristol.demo.plan import Plan
from faristol.event_store import Record
from faristol.event_store.integrity.verification import verify
from faristol.kernel.cases import case_id_of
from faristol.kernel.times import to_timestamp
from faristol.lexicon.adjudication.cases import presentation, queries
from faristol.pb.clock.v1 import events_pb2 as clock_events
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.game.v1 import game_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2
from faristol.pb.lexicon.v1 import adjudication_pb2_grpc as pb_grpc
from faristol.pb.lexicon.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.words import DEFAULT_NAME, WordGraph

RULESET, ROUNDS = "fisc-2023", 5
LEASE_SECONDS = 2
ESCALATE_AFTER_SECONDS = 20
DIRECTOR = "head"
PROGRESS_TIMEOUT_SECONDS = 600.0
"""Seconds within which every table has to continue."""
MAX_DOWN_SECONDS = 2.0
"""Seconds for which a process that was killed is down at most."""
MAX_SETUPS_AT_ONCE = 40
"""Tables that are set up at the same time."""


@dataclass
class Outcome:
    """The result of a campaign."""

    seed: int
    tables: int
    judges: int
    panel: int
    kills: int = 0
    cut: int = 0
    """Connections of judges that broke."""
    returned: int = 0
    """Claims that went back into the queue."""
    escalated: int = 0
    late: int = 0
    """Opinions that were refused because their claim was lost."""
    ruled: int = 0
    median_ms: int = 0
    p95_ms: int = 0
    longest_ms: int = 0
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


class Campaign:
    """One tournament in which all tables challenge their first play."""

    def __init__(
        self,
        site: Site,
        graph: WordGraph,
        outcome: Outcome,
        kill_every: float,
        tell: Callable[[int, int], None] = lambda resumed, kills: None,
    ) -> None:
        self._site = site
        self._graph = graph
        self._outcome = outcome
        self._kill_every = kill_every
        self._tell = tell
        self._chance = random.Random(outcome.seed)
        self._plan = Plan(2 * outcome.tables, ROUNDS, outcome.seed, RULESET)
        self._resumed: dict[str, asyncio.Event] = {}

    async def run(self) -> Outcome:
        """Play the tournament, and check the result."""
        begun = time.monotonic()
        assert await self._site.whole(), "the site does not come to serve"
        channels = {
            service: grpc.aio.insecure_channel(addresses[0], options=EAGER)
            for service, addresses in self._site.replicas.items()
        }
        record = await Record.open(self._site.database_url)
        try:
            game_ids = await self._set_up(channels)
            await self._rule(channels, record, game_ids)
            await self._judge(record, game_ids)
        finally:
            await record.close()
            for channel in channels.values():
                await channel.close(None)
        self._site.stop()
        self._outcome.wrong += self._site.wrong
        self._outcome.seconds = time.monotonic() - begun
        return self._outcome

    async def _set_up(self, channels: Mapping[str, grpc.aio.Channel]) -> list[str]:
        """Prepare a tournament with judges, whose first round has started. Return the games."""
        plan, api = self._plan, Api(channels.__getitem__)
        opening = to_timestamp(plan.round_start(1, datetime.now(UTC)))
        common: dict[str, Any] = {"tournament_id": plan.tournament_id}
        create = pairing_pb2.CreateTournamentRequest(
            command_id=_command(), tournament_id=plan.tournament_id, name=plan.title, rounds=ROUNDS, ruleset=RULESET,
            lexicon=DEFAULT_NAME, seed=plan.secret, occurred_at=opening,
        )  # fmt: skip
        await call(api.pairing.CreateTournament, create)
        for entrant in plan.entrants:
            register = pairing_pb2.RegisterPlayerRequest(
                command_id=_command(), player_id=entrant.player_id, name=entrant.name, rating=entrant.rating,
                occurred_at=opening, tournament_id=plan.tournament_id,
            )  # fmt: skip
            await call(api.pairing.RegisterPlayer, register)
        await self._appoint(pb_grpc.AdjudicationServiceStub(channels["lexicon"]))
        pair = pairing_pb2.PairRoundRequest(command_id=_command(), round=1, occurred_at=opening, **common)
        paired = await call(api.pairing.PairRound, pair)
        start = pairing_pb2.StartRoundRequest(command_id=_command(), round=1, occurred_at=opening, **common)
        await call(api.pairing.StartRound, start)
        return [pairing.game_id for pairing in paired.pairings]

    async def _appoint(self, stub: pb_grpc.AdjudicationServiceAsyncStub) -> None:
        tournament_id, panel = self._plan.tournament_id, self._outcome.panel
        for judge_id in (*self._judge_ids, DIRECTOR):
            appoint = adjudication_pb2.AppointJudgeRequest(
                command_id=_command(), tournament_id=tournament_id, judge_id=judge_id, languages=["ca"],
                director=judge_id == DIRECTOR,
            )  # fmt: skip
            await call(stub.AppointJudge, appoint)
        mode = adjudication_pb2.SetAdjudicationRequest(
            command_id=_command(),
            tournament_id=tournament_id,
            mode=events.MODE_PANEL if panel > 1 else events.MODE_JUDGE,
            panel=panel if panel > 1 else 0,
            lease_seconds=LEASE_SECONDS,
            escalate_after_seconds=ESCALATE_AFTER_SECONDS,
        )
        await call(stub.SetAdjudication, mode)

    @property
    def _judge_ids(self) -> list[str]:
        return [f"judge-{number}" for number in range(1, self._outcome.judges + 1)]

    async def _rule(self, channels: Mapping[str, grpc.aio.Channel], record: Record, game_ids: Sequence[str]) -> None:
        """Let every table challenge while judges rule and processes are killed, until every clock runs again."""
        self._resumed = {game_id: asyncio.Event() for game_id in game_ids}
        addresses = self._site.replicas["lexicon"]
        benches = [
            Bench(judge_id, addresses, random.Random(f"{self._outcome.seed}/{judge_id}"))
            for judge_id in (*self._judge_ids, DIRECTOR)
        ]
        tasks = [asyncio.create_task(bench.work()) for bench in benches]
        api = Api(channels.__getitem__)
        tasks += [asyncio.create_task(self._watch(record, api)), asyncio.create_task(self._kill())]
        permits, cast = asyncio.Semaphore(MAX_SETUPS_AT_ONCE), UserCalls(api, self._plan.tournament_id)

        async def play(game_id: str) -> None:
            async with permits:
                await ChallengingTable(api, self._plan, game_id, self._graph, cast).challenge()

        try:
            async with asyncio.timeout(PROGRESS_TIMEOUT_SECONDS):
                await asyncio.gather(*map(play, game_ids))
                await asyncio.gather(*(event.wait() for event in self._resumed.values()))
        except TimeoutError:
            still = [game_id for game_id, event in self._resumed.items() if not event.is_set()]
            self._outcome.wrong.append(
                f"{len(still)} tables did not go on within {PROGRESS_TIMEOUT_SECONDS:.0f} s: {still[:5]}"
            )
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        self._outcome.wrong += [
            f"{type(problem).__name__}: {problem}"
            for problem in ended
            if isinstance(problem, Exception) and not isinstance(problem, asyncio.CancelledError)
        ]
        self._outcome.cut = sum(bench.cut for bench in benches)
        self._outcome.late = sum(bench.refused for bench in benches)
        self._outcome.wrong += [line for bench in benches for line in bench.wrong]
        await self._site.whole()

    async def _watch(self, record: Record, api: Api) -> None:
        """Note every clock that runs again; a play that stands is written first, with the clock stopped (FISC I.10)."""
        kinds = {kind.DESCRIPTOR.full_name for kind in (game_events.ChallengeRuled, clock_events.ClockResumed)}
        async for event in record.follow(tournament=self._plan.tournament_id, types=kinds):
            game_id = event.stream.partition("-")[2]
            if isinstance(event.message, game_events.ChallengeRuled):
                if event.message.valid:
                    await self._write(record, api, game_id)
            elif game_id in self._resumed:
                self._resumed[game_id].set()
                done = sum(resumed.is_set() for resumed in self._resumed.values())
                self._tell(done, self._outcome.kills)

    async def _write(self, record: Record, api: Api, game_id: str) -> None:
        """Write the score of the play, as the mover."""
        placed = [
            event for event in await record.events(f"game-{game_id}") if isinstance(event, game_events.PlayPlaced)
        ]
        request = game_pb2.WriteScoreRequest(command_id=_command(), game_id=game_id, player_id=placed[-1].player_id)
        await call(api.game.WriteScore, request)

    async def _kill(self) -> None:
        """Kill and restart random processes until cancelled."""
        while True:
            await asyncio.sleep(self._kill_every * (0.5 + self._chance.random()))
            killed = self._site.kill([self._chance.choice(self._site.victims)])
            self._outcome.kills += len(killed)
            try:
                await asyncio.sleep(MAX_DOWN_SECONDS * self._chance.random())
            finally:
                self._site.start(killed)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PROGRESS_TIMEOUT_SECONDS):
                    await self._site.serving(self._site.addresses(killed))
            self._site.look_after()

    async def _judge(self, record: Record, game_ids: Sequence[str]) -> None:
        """Check that every challenge is one case with one ruling, which its table applied once, and that every clock
        runs.
        """
        wrong, cases = self._outcome.wrong, []
        for game_id in game_ids:
            table, clock = await record.events(f"game-{game_id}"), await record.events(f"clock-{game_id}")
            raised = [event for event in table if isinstance(event, game_events.ChallengeRaised)]
            if len(raised) != 1:
                wrong.append(f"{game_id}: {len(raised)} challenges")
            seed = next(event.seed for event in table if isinstance(event, game_events.GameOpened))
            for challenge in raised:
                case_id = case_id_of(game_id, seed, challenge.challenge)
                past_events = await record.events(f"case-{case_id}")
                wrong += _other_than(1, case_id, past_events, events.CaseOpened, events.CaseRuled)
                cases.append((await queries.cases(record, [case_id])).get(case_id, Case()))
            told = (game_events.ChallengeRuled, clock_events.ClockNeutralised, clock_events.ClockResumed)
            wrong += _other_than(len(raised), game_id, [*table, *clock], *told)
        ruled = [case for case in cases if case.ruled]
        wrong += [f"{case.case_id}: ruled {case.valid}" for case in ruled if case.valid != self._stands(case)]
        wrong += [
            f"{case.case_id}: {len(case.ruled_by)} judges"
            for case in ruled
            if not case.by_director and len(set(case.ruled_by)) != self._outcome.panel
        ]
        if broken := (await verify(record)).wrong:
            wrong.append(broken)
        waited = sorted(map(presentation.waited_ms, ruled)) or [0]
        self._outcome.ruled = len(ruled)
        self._outcome.returned = sum(case.returned for case in cases)
        self._outcome.escalated = sum(case.escalated for case in cases)
        self._outcome.median_ms = presentation.percentile(waited, 50)
        self._outcome.p95_ms = presentation.percentile(waited, 95)
        self._outcome.longest_ms = waited[-1]

    def _stands(self, case: Case) -> bool:
        return all(self._graph.contains(word) for word in case.words)


def _other_than(count: int, whose: str, past_events: Sequence[Message], *kinds: type[Message]) -> list[str]:
    """Return a sentence for each type of event that does not occur ``count`` times."""
    found = {kind: sum(isinstance(event, kind) for event in past_events) for kind in kinds}
    return [f"{whose}: {times} times {kind.DESCRIPTOR.name}" for kind, times in found.items() if times != count]


def _command() -> str:
    return str(uuid.uuid4())
