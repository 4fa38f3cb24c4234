"""A large championship, directed over gRPC on a record and NATS. Its tables are not played: they report results."""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from faristol.casebook.hosts.cell import RunningCell, serving
from faristol.casebook.hosts.lexicons import LEXICON_NAME, install
from faristol.event_store import Decision, Metadata, Write
from faristol.event_store.event import utc_now
from faristol.kernel.times import to_timestamp
from faristol.pb.game.v1 import events_pb2 as game_events
from faristol.pb.pairing.v1 import events_pb2 as events
from faristol.pb.pairing.v1 import pairing_pb2
from faristol.pb.pairing.v1 import pairing_pb2_grpc as pb_grpc
from faristol.rules import load_ruleset
from faristol.rules.ruleset.options import format_value
from faristol.rules.ruleset.with_options import with_options

TOURNAMENT = "great"
SERVED = ("lexicon", "pairing")
MAX_REGISTRATIONS_AT_ONCE = 40
"""Players who register at the same time."""
LATE_SHARE, LEAVING_SHARE, BYE_SHARE = 50, 200, 100
"""The rate at which players come late, leave before each round after the first, and sit a round out with half a point.
"""
POLL_SECONDS = 0.05
"""Seconds between two looks whether every result is in."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The rules and sizes of the tournament."""

    players: int
    rounds: int
    ruleset: str
    pairing: str
    seed: int


@dataclass(frozen=True, slots=True)
class Paired:
    """How a round was paired."""

    round: int
    players: int
    """Who were there, to be paired or to sit it out."""
    tables: int
    sitting_out: int
    seconds: float
    """From the director's command to the answer."""


async def play_plan(plan: Plan, nats_url: str, tell: Callable[[Paired], None]) -> list[Paired]:
    """Return the rounds of the plan, each reported when it is paired. Raises ``ValueError`` if a pairing breaks FISC
    I.1.
    """
    ruleset = with_options(load_ruleset(plan.ruleset), {"pairing": plan.pairing})
    async with serving(nats_url, SERVED, utc_now, lambda library: install(library, ruleset.tile_set, ())) as cell:
        championship = _Championship(plan, cell)
        options = [
            game_events.ChosenOption(name=name, value=format_value(value)) for name, value in ruleset.chosen.items()
        ]
        await championship.open(options)
        found = []
        for number in range(1, plan.rounds + 1):
            found.append(await championship.play(number))
            tell(found[-1])
        return found


class _Championship:
    def __init__(self, plan: Plan, cell: RunningCell) -> None:
        self._plan = plan
        self._record = cell.record
        self._pairing = pb_grpc.PairingServiceStub(cell.channel)
        self._chance = random.Random(plan.seed)
        late = plan.players // LATE_SHARE
        self._there = [f"p{number:04}" for number in range(plan.players - late)]
        self._late = [f"p{number:04}" for number in range(plan.players - late, plan.players)]
        self._met: set[frozenset[str]] = set()
        self._rested: set[str] = set()

    async def open(self, options: list[game_events.ChosenOption]) -> None:
        create = pairing_pb2.CreateTournamentRequest(
            tournament_id=TOURNAMENT,
            name="A great championship",
            rounds=self._plan.rounds,
            ruleset=self._plan.ruleset,
            options=options,
            lexicon=LEXICON_NAME,
            seed=hashlib.sha256(str(self._plan.seed).encode()).digest(),
            keeping=game_events.KEEPING_RECORDED,
            command_id=_id(),
        )
        await self._pairing.CreateTournament(create)
        gate = asyncio.Semaphore(MAX_REGISTRATIONS_AT_ONCE)

        async def register(player_id: str) -> None:
            async with gate:
                await self._register(player_id)

        await asyncio.gather(*map(register, self._there))

    async def _register(self, player_id: str) -> None:
        rating = self._chance.randrange(600, 2200)
        request = pairing_pb2.RegisterPlayerRequest(player_id=player_id, name=f"Player {player_id}", rating=rating)
        request.command_id, request.tournament_id = _id(), TOURNAMENT
        await self._pairing.RegisterPlayer(request)

    async def play(self, number: int) -> Paired:
        """Return a whole round."""
        sitting_out = await self._before(number)
        request = pairing_pb2.PairRoundRequest(command_id=_id(), tournament_id=TOURNAMENT, round=number)
        begin = time.perf_counter()
        answer = await self._pairing.PairRound(request)
        seconds = time.perf_counter() - begin
        self._check(answer, sitting_out)
        await self._pairing.StartRound(
            pairing_pb2.StartRoundRequest(command_id=_id(), tournament_id=TOURNAMENT, round=number)
        )
        await self._report(answer.pairings)
        await self._pairing.CloseRound(
            pairing_pb2.CloseRoundRequest(command_id=_id(), tournament_id=TOURNAMENT, round=number)
        )
        resting = len(sitting_out) + bool(answer.bye_player_id)
        return Paired(number, len(self._there), len(answer.pairings), resting, seconds)

    async def _before(self, number: int) -> set[str]:
        """Return late entries, withdrawals and byes before a round, and the absent players."""
        if number == 2:
            for player_id in self._late:
                await self._register(player_id)
            self._there += self._late
        if number > 1:
            for player_id in self._chance.sample(self._there, len(self._there) // LEAVING_SHARE):
                leave = pairing_pb2.WithdrawPlayerRequest(
                    command_id=_id(), tournament_id=TOURNAMENT, player_id=player_id
                )
                await self._pairing.WithdrawPlayer(leave)
                self._there.remove(player_id)
        sitting_out = set(self._chance.sample(self._there, len(self._there) // BYE_SHARE))
        for player_id in sitting_out:
            grant = pairing_pb2.GrantByeRequest(
                command_id=_id(),
                tournament_id=TOURNAMENT,
                player_id=player_id,
                round=number,
                kind=events.BYE_KIND_HALF_POINT,
            )
            await self._pairing.GrantBye(grant)
        return sitting_out

    def _check(self, answer: pairing_pb2.PairRoundResponse, sitting_out: set[str]) -> None:
        """Check that every player has one place, no two players meet twice and no player has two byes (FISC I.1)."""
        pairs = [(table.first_player_id, table.second_player_id) for table in answer.pairings]
        bye = {answer.bye_player_id} - {""}
        placed = [player for pair in pairs for player in pair] + sorted(bye | sitting_out)
        if sorted(placed) != sorted(self._there):
            raise ValueError("not everybody has exactly one place in the round")
        again = self._met & set(map(frozenset, pairs))
        if again or bye & self._rested:
            raise ValueError(f"these meet again or rest again: {again or bye}")
        self._met |= set(map(frozenset, pairs))
        self._rested |= bye

    async def _report(self, pairings: Sequence[events.Pairing]) -> None:
        """Report the result of every table, and wait until the tournament has them."""
        at = to_timestamp(utc_now())
        writes = []
        for table in pairings:
            scores = self._chance.choices(range(250, 500), k=2)
            players = (table.first_player_id, table.second_player_id)
            best = [player for player, score in zip(players, scores, strict=True) if score == max(scores)]
            final = game_events.ResultFinal(
                scores=[
                    game_events.FinalScore(player_id=player, score=score)
                    for player, score in zip(players, scores, strict=True)
                ],
                winner_id=best[0] if len(best) == 1 else "",
                condition=game_events.END_CONDITION_OUT,
                occurred_at=at,
            )
            writes.append(Write(f"game-{table.game_id}", 0, [final], TOURNAMENT))
        await self._record.append(Decision(writes), Metadata())
        request = pairing_pb2.GetTournamentRequest(tournament_id=TOURNAMENT)
        while True:
            played = (await self._pairing.GetTournament(request)).played
            if len(played[-1].finished_game_ids) == len(pairings):
                return
            await asyncio.sleep(POLL_SECONDS)


def _id() -> str:
    return str(uuid.uuid4())
